// The threads: a column each, in groups of a block and its warps, with the last action, the line, the value that it read
// last, and the status.
function buildThreads() {
  const width = Math.min(run.threadsPerBlock, 32, run.shown.length);
  const density = width <= 8 ? "roomy" : width <= 16 ? "medium" : "dense";
  threadNodes = [];
  const blocks = make("div", {class: `blocks ${density}`});
  let block, columns, warp = -1, last = -1;
  for (const thread of run.shown) {
    if (blockOf(thread) !== last) blocks.append(block = make("div", {class: "block"}));
    if (warpOf(thread) !== warp || blockOf(thread) !== last) {
      const number = Math.floor(indexOf(thread) / 32);
      const name = `Block ${inDimensions(blockOf(thread), run.grid)}${run.threadsPerBlock > 32 ? `, warp ${number}` : ""}`;
      columns = make("ol", {class: "columns", "aria-label": name});
      if (density === "dense") columns.style.gridTemplateColumns = "repeat(32, minmax(0, 1fr))";
      block.append(make("h3", {}, name), columns);
    }
    last = blockOf(thread), warp = warpOf(thread);
    const node = make("li", {class: "thread", "data-thread": thread}, make("span", {class: "name"}, String(indexOf(thread))),
      make("span", {class: "act"}), make("span", {class: "at"}), make("span", {class: "held"}));
    threadNodes.push(node);
    columns.append(node);
  }
  $("threads").replaceChildren(blocks);
  threadNodes.density = density;
}

const shortLabels = ["R", "W", "A", "bar", "warp", "F", "spin", "", "", "exit"];
const actions = ["read", "write", "atomic", "barrier", "warp", "fence", "spins", "", "", "exited"];
const statusTexts = {start: "has not started", barrier: "waits at the barrier", collective: "waits for its warp", spins: "waits for a change",
  exited: "has exited", runs: "runs", held: "does not run: its warp first runs the lanes that are behind"};

function labelOf(thread) {
  const kind = thread.step?.kind;
  if (thread.status === "exited") return threadNodes.density === "roomy" ? "exited" : "exit";
  if (kind === undefined) return "";
  if (thread.status === "held") return "held";
  return threadNodes.density === "roomy" ? actions[kind] : shortLabels[kind];
}

function showThreads(state, current) {
  const dense = threadNodes.density === "dense", roomy = threadNodes.density === "roomy";
  const racing = new Set();
  for (const step of current) {
    if (step.fault >= 0) racing.add(step.thread), racing.add(step.other);
  }
  const steps = new Set(current.filter((step) => step.kind < OPENED).map((step) => step.thread));
  state.threads.forEach((thread, row) => {
    const number = run.shown[row], node = threadNodes[row], label = labelOf(thread);
    node.children[1].textContent = dense && label.length > 1 ? label[0].toLowerCase() : label || "–";
    node.children[2].textContent = thread.line > 0 ? (dense ? thread.line : `:${thread.line}`) : "\u00a0";
    const held = thread.read === null || dense ? "" : thread.read[1];
    const brief = held.length > (roomy ? 9 : 5) ? `${held.slice(0, roomy ? 8 : 4)}…` : held;
    node.children[3].textContent = held === "" ? "\u00a0" : roomy && held.length <= 6 ? `holds ${held}` : brief;
    node.className = ["thread", waits(thread) ? "waits" : thread.status === "start" ? "" : thread.status, steps.has(number) ? "steps" : "",
      racing.has(number) ? "race" : ""].join(" ").trim();
    const title = `${nameOf(number)}: ${statusTexts[thread.status]}${thread.step ? `; last: ${deedOf(thread.step)}${place(thread.step)}` : ""}` +
      (thread.read ? `; last read ${thread.read[0]}: ${thread.read[1]}` : "");
    node.title = title;
    node.setAttribute("aria-label", title);
  });
}
