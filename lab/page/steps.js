// The words for a step: constants of the page's data, names of threads and words, sentences.
//
// The data are those of lab/html_json.cpp. The page's script is the files of this folder one after the other, in the
// order of lab/html_page.cpp.
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
