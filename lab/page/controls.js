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

function onKey(event) {
  const target = event.target;
  if (event.ctrlKey || event.altKey || event.metaKey || target.tagName === "SELECT") return;
  const scrolls = target.id === "source";
  const moves = {ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity};
  if (event.key === " " && target.tagName !== "BUTTON") play();
  else if (event.key in moves && !(scrolls && event.key !== "ArrowRight" && event.key !== "ArrowLeft")) go(position + moves[event.key]);
  else return;
  event.preventDefault();
}

function select(index, step) {
  pause();
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
  $("run").onchange = () => select(Number($("run").value), 0);
  $("first").onclick = () => go(0);
  $("back").onclick = () => go(position - 1);
  $("forward").onclick = () => go(position + 1);
  $("last").onclick = () => go(turns.length);
  $("play").onclick = play;
  $("step").oninput = () => go(Number($("step").value));
  $("time").onclick = (event) => {
    const turn = view.first + Math.floor((event.offsetX - view.left) / view.column);
    if (turn >= 0) go(turn + 1);
  };
  document.addEventListener("keydown", onKey);
  window.addEventListener("resize", drawTime);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (buildLegend(), drawTime()));
  buildLegend();
  const [index, step] = location.hash.slice(1).split(",").map(Number);  // a page can be opened at a run and a step
  select(index || 0, step || 0);
}

start();
