// Buttons, keys, the choice of a run; starts the page. The last file of the script.
function pause() {
  clearInterval(timer);
  timer = 0;
  $("play").textContent = "Play";
  $("play").setAttribute("aria-pressed", "false");
}

function play() {
  if (timer !== 0) return pause();
  if (position === turns.length) go(0);
  timer = setInterval(() => go(position + 1), Math.max(80, Math.min(700, 20000 / turns.length)));
  $("play").textContent = "Pause";
  $("play").setAttribute("aria-pressed", "true");
}

/// The keys step wherever the focus is, but for the source, which they scroll; in the list of runs they would choose
/// another run.
function onKey(event) {
  const target = event.target;
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const scrolls = target.id === "source";
  const moves = {ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity};
  if (event.key === "f" && !$("finding").hidden) goToFinding();
  else if (event.key === " " && !["BUTTON", "SELECT", "SUMMARY"].includes(target.tagName)) play();
  else if (event.key in moves && !(scrolls && event.key !== "ArrowRight" && event.key !== "ArrowLeft")) go(position + moves[event.key]);
  else return;
  event.preventDefault();
}

/// The address names run and step, so that a step can be linked. Browsers limit how often it may change.
let addressTimer = 0;
const address = () => `#${runIndex + 1},${position}`;
function keepAddress() {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => location.hash !== address() && history.replaceState(null, "", address()), 200);
}

function followAddress() {
  if (location.hash === address() && turns) return;
  const [number, step = ""] = location.hash.slice(1).split(",");
  const within = (text, first, last) => /^\d+$/.test(text) && Number(text) >= first && Number(text) <= last;
  select(/^\d+$/.test(number) ? Number(number) - 1 : 0, /^\d+$/.test(step) ? Number(step) : 0);
  const notes = [];
  if (number !== "" && !within(number, 1, runs.length)) notes.push(`The address names run ${number}: there are runs 1 to ${runs.length}.`);
  if (step !== "" && !within(step, 0, turns.length)) notes.push(`The address names step ${step}: run ${runIndex + 1} has steps 0 to ${turns.length}.`);
  $("note").textContent = notes.join(" ");
  $("note").hidden = notes.length === 0;
}

/// Leads to the next step of a finding, in this run or the next one with findings.
function goToFinding() {
  const after = (from) => run.faults.map((_, number) => turnOfFinding(number) + 1).filter((turn) => turn > from);
  for (let i = 0; i <= runs.length; ++i) {
    const index = (runIndex + i) % runs.length;
    if (runs[index].run.faults.length === 0) continue;
    if (i > 0) select(index, 0);
    const found = after(i > 0 ? 0 : position);
    if (found.length > 0) return go(Math.min(...found));
  }
}

function select(index, step) {
  pause();
  $("note").hidden = true;
  buildRun(Math.max(0, Math.min(runs.length - 1, index)));
  view.first = 0;
  go(step);
}

function start() {
  for (const one of data.subjects) {
    const group = make("optgroup", {label: one.name});
    for (const [index, entry] of runs.entries()) {
      if (entry.subject === one) group.append(make("option", {value: index}, entry.run.title));
    }
    $("run").append(group);
  }
  $("command").textContent = data.command;
  if (runs.length === 0) return showNothing();
  $("run").onchange = () => (select(Number($("run").value), 0), $("run").blur());
  $("whole").onclick = toggleWhole;
  $("first").onclick = () => go(0);
  $("back").onclick = () => go(position - 1);
  $("forward").onclick = () => go(position + 1);
  $("last").onclick = () => go(turns.length);
  $("play").onclick = play;
  $("finding").onclick = goToFinding;
  $("finding").hidden = runs.every((one) => one.run.faults.length === 0);
  $("step").oninput = () => go(Number($("step").value));
  $("time").onclick = (event) => {
    const turn = view.first + Math.floor((event.offsetX - view.left) / view.column);
    if (turn >= 0) go(turn + 1);
  };
  document.addEventListener("keydown", onKey);
  window.addEventListener("resize", () => (buildMemory(), go(position)));
  window.addEventListener("hashchange", followAddress);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (buildLegend(), drawTime()));
  buildLegend();
  followAddress();
}

/// A program that has launched nothing, or nothing that was asked for.
function showNothing() {
  $("about").textContent = data.subjects.map((one) => one.about).join(" ");
  $("left-out").textContent = data.subjects.map((one) => one.leftOut).join(" ");
  $("left-out").hidden = false;
  for (const node of document.querySelectorAll(".controls, main, .choice")) node.hidden = true;
}

start();
