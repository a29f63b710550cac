// One run at one position: builds the page of a run, and shows a position in all of its parts.

/// The turn of the step that a finding names: by its thread and line; else the first step at which it was seen.
function turnOfFinding(number) {
  const [file, line, thread] = run.faults[number].sites[0] ?? ["", 0, -1];
  const names = (step) => step.fault === number && step.thread === thread && step.line === line && run.files[step.file] === file;
  const exact = turns.findIndex((steps) => steps.some(names));
  return exact >= 0 ? exact : turns.findIndex((steps) => steps.some((step) => step.fault === number));
}

/// The turn of the other side: the last access by its thread at its line before the finding; else, as of a thread that
/// waits elsewhere or exits, the first one after it.
function turnOfOtherSide(number, turn) {
  const [file, line, thread, action] = run.faults[number].sites[1] ?? ["", 0, -1, ""];
  const isIt = (step) => step.thread === thread && (action === "exit" ? step.kind === EXITED :
    step.line === line && run.files[step.file] === file && step.kind < OPENED);
  for (let i = turn - 1; i >= 0; --i) {
    if (turns[i].some(isIt)) return i;
  }
  return turn < 0 ? -1 : turns.findIndex((steps, i) => i > turn && steps.some(isIt));
}

/// The words for an other side that is none of the shown steps.
function outsideOf(fault) {
  const thread = fault.sites[1][2];
  if (thread < 0) return "other side: in code of the host";
  if (fault.otherLeftOut > 0) return `other side: not shown, step ${fault.otherLeftOut} of those left out before the first`;
  return run.shown.includes(thread) ? "other side: not among the shown steps" : `other side: not shown, as is ${nameOf(thread)}`;
}

function findingNode(fault, number) {
  const turn = turnOfFinding(number), other = turnOfOtherSide(number, turn);
  const step = turns[turn]?.find((one) => one.fault === number);
  const word = step && step.array >= 0 ? `memory (${wordOf(step)})` : "$&";
  const button = make("button", {type: "button", class: "lead"}, fault.head.replace(/memory \([^():,]*\)/, word));
  button.disabled = turn < 0;
  button.onclick = () => go(turn + 1);
  const more = [fault.cause && `Cause: ${fault.cause}.`, fault.fix && `Fix: ${fault.fix}.`, fault.times > 1 && `Seen ${fault.times} times.`,
    turn < 0 && "None of the shown steps has it."].filter(Boolean);
  const node = make("li", {}, button);
  if (other >= 0) {
    const side = make("button", {type: "button", class: "side"}, `other side: step ${other + 1}`);
    side.onclick = () => go(other + 1);
    node.append(" ", side);
  } else if (turn >= 0 && fault.sites.length > 1) {
    node.append(" ", make("span", {class: "outside"}, outsideOf(fault)));
  }
  if (more.length > 0) node.append(make("details", {}, make("summary", {}, "Cause and fix"), ...more.map((text) => make("p", {}, text))));
  return node;
}

function buildFindings() {
  $("findings").className = run.faults.length === 0 ? "none" : "";
  $("findings").replaceChildren(...run.faults.map(findingNode));
  if (run.faults.length === 0) $("findings").append(make("li", {}, "The simulator found no fault in this run."));
}

function buildRun(index) {
  runIndex = index;
  ({subject, run} = runs[index]);
  $("run").value = String(index);
  splitIntoTurns();
  findUpdates();
  findRequests();
  findBands();
  const size = (list) => list.filter((n, i) => i === 0 || list.slice(i).some((m) => m > 1)).join(" × ");
  $("about").textContent = subject.about;
  $("facts").textContent = `Kernel ${run.kernel}: grid of ${size(run.grid)}, blocks of ${size(run.block)} threads; ` +
    `${run.model === "lock_step" ? "the lanes of a warp in lock step" : "independent threads"}; ` +
    `${run.scheduled ? "schedule of the program or command line, then " : ""}seed ${run.seed}.`;
  $("left-out").textContent = [run.leftOut, subject.leftOut].join(" ").trim();
  $("left-out").hidden = $("left-out").textContent === "";
  buildSource();
  buildThreads();
  buildMemory();
  buildFindings();
  $("step").max = turns.length;
  $("schedule-section").hidden = run.model === "lock_step" || run.schedule.length === 0;
}

function showSchedule(current) {
  const last = current.at(-1);
  const entries = run.schedule.slice(0, last ? last.entries : 0);
  const from = Math.max(0, entries.length - 400);
  $("schedule").textContent = entries.length === 0 ? "–" : (from > 0 ? "… " : "") + entries.slice(from).join(",");
}

/// While lanes of a warp spin in lock step: who does not run.
function heldSentence(state, current) {
  if (!current.some((step) => step.kind === SPIN)) return "";
  const held = run.shown.filter((thread, row) => warpOf(thread) === warpOf(current[0].thread) && state.threads[row].status === "held");
  if (held.length === 0) return "";
  const names = held.length === 1 ? nameOf(held[0]) : `${held.length} lanes of the warp`;
  return ` Meanwhile ${names} ${held.length === 1 ? "does" : "do"} not run.`;
}

function go(target) {
  position = Math.max(0, Math.min(turns.length, target));
  const state = stateAt(position), current = position === 0 ? [] : turns[position - 1];
  $("step").value = String(position);
  $("step").setAttribute("aria-valuetext", `step ${position} of ${turns.length}`);
  $("count").textContent = `step ${position} of ${turns.length}`;
  $("sentence").textContent = sentenceOf(current) + heldSentence(state, current);
  $("sentence").className = current.some((step) => step.fault >= 0) ? "race" : "";
  $("first").disabled = $("back").disabled = position === 0;
  $("last").disabled = $("forward").disabled = position === turns.length;
  showThreads(state, current);
  showMemory(state, current);
  showSource(state, current);
  showSchedule(current);
  drawTime();
  keepAddress();
  if (position === turns.length) pause();
}
