// The memory: a cell per word of each array; the words of the step, those of races, and arrows from the words that a
// step combines. Shared memory has rows of 32 words, a column per bank.
function widestValue(number) {
  let widest = 1;
  const see = (value) => widest = Math.max(widest, value === null || value === false ? 1 : String(value).length);
  run.arrays[number].values.forEach(see);
  for (const steps of turns) {
    for (const step of steps) if (step.array === number) step.after.forEach(see);
  }
  return Math.min(widest, 12);
}

/// A number in so many characters, if fewer digits make it so short; the cell's title and the sentence have all of them.
function brief(text, room) {
  const value = Number(text);
  if (text.length <= room || text.trim() === "") return text;
  for (let digits = 6; digits > 0 && Number.isFinite(value); --digits) {
    for (const form of [value.toPrecision(digits), value.toExponential(digits - 1)]) {
      const short = form.replace("e+", "e").replace(/^(-?)0\./, "$1.");
      if (short.length <= room) return short;
    }
  }
  return "…";
}

/// The cells of shared memory are as narrow as 32 in a row need to be, but have room for 4 characters.
function narrowCell(columns, widest, rowCount) {
  const width = ($("memory").clientWidth || 700) - (rowCount > 5 ? 16 : 0);  // of a scroll bar
  const room = (width + 1) / columns - 1, digit = 0.602;  // of the font's size
  if (widest * 6 + 3 <= room) return {cell: Math.max(18, Math.ceil(widest * 6) + 3), room: 12};
  const characters = Math.min(widest, Math.max(4, Math.floor((room - 2) / (9 * digit))));
  return {cell: Math.floor(room * 8) / 8, room: characters, font: Math.max(8, Math.min(10, (room - 2) / (characters * digit)))};
}

function columnsOf(array, cell) {
  if (array.space === "shared") return Math.min(array.element === 8 ? 16 : 32, array.values.length);
  const width = $("memory").clientWidth || 700;
  return [32, 16, 8, 4].find((count) => count * (cell + 2) <= width) ?? 2;
}

function buildArray(array, number) {
  const where = array.space === "shared" ? `shared, block ${inDimensions(array.block, run.grid)}` : "global";
  const name = `${array.name} (${where}${array.type ? `, ${array.type}` : ""})`;
  const banks = array.space === "shared" && array.element >= 4 && array.values.length > 1;
  const shared = array.space === "shared", widest = widestValue(number);
  const wide = Math.max(20, Math.ceil(widest * 6.7) + 6), columns = columnsOf(array, wide);
  const {cell, room, font} = shared ? narrowCell(columns, widest, array.values.length / columns) : {cell: wide, room: 12};
  array.room = room;
  const cells = make("ol", {class: shared ? "cells shared" : "cells", "aria-label": name});
  cells.style.gridTemplateColumns = `repeat(${columns}, minmax(${cell}px, ${font ? cell : Math.max(44, cell)}px))`;
  if (font) cells.classList.add("tight"), cells.style.fontSize = `${font}px`;
  if (banks) {
    for (let i = 0; i < columns; ++i) {
      const bank = (array.start + array.indices[i] * array.element) / 4 % 32;
      cells.append(make("li", {class: "bank", "aria-hidden": "true"}, String(bank)));
    }
  }
  array.values.forEach((_, i) => {
    const node = make("li", {class: "cell", "data-array": number, "data-index": array.indices[i]}, make("span", {class: "index"}, String(array.indices[i])),
      make("span", {class: "value"}));
    cellNodes[number].push(node);
    cells.append(node);
  });
  const box = make("div", {class: "array"}, make("h3", {}, name + (!banks ? "" : array.element === 8 ? "; a column per two banks" : "; a column per bank")), make("div", {class: "rows"}, cells));
  if (array.count > array.values.length) {
    const more = array.count - array.values.length;
    const used = new Set(turns.flat().filter((step) => run.arrays[step.array] === array).map((step) => step.first));
    const left = [...used].filter((index) => !array.slots.has(index)).length;
    box.append(make("p", {class: "more"}, `and ${plural(more, "more word")}, of which shown steps use ${left === 0 ? "none" : left}`));
  }
  return box;
}

function buildMemory() {
  cellNodes = run.arrays.map(() => []);
  const boxes = run.arrays.map(buildArray), isShared = (_, i) => run.arrays[i].space === "shared";
  $("memory").replaceChildren(make("div", {class: "arrays"}, ...boxes.filter(isShared), ...boxes.filter((box, i) => !isShared(box, i))));
  $("memory").firstChild.insertAdjacentHTML("beforeend", '<svg id="arrows" aria-hidden="true"></svg>');
}

