// The words for a step: constants of the page's data, names of threads and words, sentences.
//
// The data are those of simt/page/json.cpp. The page's script is the files of this folder one after the other, in the
// order of simt/page/page.cpp.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const READ = 0, WRITE = 1, ATOMIC = 2, BARRIER = 3, COLLECTIVE = 4, FENCE = 5, SPIN = 6, OPENED = 7, COMPLETED = 8,
  EXITED = 9;
const runs = data.subjects.flatMap((subject) => subject.runs.map((run) => ({subject, run})));
let subject, run, runIndex = 0, turns, bands, position = 0, timer = 0, shownFile = "", threadNodes = [], cellNodes = [];
let rows = new Map();  // of the shown threads, by their numbers in the grid

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const blockOf = (thread) => Math.floor(thread / run.threadsPerBlock);
const indexOf = (thread) => thread % run.threadsPerBlock;
function inDimensions(number, [x, y, z]) {
  const parts = [number % x, Math.floor(number / x) % y, Math.floor(number / x / y)];
  return parts.slice(0, z > 1 ? 3 : y > 1 ? 2 : 1).join(",");
}
const nameOf = (thread) => `thread ${inDimensions(indexOf(thread), run.block)} of block ${inDimensions(blockOf(thread), run.grid)}`;
const keyOf = (step, i = 0) => `${step.array},${step.first + i}`;
const nameOfKey = (key) => ((array, index) => `${run.arrays[array].name}[${index}]`)(...key.split(","));
const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const place = (step) => step.file < 0 ? "" : ` (${run.files[step.file]}:${step.line})`;
const shown = (value) => value === null ? "unwritten" : value === false ? "not known" : value;

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

/// What a write does with what its thread has read: the update of another thread is lost, or words are combined.
function effectOf(step) {
  const value = step.after.map(shown).join(", ");
  if (step.lost) return `holds ${shown(step.lost.held)}, writes ${value} to ${wordOf(step)}: the update by ${nameOf(step.lost.thread)} is lost`;
  const others = (step.sources ?? []).filter(([key]) => key !== keyOf(step));
  if (others.length === 0 || others.length > 4) return "";
  return `${deedOf(step)}, from ${step.sources.map(([key, held]) => `${nameOfKey(key)}: ${shown(held)}`).join(" and ")}`;
}

/// The accesses of a warp to shared memory that one instruction makes, and the longest queue at a bank.
function banksOf(step) {
  const request = step.request;
  if (!request || request.lanes < 2) return "";
  const degree = request.degree === 1 ? "no bank conflict" : `bank conflict of degree ${request.degree}: ${request.degree} words in bank ${request.bank}`;
  return `${plural(request.lanes, "lane")} of the warp ${step.kind === READ ? "read" : "write"} ${run.arrays[step.array].name} here: ${degree}`;
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
  const where = step.fault >= 0 && run.faults[step.fault].kind === "misaligned" ? "at a misaligned address" : "outside of its array";
  switch (step.kind) {
    case READ: return `${step.action === "read" ? "reads" : `does an ${step.action}`} ${where}`;
    case WRITE: case ATOMIC: return `${step.action === "write" ? "writes" : `does an ${step.action}`} ${where}`;
    case BARRIER: return `arrives at ${step.action}`;
    case COLLECTIVE: return `calls ${step.action}`;
    case FENCE: return `executes ${step.action}`;
    default: return "exits";
  }
}

function sentenceOf(current) {
  if (current.length === 0) return `Before the first step of ${run.kernel}.`;
  const steps = current.filter((step) => step.kind < OPENED);
  const exits = current.filter((step) => step.kind === EXITED);
  const parts = [];
  if (steps.length === 1) parts.push(`${nameOf(steps[0].thread)} ${effectOf(steps[0]) || deedOf(steps[0])}${place(steps[0])}`);
  if (steps.length > 1) {
    const lanes = rangesOf(steps.map((step) => indexOf(step.thread) % 32).sort((a, b) => a - b));
    const warp = Math.floor(indexOf(steps[0].thread) / 32);
    const lost = steps.find((step) => step.lost);
    const space = steps[0].array >= 0 ? ` in ${run.arrays[steps[0].array].name}` : "";
    parts.push(`${steps.length} lanes of warp ${warp} of block ${blockOf(steps[0].thread)} (${lanes}): ${steps[0].action}${space}${place(steps[0])}`);
    if (lost) parts.push(`${nameOf(lost.thread)} ${effectOf(lost)}`);
  }
  const conflict = steps.find((step) => step.request?.degree > 1);
  if (conflict) parts.push(banksOf(conflict));
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
