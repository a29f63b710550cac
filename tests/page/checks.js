// Appended to a page by browser_test.py: steps through its runs and writes faults into the document.
"use strict";
const milliseconds = performance.now();
const faults = [];
const check = (holds, text) => holds || faults.includes(text) || faults.push(text);
const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
const snapshot = () => ["threads", "memory", "sentence", "count"].map((id) => $(id).textContent + [...$(id).querySelectorAll("[class]")]
  .filter((node) => !node.closest("svg")).map((node) => node.className).join()).join("\n");
const box = (node) => node.getBoundingClientRect();
const apart = (a, b) => a.right <= b.left + 0.5 || b.right <= a.left + 0.5 || a.bottom <= b.top + 0.5 || b.bottom <= a.top + 0.5;

function checkLayout(where) {
  const width = document.documentElement.clientWidth;
  check(document.documentElement.scrollWidth <= width, `${where}: scrolls horizontally: ${document.documentElement.scrollWidth} > ${width}`);
  if (width < 1200 && run.arrays.length > 0) {
    const from = box($("source")).top, to = box($("memory").querySelector(".rows")).bottom;
    check(to - from < 1000, `${where}: source and memory are ${Math.round(to - from)} pixels apart`);
  }
  for (const selector of ["main section", ".block", ".array", ".columns > .thread", ".buttons > button"]) {
    const boxes = [...document.querySelectorAll(selector)].map(box).filter((one) => one.width > 0);
    for (let i = 0; i < boxes.length; ++i) {
      for (let j = i + 1; j < boxes.length; ++j) check(apart(boxes[i], boxes[j]), `${where}: ${selector} overlap`);
    }
  }
  for (const node of document.querySelectorAll(".thread, .cell, button, .line .number, h1, h2, h3, p, select")) {
    const rectangle = box(node);
    if (rectangle.width === 0) continue;
    check(node.closest("#source") || node.closest(".rows") || (rectangle.left >= -0.5 && rectangle.right <= width + 0.5), `${where}: ${node.className || node.tagName} leaves the page`);
  }
  for (const node of document.querySelectorAll(".thread .act, .thread .at, .thread .name")) {
    check(node.scrollWidth <= node.parentNode.clientWidth + 1, `${where}: text of a thread is cut: ${node.textContent}`);
  }
}

function checkNames() {
  for (const node of document.querySelectorAll("button, input, select, canvas[role=img]")) {
    const label = node.getAttribute("aria-label") || node.textContent.trim() || node.labels?.[0]?.textContent.trim();
    check(label, `no name: ${node.outerHTML.slice(0, 60)}`);
  }
  check(document.documentElement.lang === "en", "no language");
  check($("sentence").getAttribute("aria-live") === "polite", "the sentence is not live");
  for (const node of document.querySelectorAll(".thread")) check(node.getAttribute("aria-label"), "a thread has no label");
}

function checkSteps(where) {
  press("Home");
  check($("count").textContent === `step 0 of ${turns.length}`, `${where}: Home`);
  check($("back").disabled && !$("forward").disabled, `${where}: buttons at the start`);
  const samples = runs.length > 20 ? 8 : 40;  // each costs two layouts of the page, in all runs of a page
  const stride = Math.max(1, Math.floor(turns.length / samples)), seen = [];
  for (let i = 0; i <= turns.length; i += stride) seen.push([i, (go(i), snapshot())]);
  for (const [i, text] of seen.reverse()) check((go(i), snapshot()) === text, `${where}: step ${i} differs on the way back`);
  press("ArrowRight");
  check(position === 1 && $("sentence").textContent.length > 10, `${where}: ArrowRight`);
  press("ArrowLeft");
  check(position === 0, `${where}: ArrowLeft`);
  press("PageDown");
  check(position === Math.min(10, turns.length), `${where}: PageDown`);
  $("forward").click();
  $("back").click();
  $("step").value = "2";
  $("step").dispatchEvent(new Event("input"));
  check(position === Math.min(2, turns.length), `${where}: slider`);
  press("End");
  check(position === turns.length && $("forward").disabled, `${where}: End`);
  press("Home");
  press(" ");
  check($("play").getAttribute("aria-pressed") === "true", `${where}: space plays`);
  press(" ");
  check($("play").getAttribute("aria-pressed") === "false", `${where}: space pauses`);
}

