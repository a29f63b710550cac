// The stepper: shows one run of the simulator at one of its steps. The data are those of lab/html_json.cpp.
// Position p is the state after p turns; a turn is a step of one thread, or of several lanes of a warp in lock step.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const READ = 0, WRITE = 1, ATOMIC = 2, BARRIER = 3, COLLECTIVE = 4, FENCE = 5, SPIN = 6, OPENED = 7, COMPLETED = 8,
  EXITED = 9;
const runs = data.subjects.flatMap((subject) => subject.runs.map((run) => ({subject, run})));
let subject, run, turns, bands, position = 0, timer = 0, shownFile = "", threadNodes = [], cellNodes = [];

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// Names

const blockOf = (thread) => Math.floor(thread / run.threadsPerBlock);
const indexOf = (thread) => thread % run.threadsPerBlock;
const nameOf = (thread) => `thread ${indexOf(thread)} of block ${blockOf(thread)}`;
const place = (step) => step.file < 0 ? "" : ` (${run.files[step.file]}:${step.line})`;
const shown = (value) => value === null ? "unwritten" : value;

function rangesOf(numbers) {
  const parts = [];
  for (let i = 0; i < numbers.length;) {
    let j = i;
    while (j + 1 < numbers.length && numbers[j + 1] === numbers[j] + 1) ++j;
    parts.push(j > i ? `${numbers[i]}–${numbers[j]}` : `${numbers[i]}`);
    i = j + 1;
  }
  return parts.length > 10 ? `${parts.slice(0, 9).join(", ")}, …, ${parts.at(-1)}` : parts.join(", ");
}

function wordOf(step) {
  const array = run.arrays[step.array];
  const last = step.first + step.count - 1;
  return `${array.name}[${step.first}${step.count > 1 ? `–${last}` : ""}]`;
}

function valuesOf(step) {
  const before = step.before.map(shown).join(", "), after = step.after.map(shown).join(", ");
  if (step.kind === READ) return before;
  return before === after ? `stays ${after}` : `${before} → ${after}`;
}

function deedOf(step) {
  if (step.array >= 0) {
    const verb = step.action === "read" ? "reads" : step.action === "write" ? "writes" : `does an ${step.action} on`;
    if (step.kind === SPIN) return `waits for a change of ${wordOf(step)}: ${shown(step.before[0])}`;
    return `${verb} ${wordOf(step)}: ${valuesOf(step)}`;
  }
  switch (step.kind) {
    case BARRIER: return `arrives at ${step.action}`;
    case COLLECTIVE: return `calls ${step.action}`;
    case FENCE: return `executes ${step.action}`;
    default: return "exits";
  }
}

// The recorded steps as objects, by turns

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

// Building the page of a run

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

function buildMemory() {
  cellNodes = run.arrays.map(() => []);
  const boxes = run.arrays.map((array, number) => {
    const where = array.space === "shared" ? `shared, block ${array.block}` : "global";
    const name = `${array.name} (${where}${array.type ? `, ${array.type}` : ""})`;
    const cells = make("ol", {class: "cells", "aria-label": name});
    array.values.forEach((_, i) => {
      const node = make("li", {class: "cell", "data-array": number, "data-index": i}, make("span", {class: "index"}, String(i)),
        make("span", {class: "value"}));
      cellNodes[number].push(node);
      cells.append(node);
    });
    const box = make("div", {class: "array"}, make("h3", {}, name), cells);
    if (array.count > array.values.length) {
      box.append(make("p", {class: "more"}, `and ${array.count - array.values.length} more words that no shown step uses`));
    }
    return box;
  });
  $("memory").replaceChildren(make("div", {class: "arrays"}, ...boxes));
}

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

// Showing a position

const letters = ["R", "W", "A", "bar", "warp", "F", "spin", "", "", "exit"];
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
    const label = kind === undefined ? "" : (roomy ? actions[kind] : letters[kind]);
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

