// The source: the functions that the run's steps and findings are in, the rest folded; the line of the step, the lines on
// which other threads are, the lines of findings.
let unfolded = new Set();  // files that are shown whole

/// Returns the text with directives, comments, strings and characters blanked, line breaks kept.
function codeOf(text) {
  const code = text.replace(/^[ \t]*#(?:[^\n\\]|\\[^])*/gm, (part) => part.replace(/[^\n]/g, " "));
  return code.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'/g, (part) => part.replace(/[^\n]/g, " "));
}

/// Returns the first and last line of each function, class and declaration outside of others; namespaces are no others.
function itemsOf(text) {
  const items = [];
  let depth = 0, parentheses = 0, first = 0, head = "";
  codeOf(text).split("\n").forEach((line, i) => {
    for (const c of line) {
      if (first === 0 && /\S/.test(c) && c !== "}") first = i + 1, head = "";
      if (depth === 0) head += c;
      if (c === "(") ++parentheses;
      if (c === ")") --parentheses;
      if (c === "{" && parentheses === 0) {
        if (depth === 0 && /^\s*(inline\s+)?(namespace\b|extern\s+"?)/.test(head) && !/[()=]/.test(head)) first = 0;
        else ++depth;
      } else if (c === "}" && parentheses === 0 && depth > 0 && --depth === 0) {
        items.push([first, i + 1]);
        first = 0;
      } else if (c === ";" && depth === 0 && first > 0) {
        items.push([first, i + 1]);
        first = 0;
      }
    }
    if (depth === 0 && first > 0) head += "\n";
  });
  return items;
}

/// Returns the lines of a file that the run needs: whole functions with steps or findings in them, and the kernel.
function neededLines(file) {
  const text = data.sources[file], number = run.files.indexOf(file);
  const wanted = new Set(run.steps.filter((row) => row[4] === number).map((row) => row[5]));
  if (file === run.file) wanted.add(run.line);
  for (const fault of run.faults) for (const site of fault.sites) if (site[0] === file) wanted.add(site[1]);
  const needed = new Set(wanted);
  for (const [first, last] of itemsOf(text)) {
    if (![...wanted].some((line) => line >= first && line <= last)) continue;
    for (let line = first; line <= last; ++line) needed.add(line);
  }
  return needed;
}

function buildSource() {
  $("files").replaceChildren(...run.files.filter((file) => data.sources[file]).map((file) => {
    const button = make("button", {type: "button", "data-file": file}, file);
    button.onclick = () => showFile(file);
    return button;
  }));
  shownFile = "";
  $("source").replaceChildren(make("p", {class: "more"}, "The source of this kernel is not at hand."));
  showFile(data.sources[run.file] ? run.file : run.files.find((file) => data.sources[file]) ?? "");
}

function lineNode(text, number, faulty) {
  return make("div", {class: faulty.has(number) ? "line fault" : "line", "data-line": number},
    make("span", {class: "number"}, String(number)), make("span", {class: "who"}), make("span", {class: "text"}, text));
}

/// A stretch of lines that are folded behind a button.
function foldNode(lines, first, faulty) {
  const words = lines.find((text) => /\w/.test(text))?.trim() ?? "";
  const button = make("button", {type: "button", class: "fold", "aria-expanded": "false"},
    `${plural(lines.length, "line")}${words ? `: ${words.length > 60 ? `${words.slice(0, 60)}…` : words}` : ""}`);
  button.onclick = () => button.replaceWith(...lines.map((text, i) => lineNode(text, first + i, faulty)));
  return button;
}

function showFile(file) {
  if (file === shownFile || !data.sources[file]) return;
  shownFile = file;
  const faulty = new Set(run.faults.flatMap((fault) => fault.sites.filter((s) => s[0] === file).map((s) => s[1])));
  const lines = data.sources[file].replace(/\r/g, "").replace(/\n$/, "").split("\n");
  const needed = unfolded.has(file) ? null : neededLines(file), nodes = [];
  for (let i = 0; i < lines.length;) {
    let end = i + 1;
    const isNeeded = (line) => needed === null || needed.has(line);
    while (end < lines.length && isNeeded(end + 1) === isNeeded(i + 1)) ++end;
    const stretch = lines.slice(i, end);
    if (isNeeded(i + 1) || stretch.length < 2) stretch.forEach((text, j) => nodes.push(lineNode(text, i + j + 1, faulty)));
    else nodes.push(foldNode(stretch, i + 1, faulty));
    i = end;
  }
  $("source").replaceChildren(...nodes);
  for (const button of $("files").children) button.setAttribute("aria-pressed", button.dataset.file === file);
  $("whole").setAttribute("aria-pressed", unfolded.has(file));
  $("source").scrollTop = 0;
  scrollToLine(file === run.file ? run.line : 1);
}

function toggleWhole() {
  unfolded.has(shownFile) ? unfolded.delete(shownFile) : unfolded.add(shownFile);
  const file = shownFile;
  shownFile = "";
  showFile(file);
  go(position);
}

function scrollToLine(line) {
  const node = $("source").querySelector(`[data-line="${line}"]`);
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
  state.threads.forEach((thread, row) => {
    if (thread.status === "exited" || thread.file < 0 || run.files[thread.file] !== shownFile) return;
    threadsOn.set(thread.line, [...(threadsOn.get(thread.line) ?? []), run.shown[row]]);
  });
  const isRace = current.some((one) => one.fault >= 0);
  for (const node of $("source").querySelectorAll(".line")) {
    const line = Number(node.dataset.line), here = step !== undefined && file === shownFile && step.line === line;
    const threads = threadsOn.get(line) ?? [];
    node.children[1].textContent = threads.length === 0 ? "" : threads.length > 1 ? `${threads.length}×` : `t${indexOf(threads[0])}`;
    node.children[1].title = threads.length === 0 ? "" : threads.length === 1 ? nameOf(threads[0]) : `threads ${rangesOf(threads)} of the grid`;
    node.classList.toggle("here", here);
    node.classList.toggle("race", here && isRace);
  }
  if (step) scrollToLine(step.line);
}