function showMemory(state, current) {
  const marks = new Map(), queue = new Set();
  for (const step of current) {
    if (step.array < 0) continue;
    for (let i = 0; i < step.count; ++i) {
      const mark = step.fault >= 0 ? " race" : step.kind === READ || step.kind === SPIN ? " read" : " written";
      marks.set(keyOf(step, i), mark);
    }
    if (step.request?.degree > 1) step.request.steps.forEach((one) => queue.add(keyOf(one)));
  }
  cellNodes.forEach((cells, array) => cells.forEach((node, i) => {
    const value = state.memory[array][i], key = `${array},${run.arrays[array].indices[i]}`;
    const text = value === null ? "·" : value === false ? "?" : brief(value, run.arrays[array].room);
    if (node.children[1].textContent !== text) node.children[1].textContent = text;
    if (node.title !== `${nameOfKey(key)}: ${shown(value)}`) node.title = `${nameOfKey(key)}: ${shown(value)}`;
    node.className = `cell${value === null || value === false ? " unwritten" : ""}${state.raced.has(key) ? " raced" : ""}${queue.has(key) ? " queued" : ""}${marks.get(key) ?? ""}`;
  }));
  for (const key of marks.keys()) if (cellOf(key)) showCell(cellOf(key));
  const step = current.find((one) => one.request);
  $("banks").textContent = step ? `${banksOf(step)}.` : "";
  drawArrows(current);
}

const cellOf = (key) => {
  const [array, index] = key.split(",").map(Number);
  return cellNodes[array][run.arrays[array].slots.get(index)];
};

/// Scrolls the rows of an array, not the page, to a cell.
function showCell(node) {
  const box = node.closest(".rows"), top = node.offsetTop - box.offsetTop;
  if (top < box.scrollTop || top + node.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
}

function isInView(node) {
  const box = node.closest(".rows").getBoundingClientRect(), cell = node.getBoundingClientRect();
  return cell.top >= box.top - 1 && cell.bottom <= box.bottom + 1 && cell.left >= box.left - 1 && cell.right <= box.right + 1;
}

/// Whether a write combines words, rather than copies one; of earlier writes, words of the array that it writes.
function combines(step, isCurrent) {
  return (step.sources?.length ?? 0) > 1 && (isCurrent || step.sources.every(([key]) => Number(key.split(",")[0]) === step.array));
}

/// The writes of a block since its last barrier, of which those of the current turn come last.
function writesOfLevel(current) {
  const block = current.length > 0 ? blockOf(current[0].thread) : -1, writes = [];
  for (let turn = position - 1; turn >= 0 && writes.length < 64; --turn) {
    const steps = turns[turn].filter((step) => blockOf(step.thread) === block);
    if (steps.some((step) => step.kind === OPENED) && turn !== position - 1) break;
    const isCurrent = turn === position - 1;
    for (const step of steps) if (combines(step, isCurrent)) writes.push([step, isCurrent]);
  }
  return writes.reverse();
}

/// An arrow from each word that a write has combined to the word that it writes; fainter of the other writes since the
/// last barrier, which are a level of a tree.
function drawArrows(current) {
  const svg = $("arrows"), origin = svg.parentNode.getBoundingClientRect();
  const paths = [];
  const centre = (node) => {
    const box = node.getBoundingClientRect();
    return [box.left + box.width / 2 - origin.left, box.top + box.height / 2 - origin.top];
  };
  for (const [step, isCurrent] of writesOfLevel(current)) {
    const target = cellOf(keyOf(step));
    if (!target) continue;
    for (const [key] of step.sources) {
      const source = cellOf(key);
      if (!source || source === target || !isInView(source) || !isInView(target)) continue;
      const [x1, y1] = centre(source), [x2, y2] = centre(target);
      const length = Math.hypot(x2 - x1, y2 - y1) || 1, ux = (x2 - x1) / length, uy = (y2 - y1) / length;
      const bend = Math.abs(uy) < 0.2 ? Math.min(26, length / 4) : 0;  // along a row, above its words
      const tip = [x2 - ux * 9, y2 - uy * 6 - (bend ? 6 : 0)];
      const kind = isCurrent ? "arrow" : "arrow earlier";
      const middle = [(x1 + x2) / 2, (y1 + y2) / 2 - bend - (bend ? 7 : 0)];
      paths.push([kind, `M ${x1} ${y1 - (bend ? 7 : 0)} Q ${middle[0]} ${middle[1]} ${tip[0]} ${tip[1]}`]);
      const dx = bend ? tip[0] - middle[0] : ux, dy = bend ? tip[1] - middle[1] : uy, d = Math.hypot(dx, dy) || 1;
      const vx = dx / d, vy = dy / d;
      paths.push([`${kind} head`, `M ${tip[0] + vx * 5} ${tip[1] + vy * 5} l ${-vx * 7 - vy * 3.5} ${-vy * 7 + vx * 3.5} l ${vy * 7} ${-vx * 7} z`]);
    }
  }
  svg.innerHTML = paths.map(([kind, line]) => `<path class="${kind}" d="${line}"></path>`).join("");
}