function showMemory(state, current) {
  const marks = new Map();
  for (const step of current) {
    if (step.array < 0) continue;
    for (let i = 0; i < step.count; ++i) {
      const mark = step.fault >= 0 ? " race" : step.kind === READ || step.kind === SPIN ? " read" : " written";
      marks.set(`${step.array},${step.first + i}`, mark);
    }
  }
  cellNodes.forEach((cells, array) => cells.forEach((node, i) => {
    const value = state.memory[array][i], key = `${array},${i}`;
    const text = value === null ? "·" : value;
    if (node.children[1].textContent !== text) node.children[1].textContent = text;
    node.className = `cell${value === null ? " unwritten" : ""}${state.raced.has(key) ? " raced" : ""}${marks.get(key) ?? ""}`;
  }));
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

function sentenceOf(current) {
  if (current.length === 0) return `Before the first step of ${run.kernel}.`;
  const steps = current.filter((step) => step.kind < OPENED);
  const exits = current.filter((step) => step.kind === EXITED);
  const parts = [];
  if (steps.length === 1) parts.push(`${nameOf(steps[0].thread)} ${deedOf(steps[0])}${place(steps[0])}`);
  if (steps.length > 1) {
    const lanes = rangesOf(steps.map((step) => indexOf(step.thread) % 32).sort((a, b) => a - b));
    const warp = Math.floor(indexOf(steps[0].thread) / 32);
    const space = steps[0].array >= 0 ? ` in ${run.arrays[steps[0].array].name}` : "";
    parts.push(`${steps.length} lanes of warp ${warp} of block ${blockOf(steps[0].thread)} (${lanes}): ${steps[0].action}${space}${place(steps[0])}`);
  }
  if (current.some((step) => step.kind === OPENED)) parts.push("the barrier opens");
  if (current.some((step) => step.kind === COMPLETED)) parts.push("the warp function completes");
  if (exits.length === 1) parts.push(steps.length === 1 ? "it exits" : `${nameOf(exits[0].thread)} exits`);
  if (exits.length > 1) parts.push(`${exits.length} threads exit`);
  const faulty = current.find((step) => step.fault >= 0);
  if (faulty) {
    const kind = run.faults[faulty.fault].kind.replaceAll("_", " ");
    parts.push(faulty.other >= 0 ? `${kind} with ${nameOf(faulty.other)}` : kind);
  }
  const text = parts.join("; ");
  return text.charAt(0).toUpperCase() + text.slice(1) + ".";
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

// The time line

function colours() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(["paper", "ink", "soft", "rule", "step", "step-fill", "wait", "wait-fill", "spin", "spin-fill",
    "atomic", "race", "done"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

function drawMark(pen, colour, mark, x, y, size) {
  const r = Math.max(2, size / 2 - 1);
  pen.lineWidth = 1.5;
  pen.fillStyle = pen.strokeStyle = mark === "atomic" || mark === "atomic without change" ? colour.atomic : mark === "barrier" ? colour.wait
    : mark === "warp function" ? colour.spin : mark === "exit" ? colour.done : mark === "fence" ? colour.ink : colour.step;
  pen.beginPath();
  if (mark === "read") pen.rect(x - r + 1, y - r + 1, 2 * r - 2, 2 * r - 2), pen.stroke();
  if (mark === "write") pen.fillRect(x - r, y - r, 2 * r, 2 * r);
  if (mark.startsWith("atomic")) {
    pen.moveTo(x, y - r), pen.lineTo(x + r, y), pen.lineTo(x, y + r), pen.lineTo(x - r, y), pen.closePath();
    if (mark === "atomic") pen.fill(); else pen.stroke();
  }
  if (mark === "barrier" || mark === "warp function") pen.fillRect(x - 1.5, y - r, 3, 2 * r);
  if (mark === "fence") pen.fillRect(x - r, y - 1, 2 * r, 2);
  if (mark === "exit") pen.moveTo(x - r, y - r), pen.lineTo(x + r, y + r), pen.moveTo(x + r, y - r), pen.lineTo(x - r, y + r), pen.stroke();
}

function markOf(step) {
  if (step.kind === ATOMIC) return String(step.before) === String(step.after) ? "atomic without change" : "atomic";
  return ["read", "write", "", "barrier", "warp function", "fence", "", "", "", "exit"][step.kind];
}

let view = {first: 0, columns: 1, column: 10, row: 14, left: 56};

function prepareCanvas(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale, canvas.height = height * scale;
  canvas.style.width = `${width}px`, canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  return pen;
}

function drawTime() {
  const width = $("time-box").clientWidth, rows = run.shownThreads;
  view.row = rows <= 16 ? 16 : rows <= 64 ? 11 : 8;
  view.column = Math.max(8, Math.min(22, Math.floor((width - view.left) / Math.max(1, turns.length))));
  view.columns = Math.max(1, Math.floor((width - view.left) / view.column));
  if (turns.length <= view.columns) view.first = 0;
  else if (position <= view.first || position > view.first + view.columns) {
    view.first = Math.max(0, Math.min(turns.length - view.columns, position - Math.ceil(view.columns / 3)));
  }
  const height = rows * view.row + 20, pen = prepareCanvas($("time"), width, height), colour = colours();
  const xOf = (turn) => view.left + (turn - view.first) * view.column + view.column / 2;
  const yOf = (thread) => 18 + thread * view.row + view.row / 2;
  const last = Math.min(turns.length, view.first + view.columns);
  pen.fillStyle = colour["step-fill"];
  if (position > view.first) pen.fillRect(xOf(position - 1) - view.column / 2, 0, view.column, height);
  pen.font = "10px ui-monospace, 'DejaVu Sans Mono', monospace";
  pen.textBaseline = "middle";
  pen.fillStyle = colour.soft;
  pen.fillText("turn", 4, 8);
  for (let turn = view.first; turn < last; ++turn) {
    if ((turn + 1) % 10 === 0) pen.fillText(String(turn + 1), xOf(turn) - 6, 8);
  }
  for (let thread = 0; thread < rows; ++thread) {
    const y = yOf(thread);
    if (view.row >= 11 || thread % 4 === 0) {
      pen.fillStyle = colour.soft;
      pen.fillText(`${blockOf(thread)}.${indexOf(thread)}`, 4, y);
    }
    pen.fillStyle = thread % run.threadsPerBlock === 0 ? colour.soft : colour.rule;
    pen.fillRect(0, Math.round(y - view.row / 2), width, thread % run.threadsPerBlock === 0 && thread > 0 ? 1 : 0.5);
    for (const [from, to, status] of bands[thread]) {
      const a = Math.max(from, view.first), b = Math.min(to, last);
      if (a >= b) continue;
      pen.fillStyle = colour[status === "waits" ? "wait-fill" : "spin-fill"];
      pen.fillRect(xOf(a), y - view.row / 2 + 1.5, (b - a) * view.column - view.column / 2, view.row - 3);
    }
  }
  for (let turn = view.first; turn < last; ++turn) {
    for (const step of turns[turn]) {
      const mark = markOf(step);
      if (!mark) continue;
      const x = xOf(turn), y = yOf(step.thread), size = Math.min(view.row - 2, view.column, 13);
      const joined = mark === "exit" && turns[turn].some((one) => one.thread === step.thread && one.kind < OPENED);
      drawMark(pen, colour, mark, joined ? x + view.column / 2 : x, y, joined ? size * 0.7 : size);
      if (step.fault >= 0) {
        pen.strokeStyle = colour.race;
        pen.lineWidth = 2;
        pen.strokeRect(x - size / 2 - 1, y - size / 2 - 1, size + 2, size + 2);
      }
    }
  }
}

function buildLegend() {
  const colour = colours();
  const entry = (text, draw) => {
    const canvas = make("canvas", {"aria-hidden": "true"});
    draw(prepareCanvas(canvas, 18, 18));
    return make("li", {}, canvas, text);
  };
  const marks = ["read", "write", "atomic", "atomic without change", "barrier", "warp function", "fence", "exit"];
  const band = (name) => (pen) => (pen.fillStyle = colour[name], pen.fillRect(0, 4, 18, 10));
  $("legend").replaceChildren(
    ...marks.map((mark) => entry(mark, (pen) => drawMark(pen, colour, mark, 9, 9, 13))),
    entry("waits", band("wait-fill")), entry("spins", band("spin-fill")),
    entry("finding", (pen) => (pen.strokeStyle = colour.race, pen.lineWidth = 2, pen.strokeRect(2, 2, 14, 14))));
}

// Controls

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
