// The source: the kernel's file, the line of the step, the lines on which other threads are, the lines of findings.
function buildSource() {
  $("files").replaceChildren(...run.files.filter((file) => data.sources[file]).map((file) => {
    const button = make("button", {type: "button", "data-file": file}, file);
    button.onclick = () => showFile(file);
    return button;
  }));
  shownFile = "";
  showFile(data.sources[run.file] ? run.file : run.files.find((file) => data.sources[file]) ?? "");
}

function showFile(file) {
  if (file === shownFile || !data.sources[file]) return;
  shownFile = file;
  const faulty = new Set(run.faults.flatMap((fault) => fault.sites.filter((s) => s[0] === file).map((s) => s[1])));
  const lines = data.sources[file].replace(/\n$/, "").split("\n");
  $("source").replaceChildren(...lines.map((text, i) => make("div",
    {class: faulty.has(i + 1) ? "line fault" : "line", "data-line": i + 1},
    make("span", {class: "number"}, String(i + 1)), make("span", {class: "who"}), make("span", {class: "text"}, text))));
  for (const button of $("files").children) button.setAttribute("aria-pressed", button.dataset.file === file);
  $("source").scrollTop = 0;
  scrollToLine(file === run.file ? run.line + 6 : 1);
}

function scrollToLine(line) {
  const node = $("source").children[line - 1];
  if (!node) return;
  const box = $("source"), margin = box.clientHeight / 5;
  if (node.offsetTop < box.scrollTop + margin / 2) box.scrollTop = node.offsetTop - margin;
  if (node.offsetTop > box.scrollTop + box.clientHeight - margin) {
    box.scrollTop = node.offsetTop - box.clientHeight + margin + node.offsetHeight;
  }
}

function showSource(state, current) {
  const step = current.find((one) => one.kind < OPENED) ?? current.find((one) => one.kind === EXITED);
  const file = step && step.file >= 0 ? run.files[step.file] : "";
  if (file !== "" && data.sources[file]) showFile(file);
  const threadsOn = new Map();
  state.threads.forEach((thread, number) => {
    if (thread.status === "exited" || thread.file < 0 || run.files[thread.file] !== shownFile) return;
    threadsOn.set(thread.line, [...(threadsOn.get(thread.line) ?? []), number]);
  });
  const isRace = current.some((one) => one.fault >= 0);
  for (const node of $("source").children) {
    const line = Number(node.dataset.line), here = step !== undefined && file === shownFile && step.line === line;
    const threads = threadsOn.get(line) ?? [];
    node.children[1].textContent = threads.length === 0 ? "" : threads.length > 1 ? `${threads.length}×` : `t${threads[0]}`;
    node.children[1].title = threads.length === 0 ? "" : `threads ${rangesOf(threads)} of the grid`;
    node.classList.toggle("here", here);
    node.classList.toggle("race", here && isRace);
  }
  if (step) scrollToLine(step.line);
}
