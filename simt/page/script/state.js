// The state of a run after a number of turns: what each thread does, the values in memory, the words of races.
//
// Position p is the state after p turns; a turn is a step of one thread, or of several lanes of a warp in lock step.
// A state is computed from the start of the run: a page has few steps, and going back needs no other code.
const fields = ["turn", "thread", "kind", "action", "file", "line", "array", "first", "count", "before", "after", "fault",
  "other", "mask", "entries", "request"];

function decode(row) {
  const step = Object.fromEntries(fields.map((name, i) => [name, row[i]]));
  step.action = run.actions[step.action];
  step.before = [step.before].flat();
  step.after = [step.after].flat();
  return step;
}

/// The indices of the words of an array that the page shows, and the slot of each among its values.
function findSlots(array) {
  array.indices = array.stretches.flatMap(([first, count]) => Array.from({length: count}, (_, i) => first + i));
  array.slots = new Map(array.indices.map((index, slot) => [index, slot]));
}

function splitIntoTurns() {
  run.arrays.forEach(findSlots);
  turns = [];
  rows = new Map(run.shown.map((thread, row) => [thread, row]));
  let turn = -1;
  for (const row of run.steps) {
    const step = decode(row);
    if (step.turn !== turn) turns.push([]);
    turn = step.turn;
    turns.at(-1).push(step);
  }
}

/// The rows of the threads that a barrier or a warp collective lets pass.
function passing(step) {
  const all = [];
  const index = indexOf(step.thread), first = step.thread - (step.kind === OPENED ? index : index % 32);
  for (let i = 0; i < (step.kind === OPENED ? run.threadsPerBlock : 32); ++i) {
    if ((step.kind === OPENED || (step.mask >>> i & 1) !== 0) && rows.has(first + i)) all.push(rows.get(first + i));
  }
  return all;
}

const waits = (thread) => thread.status === "barrier" || thread.status === "collective";
const warpOf = (thread) => blockOf(thread) * 32 + Math.floor(indexOf(thread) / 32);

function applyToThread(thread, step) {
  if (step.file >= 0) thread.file = step.file, thread.line = step.line;
  thread.step = step;
  thread.status = {[BARRIER]: "barrier", [COLLECTIVE]: "collective", [SPIN]: "spins", [EXITED]: "exited"}[step.kind] ?? "runs";
  if (step.array >= 0 && step.kind !== WRITE) thread.read = [wordOf(step), shown(step.before[0])];
}

function apply(state, step) {
  if (step.kind === OPENED || step.kind === COMPLETED) {
    const status = step.kind === OPENED ? "barrier" : "collective";
    for (const row of passing(step)) {
      if (state.threads[row].status === status) state.threads[row].status = "runs";
    }
    return;
  }
  applyToThread(state.threads[rows.get(step.thread)], step);
  if (step.array < 0) return;
  const values = state.memory[step.array], {slots} = run.arrays[step.array];
  for (let i = 0; i < step.count; ++i) {
    if (slots.has(step.first + i)) values[slots.get(step.first + i)] = step.after[i];
    if (step.fault >= 0) state.raced.add(keyOf(step, i));
  }
}

/// In lock step a warp first runs the lanes that are behind; the others do not run, as one that holds a lock for which
/// the rest of its warp spins.
function holdLanes(state, steps) {
  const acting = new Set(steps.filter((step) => step.kind < OPENED).map((step) => step.thread));
  if (run.model !== "lock_step" || acting.size === 0) return;
  const warp = warpOf(steps[0].thread);
  run.shown.forEach((thread, row) => {
    if (warpOf(thread) !== warp) return;
    const lane = state.threads[row];
    if (acting.has(thread) ? lane.status === "held" : lane.status === "runs") lane.status = acting.has(thread) ? "runs" : "held";
  });
}

function applyTurn(state, turn) {
  turns[turn].forEach((step) => apply(state, step));
  holdLanes(state, turns[turn]);
}

function stateAt(turn) {
  const state = {
    threads: run.shown.map(() => ({status: "start", file: -1, line: 0, step: null, read: null})),
    memory: run.arrays.map((array) => array.values.slice()),
    raced: new Set(),
  };
  for (const [number, passed, row] of run.before) {
    const thread = state.threads[rows.get(number)];
    if (row === null) thread.status = "exited"; else applyToThread(thread, decode(row));
    if (passed && waits(thread)) thread.status = "runs";
  }
  for (let i = 0; i < turn; ++i) applyTurn(state, i);
  return state;
}

/// For the time line: when each thread waits, is held back or spins, as [first turn, turn after the last, status].
function findBands() {
  bands = run.shown.map(() => []);
  const state = stateAt(0);
  const open = new Map();
  turns.forEach((_, turn) => {
    applyTurn(state, turn);
    state.threads.forEach((thread, row) => {
      const status = waits(thread) || thread.status === "held" ? "waits" : thread.status === "spins" ? "spins" : "";
      const band = open.get(row);
      if (band && band[2] !== status) band[1] = turn + 1, open.delete(row);
      if (status !== "" && !open.has(row)) {
        open.set(row, [turn, turns.length, status]);
        bands[row].push(open.get(row));
      }
    });
  });
}
