// The state of a run after a number of turns: what each thread does, the values in memory, the words of races.
//
// Position p is the state after p turns; a turn is a step of one thread, or of several lanes of a warp in lock step.
// A state is computed from the start of the run: a page has few steps, and going back needs no other code.
const fields = ["turn", "thread", "kind", "action", "file", "line", "array", "first", "count", "before", "after", "fault",
  "other", "mask", "entries"];

function decode(row) {
  const step = Object.fromEntries(fields.map((name, i) => [name, row[i]]));
  step.action = run.actions[step.action];
  step.before = [step.before].flat();
  step.after = [step.after].flat();
  return step;
}

function splitIntoTurns() {
  turns = [];
  let turn = -1;
  for (const row of run.steps) {
    const step = decode(row);
    if (step.turn !== turn) turns.push([]);
    turn = step.turn;
    turns.at(-1).push(step);
  }
}

/// The threads that a barrier or a warp collective lets pass.
function passing(step) {
  const first = step.thread - (step.kind === OPENED ? indexOf(step.thread) : 0);
  const all = [];
  for (let i = 0; i < (step.kind === OPENED ? run.threadsPerBlock : 32); ++i) {
    if (step.kind === OPENED || (step.mask >>> i & 1) !== 0) all.push(first + i);
  }
  return all;
}

const waits = (thread) => thread.status === "barrier" || thread.status === "collective";

function apply(state, step) {
  if (step.kind === OPENED || step.kind === COMPLETED) {
    const status = step.kind === OPENED ? "barrier" : "collective";
    for (const number of passing(step)) {
      const thread = state.threads[number];
      if (thread?.status === status) thread.status = "runs";
    }
    return;
  }
  const thread = state.threads[step.thread];
  if (step.file >= 0) thread.file = step.file, thread.line = step.line;
  thread.step = step;
  thread.status = {[BARRIER]: "barrier", [COLLECTIVE]: "collective", [SPIN]: "spins", [EXITED]: "exited"}[step.kind] ?? "runs";
  if (step.array < 0) return;
  const values = state.memory[step.array];
  for (let i = 0; i < step.count; ++i) {
    values[step.first + i] = step.after[i];
    if (step.fault >= 0) state.raced.add(`${step.array},${step.first + i}`);
  }
}

function stateAt(turn) {
  const state = {
    threads: Array.from({length: run.shownThreads}, () => ({status: "start", file: -1, line: 0, step: null})),
    memory: run.arrays.map((array) => array.values.slice()),
    raced: new Set(),
  };
  for (let i = 0; i < turn; ++i) turns[i].forEach((step) => apply(state, step));
  return state;
}

/// For the time line: when each thread waits or spins, as [first turn, turn after the last, status].
function findBands() {
  bands = Array.from({length: run.shownThreads}, () => []);
  const state = stateAt(0);
  const open = new Map();
  turns.forEach((steps, turn) => {
    steps.forEach((step) => apply(state, step));
    state.threads.forEach((thread, number) => {
      const status = waits(thread) ? "waits" : thread.status === "spins" ? "spins" : "";
      const band = open.get(number);
      if (band && band[2] !== status) band[1] = turn + 1, open.delete(number);
      if (status !== "" && !open.has(number)) {
        open.set(number, [turn, turns.length, status]);
        bands[number].push(open.get(number));
      }
    });
  });
}
