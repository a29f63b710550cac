// Appended before checks.js to the page of own_kernels.cu: what it must show of a race, a tree, a bank conflict.
"use strict";
const turnWith = (holds) => turns.findIndex((steps) => steps.some(holds)) + 1;
const arrowCount = (kind) => document.querySelectorAll(kind).length;

/// At the size of the window: the element at the middle of a cell is the cell, so that it can be seen and clicked.
function clickAt(node) {
  node.scrollIntoView({block: "center"});
  const {left, top, width, height} = node.getBoundingClientRect();
  const target = document.elementFromPoint(left + width / 2, top + height / 2);
  check(target && (node.contains(target) || target.contains(node)), `hidden: ${node.outerHTML.slice(0, 60)}`);
  target?.click();
}

function checkRace() {
  select(0, 0);
  const {top, bottom} = $("finding").getBoundingClientRect();
  check(!$("finding").hidden && top >= 0 && bottom < innerHeight, "race: no way to the finding on the first screen");
  press("f");
  check(position === turnOfFinding(0) + 1 && $("sentence").classList.contains("race"), `race: f leads to step ${position}`);
  select(1, 0);
  $("finding").click();
  check(runIndex === 0 && position === turnOfFinding(0) + 1, `race: the button leads to run ${runIndex}, step ${position}`);
  const lost = turnWith((step) => step.lost);
  check(lost > 0, "race: no lost update");
  go(lost);
  const words = $("sentence").textContent;
  check(/holds 0, writes 1 to total\[0\]: the update by thread \d of block \d is lost/.test(words) || /holds \d+, writes \d+ to total\[0\]/.test(words), `race: ${words}`);
  const step = turns[lost - 1].find((one) => one.lost);
  check(run.model === "lock_step" || threadNodes[rows.get(step.thread)].querySelector(".held").textContent === `holds ${step.lost.held}`, "race: the value that the thread holds");
  check(Number(step.after[0]) === Number(step.lost.held) + 1, "race: holds one less than it writes");
  const lead = $("findings").querySelector(".lead");
  check(lead.textContent.includes("(total[0])"), `race: ${lead.textContent}`);
  clickAt(lead);
  check($("sentence").classList.contains("race"), "race: a click on the finding");
}

function checkTree() {
  select(1, 0);
  const sum = turnWith((step) => step.sources?.length === 2 && step.first === 0 && run.arrays[step.array].name === "partial" && step.after[0] === "276");
  go(sum);
  check(sum > 0 && arrowCount(".arrow:not(.head):not(.earlier)") >= 1, "tree: no arrow into partial[0]");
  const words = $("sentence").textContent;
  check(run.model === "lock_step" || (words.includes("partial[0]: ") && words.includes("and partial[1]: ")), `tree: ${words}`);
  const level = turnWith((step) => step.sources?.length === 2 && step.first === 3 && step.sources.some(([key]) => key.endsWith(",7")));
  const last = turns.findIndex((steps, i) => i >= level && steps.some((step) => step.kind === OPENED));
  go(last);
  check(arrowCount(".arrow:not(.head)") === 4, `tree: ${arrowCount(".arrow:not(.head)")} arrows of the level of 4`);
  go(turnWith((step) => step.array >= 0 && run.arrays[step.array].name === "partial"));
  check(arrowCount(".arrow") === 0, "tree: an arrow of a copy");
  const shared = run.arrays.findIndex((array) => array.name === "partial");
  const tops = new Set(cellNodes[shared].map((node) => node.offsetTop));
  check(tops.size === 2 && cellNodes[shared][32].offsetLeft === cellNodes[shared][0].offsetLeft, "tree: rows of 32 words");
}

