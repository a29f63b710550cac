// One run at one position: builds the page of a run, and shows a position in all of its parts.
function buildFindings() {
  $("findings").className = run.faults.length === 0 ? "none" : "";
  $("findings").replaceChildren(...run.faults.map((fault, number) => {
    const turn = turns.findIndex((steps) => steps.some((step) => step.fault === number));
    const button = make("button", {type: "button"}, fault.text);
    button.disabled = turn < 0;
    button.onclick = () => go(turn + 1);
    return make("li", {}, button);
  }));
  if (run.faults.length === 0) $("findings").append(make("li", {}, "The simulator found no fault in this run."));
}

function buildRun(index) {
  ({subject, run} = runs[index]);
  $("run").value = String(index);
  splitIntoTurns();
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
  $("schedule-section").hidden = run.model === "lock_step";
}

function showSchedule(current) {
  const last = current.at(-1);
  const entries = run.schedule.slice(0, last ? last.entries : 0);
  const from = Math.max(0, entries.length - 400);
  $("schedule").textContent = entries.length === 0 ? "–" : (from > 0 ? "… " : "") + entries.slice(from).join(",");
}

function go(target) {
  position = Math.max(0, Math.min(turns.length, target));
  const state = stateAt(position), current = position === 0 ? [] : turns[position - 1];
  $("step").value = String(position);
  $("step").setAttribute("aria-valuetext", `step ${position} of ${turns.length}`);
  $("count").textContent = `step ${position} of ${turns.length}`;
  $("sentence").textContent = sentenceOf(current);
  $("sentence").className = current.some((step) => step.fault >= 0) ? "race" : "";
  $("first").disabled = $("back").disabled = position === 0;
  $("last").disabled = $("forward").disabled = position === turns.length;
  showThreads(state, current);
  showMemory(state, current);
  showSource(state, current);
  showSchedule(current);
  drawTime();
  if (position === turns.length) pause();
}
