// The time line: a row per thread, a column per turn, with a mark for each step and bands for waiting and spinning.
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
  const width = $("time-box").clientWidth, count = run.shown.length;
  view.row = count <= 16 ? 16 : count <= 64 ? 11 : 8;
  view.column = Math.max(8, Math.min(22, Math.floor((width - view.left) / Math.max(1, turns.length))));
  view.columns = Math.max(1, Math.floor((width - view.left) / view.column));
  if (turns.length <= view.columns) view.first = 0;
  else if (position <= view.first || position > view.first + view.columns) {
    view.first = Math.max(0, Math.min(turns.length - view.columns, position - Math.ceil(view.columns / 3)));
  }
  const height = count * view.row + 20, pen = prepareCanvas($("time"), width, height), colour = colours();
  const xOf = (turn) => view.left + (turn - view.first) * view.column + view.column / 2;
  const yOf = (row) => 18 + row * view.row + view.row / 2;
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
  for (let row = 0; row < count; ++row) {
    const y = yOf(row), thread = run.shown[row], begins = row > 0 && blockOf(thread) !== blockOf(run.shown[row - 1]);
    if (view.row >= 11 || row % 4 === 0) {
      pen.fillStyle = colour.soft;
      pen.fillText(`${blockOf(thread)}.${indexOf(thread)}`, 4, y);
    }
    pen.fillStyle = begins ? colour.soft : colour.rule;
    pen.fillRect(0, Math.round(y - view.row / 2), width, begins ? 1 : 0.5);
    for (const [from, to, status] of bands[row]) {
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
      const x = xOf(turn), y = yOf(rows.get(step.thread)), size = Math.min(view.row - 2, view.column, 13);
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
    entry("waits or is held back", band("wait-fill")), entry("spins", band("spin-fill")),
    entry("finding", (pen) => (pen.strokeStyle = colour.race, pen.lineWidth = 2, pen.strokeRect(2, 2, 14, 14))));
}
