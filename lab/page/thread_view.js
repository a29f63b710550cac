// The threads: a column each, in groups of a block and its warps, with the last action, the line and the status.
function buildThreads() {
  const width = Math.min(run.threadsPerBlock, 32, run.shownThreads);
  const density = width <= 8 ? "roomy" : width <= 16 ? "medium" : "dense";
  threadNodes = [];
  const blocks = make("div", {class: `blocks ${density}`});
  for (let start = 0; start < run.shownThreads; start += run.threadsPerBlock) {
    const block = make("div", {class: "block"});
    const end = Math.min(start + run.threadsPerBlock, run.shownThreads);
    for (let warp = start; warp < end; warp += 32) {
      const number = (warp - start) / 32;
      const name = `Block ${blockOf(start)}${run.threadsPerBlock > 32 || number > 0 ? `, warp ${number}` : ""}`;
      const columns = make("ol", {class: "columns", "aria-label": name});
      for (let thread = warp; thread < Math.min(warp + 32, end); ++thread) {
        const node = make("li", {class: "thread", "data-thread": thread}, make("span", {class: "name"}, String(indexOf(thread))),
          make("span", {class: "act"}), make("span", {class: "at"}));
        threadNodes.push(node);
        columns.append(node);
      }
      if (density === "dense") columns.style.gridTemplateColumns = "repeat(32, minmax(0, 1fr))";
      block.append(make("h3", {}, name), columns);
    }
    blocks.append(block);
  }
  $("threads").replaceChildren(blocks);
  threadNodes.density = density;
}

const shortLabels = ["R", "W", "A", "bar", "warp", "F", "spin", "", "", "exit"];
const actions = ["read", "write", "atomic", "barrier", "warp", "fence", "spins", "", "", "exited"];

function showThreads(state, current) {
  const dense = threadNodes.density === "dense", roomy = threadNodes.density === "roomy";
  const racing = new Set();
  for (const step of current) {
    if (step.fault >= 0) racing.add(step.thread), racing.add(step.other);
  }
  const steps = new Set(current.filter((step) => step.kind < OPENED).map((step) => step.thread));
  state.threads.forEach((thread, number) => {
    const node = threadNodes[number];
    const kind = thread.step?.kind;
    const label = kind === undefined ? "" : (roomy ? actions[kind] : shortLabels[kind]);
    node.children[1].textContent = dense && label.length > 1 ? label[0].toLowerCase() : label || "–";
    node.children[2].textContent = thread.line > 0 ? (dense ? thread.line : `:${thread.line}`) : "\u00a0";
    node.className = ["thread", waits(thread) ? "waits" : thread.status === "start" ? "" : thread.status, steps.has(number) ? "steps" : "",
      racing.has(number) ? "race" : ""].join(" ").trim();
    const status = {start: "has not started", barrier: "waits at the barrier", collective: "waits for its warp",
      spins: "waits for a change", exited: "has exited", runs: "runs"}[thread.status];
    const title = `${nameOf(number)}: ${status}${thread.step ? `; last: ${deedOf(thread.step)}${place(thread.step)}` : ""}`;
    node.title = title;
    node.setAttribute("aria-label", title);
  });
}