function checkConflict() {
  select(2, 0);
  const isOf = (name, kind) => (step) => step.array >= 0 && run.arrays[step.array].name === name && step.kind === kind;
  go(turnWith(isOf("tile", READ)));
  check($("banks").textContent.includes("32 lanes of the warp read tile here: bank conflict of degree 8: 8 words in bank"), `conflict: ${$("banks").textContent}`);
  check(document.querySelectorAll(".cell.queued").length >= 31, "conflict: the words of the request");
  go(turnWith(isOf("tile", WRITE)));
  check($("banks").textContent.includes("no bank conflict"), `conflict: ${$("banks").textContent}`);
  const banks = [...document.querySelectorAll(".bank")].map((node) => node.textContent).join();
  const tile = $("memory").querySelector(".cells.shared").closest(".rows");
  check(tile.scrollWidth <= tile.clientWidth + 1, `conflict: 32 banks need ${tile.scrollWidth} px of ${tile.clientWidth}`);
  check(brief("-6.9451e+08", 4) === "-7e8" && brief("0.333333", 4) === ".333" && brief("1023", 4) === "1023" && brief("nan", 4) === "nan", "brief");
  check(banks.startsWith(Array.from({length: 32}, (_, i) => i).join()), `conflict: banks ${banks}`);
}

/// In lock step the lane with the lock does not run while the others spin.
function checkLock() {
  const taken = turnWith((step) => step.kind === ATOMIC && step.before[0] === "0" && step.after[0] === "1");
  const owner = turns[taken - 1].find((step) => step.after[0] === "1" && step.before[0] === "0").thread;
  go(turns.length);
  const node = threadNodes[rows.get(owner)];
  check(node.classList.contains("held") && node.title.includes("its warp first runs the lanes that are behind"), `lock: ${node.title}`);
  check($("sentence").textContent.includes(`Meanwhile ${nameOf(owner)} does not run.`), `lock: ${$("sentence").textContent}`);
  check(document.querySelectorAll(".thread.held").length === 1, "lock: one lane is held back");
}

/// Blocks 3 and 5 race after thousands of steps of all.
function checkLateRace() {
  check($("left-out").textContent.includes("steps of all threads before those around the first finding"), "late race: what is left out");
  check(stateAt(0).threads.filter((thread) => thread.status !== "start").length > 100, "late race: where the threads are at first");
  const lead = $("findings").querySelector(".lead");
  clickAt(lead);
  check(position > 1 && $("sentence").textContent.includes("words[900]"), `late race: step ${position}: ${$("sentence").textContent}`);
}

/// The other side of the finding is thousands of steps before those that are shown.
function checkEarlySide() {
  const text = $("findings").textContent, number = /other side: not shown, step (\d+) of those left out before the first/.exec(text);
  check(number && Number(number[1]) > 0 && Number(number[1]) < 5000, `early side: ${text}`);
}

/// An access to no array is a step too, and its finding leads to it.
function checkOutside() {
  clickAt($("findings").querySelector(".lead"));
  check(position === 1 && $("sentence").textContent.includes("writes outside of its array"), `outside: ${$("sentence").textContent}`);
}

function checkAddress() {
  location.hash = "#2,12";
  followAddress();
  check($("note").hidden && runIndex === 1 && position === 12, `address: run ${runIndex}, step ${position}`);
  press("ArrowRight");
  history.replaceState(null, "", address());
  check(location.hash === "#2,13", `address: ${location.hash}`);
  location.hash = "#9,99999";
  followAddress();
  check(runIndex === runs.length - 1 && position === turns.length, `address: run ${runIndex}, step ${position}`);
  check(!$("note").hidden && $("note").textContent.includes("runs 1 to 3") && /has steps 0 to \d+/.test($("note").textContent), `address: ${$("note").textContent}`);
  location.hash = "#0,1";
  followAddress();
  check(runIndex === 0 && $("note").textContent.includes("names run 0"), `address: ${$("note").textContent}`);
}

function checkKernels() {
  if (run.kernel === "lock_of_a_warp") return checkLock();
  if (run.kernel === "late_race") return checkLateRace();
  if (run.kernel === "early_side") return checkEarlySide();
  if (run.kernel === "beyond") return checkOutside();
  checkRace();
  checkTree();
  checkConflict();
  checkAddress();
}