function checkFindings(where) {
  const races = run.faults.map((fault, i) => [fault, i]).filter(([fault]) => fault.kind === "data_race");
  for (const [fault, i] of races) {
    const node = $("findings").children[i], button = node.querySelector(".lead");
    if (button.disabled) continue;
    const side = node.querySelector(".side");
    if (side) {
      side.click();
      const other = turns[position - 1].find((step) => step.thread === fault.sites[1][2]);
      check(other && run.files[other.file] === fault.sites[1][0] && other.line === fault.sites[1][1], `${where}: the other side is elsewhere`);
    }
    button.click();
    const step = turns[position - 1].find((one) => one.fault === i && one.thread === fault.sites[0][2]);
    check(step && run.files[step.file] === fault.sites[0][0] && step.line === fault.sites[0][1], `${where}: the finding leads elsewhere`);
    const details = node.querySelector("details");
    check(!details || !details.open, `${where}: the cause is not behind a click`);
    details?.querySelector("summary").click();
    check(!details || (details.open && details.textContent.includes("Cause") || details.textContent.includes("Fix")), `${where}: no cause`);
    check($("sentence").textContent.includes("data race"), `${where}: the sentence names no race`);
    check(document.querySelector(".cell.race") && document.querySelector(".thread.race"), `${where}: no race in red`);
    check(document.querySelector(".line.fault"), `${where}: no line of a finding`);
    check(getComputedStyle(document.querySelector(".cell.race")).borderTopColor === getComputedStyle($("sentence")).color, `${where}: the race has another colour`);
  }
}

/// No key that steps chooses another run, wherever the focus is.
function checkFocus(where) {
  for (const id of ["run", "step", "play", "whole", "source"]) {
    $(id).focus();
    const before = runIndex;
    for (const key of ["Home", "ArrowRight", "ArrowRight", "ArrowLeft", "PageDown", "PageUp"]) {
      const event = new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true});
      $(id).dispatchEvent(event);
      check(event.defaultPrevented || (id === "source" && !key.startsWith("Arrow")), `${where}: ${key} on ${id} is left to the browser`);
    }
    check(runIndex === before && $("run").value === String(before), `${where}: the keys on ${id} change the run`);
  }
  document.activeElement.blur();
}

/// What is folded can be unfolded: line by line the file is there.
function checkSource(where) {
  const lines = data.sources[shownFile].replace(/\n$/, "").split("\n");
  const header = $("source").querySelector(".fold");
  check(lines.length < 8 || header, `${where}: nothing is folded`);
  $("whole").click();
  check($("source").querySelectorAll(".line").length === lines.length, `${where}: the whole file is not there`);
  $("whole").click();
  $("source").querySelector(".fold")?.click();
  const shown = [...$("source").querySelectorAll(".line")];
  check(shown.every((node) => node.querySelector(".text").textContent === lines[node.dataset.line - 1]), `${where}: lines differ from the file`);
  buildSource();
}

function words() {
  const all = {};
  for (const cell of document.querySelectorAll(".cell")) {
    const name = `${run.arrays[cell.dataset.array].name}[${cell.dataset.index}]`;
    all[name] ??= cell.querySelector(".value").textContent;
  }
  return all;
}

function report(results) {
  document.body.append(make("pre", {id: "results"}, JSON.stringify(results)));
}
window.onerror = (message, file, line) => report({faults: [...faults, `${message} (line ${line})`]});

let first;
runs.forEach((_, index) => {
  select(index, 0);
  const where = `${subject.name}, ${run.title}`;
  checkNames();
  check(document.querySelectorAll(".thread").length === run.shown.length, `${where}: threads`);
  check(document.querySelectorAll("#source .line").length > 0, `${where}: no source`);
  checkSource(where);
  check(turns.length > 0 && Number($("step").max) === turns.length, `${where}: no steps`);
  checkSteps(where);
  go(turns.length);
  first ??= words();
  for (const part of [0, 0.3, 0.7, 1]) go(Math.floor(part * turns.length)), checkLayout(`${where}, step ${position}`);
  checkFindings(where);
  if (index === 0) checkFocus(where);
});
if (typeof checkKernels === "function") checkKernels();
report({faults: faults.slice(0, 20), milliseconds, words: first, steps: runs.reduce((n, one) => n + one.run.steps.length, 0)});
