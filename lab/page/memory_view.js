// The memory: a cell per word of each array; the words of the step, and those of races.
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
