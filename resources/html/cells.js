// A cell, its number, its arithmetic, and the cells that it was made from.
const HINT = matchMedia("(pointer: coarse)").matches
  ? "Tap a cell of the result to see its arithmetic."
  : "Point at a cell of the result, or press Ctrl and an arrow key, to see its arithmetic.";
const LINKED = "Click on a box, or go there with Tab and Enter, to see what is inside.";
const LEFT_OUT = "The arithmetic of so large a result is not in this file.";
const COLOURS = "Of so large a matrix this file has only the colours.";

function cellAt(event) {
  const picture = id("figure").firstChild;
  const matrix = picture && picture.getScreenCTM();
  if (!matrix) return null;
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  const boxes = layout()[3];
  for (let panel = 0; panel < boxes.length; panel++) {
    const [x, y, width, height] = boxes[panel];
    const [row, column] = [Math.floor((point.y - y) / height), Math.floor((point.x - x) / width)];
    const [rows, columns] = sizes(panel);
    if (row >= 0 && row < rows && column >= 0 && column < columns) return {panel, row, column};
  }
  return null;
}

const sizes = (panel) => shown.panels[panel].ids.map((ids) => step.shared[ids].length);
const isResult = (cell) => cell !== null && shown.panels[cell.panel].output === 1;
const same = (a, b) => a !== null && b !== null && a.panel === b.panel && a.row === b.row && a.column === b.column;
const number = ({panel, row, column}) => row * sizes(panel)[1] + column;   // of a cell in its panel, row by row
const results = () => shown.panels.map((_, i) => i).filter((i) => shown.panels[i].output);

function tensorOrder(panel, row, column) {   // of a pair by row and column: what the tensor's own axes say
  return (panel.turned ? [column, row] : [row, column]).slice(Math.max(0, 2 - panel.rank));
}

function cellIndex({panel, row, column}) {
  const {ids: [rows, columns], place, ...rest} = shown.panels[panel];
  const ends = tensorOrder(rest, step.shared[rows][row], step.shared[columns][column]);
  return [...(rest.rank > 1 ? place : []), ...ends].map(Number);
}

function findCell(index) {
  for (const panel of results()) {
    const [rows, columns] = sizes(panel);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const cell = {panel, row, column};
        if (cellIndex(cell).join() === index.join()) return cell;
      }
    }
  }
  return null;
}

function cellName(panel, row, column) {   // labels may be written from right to left: each stands by itself
  const name = document.createElement("span");
  const labels = tensorOrder(panel, step.shared[panel.rows][row], step.shared[panel.columns][column]);
  name.append(panel.opening);
  labels.forEach((label, i) => {
    const isolated = document.createElement("bdi");
    isolated.textContent = label;
    name.append(i ? ", " : "", isolated);
  });
  if (labels.length) name.append("]");
  return name;
}

function span(kind, text) {
  const made = document.createElement("span");
  made.className = kind;
  made.textContent = text;
  return made;
}

function valueText(cell) {   // to six digits; nothing where the file has only the colours
  const {values} = shown.panels[cell.panel];
  if (values < 0) return "";
  const [forms, letters, digits] = step.shared[values].split("\n");   // "0.0######" and what goes into it
  const n = number(cell), each = digits.length / letters.length;
  let next = n * each;
  return forms.split("|")[letters.charCodeAt(n) - 256].replace(/#/g, () => digits[next++]);
}

function columnsOf(cell) {   // the columns of its arithmetic, and of what it was made from
  const panel = shown.panels[cell.panel];
  if (panel.cells && !panel.split) panel.split = [panel.cells[0].map((column) => column.split("\n")), panel.cells[1]];
  return panel.split || [[], []];
}

const arithmetic = (cell) => columnsOf(cell)[0].map((column) => column[number(cell)]).join("");

function cellLine(cell) {   // the cell in words: what it is called, how it is made, its number
  const panel = shown.panels[cell.panel];
  const [value, worked] = [valueText(cell), arithmetic(cell)];
  const line = [cellName(panel, cell.row, cell.column)];
  if (isCovered(cell)) return [...line, ` = ${withoutResult(worked)}`];
  if (worked) line.push(` = ${worked}`);
  if (worked && value && !worked.endsWith(` ${value}`)) line.push(span("told", `  · to\u00a0six\u00a0digits\u00a0${value}`));
  if (!worked && value) line.push(` = ${value}`);
  if (!worked && (panel.output || !value)) line.push(span("told", `  ·  ${value ? LEFT_OUT : COLOURS}`));
  return line;
}

function hint() {
  if (shown.spots && shown.spots.length) return LINKED;
  return shown.panels.length ? (covered ? COVER_HINT : HINT) : "";
}

function showCell() {
  const cell = hovered || pinned;
  const line = id("cell");
  light(isResult(hovered) ? hovered : pinned);   // which stays lit while the reader looks at what it was made from
  line.className = cell ? "" : "hint";
  showGuess(cell);
  if (!cell) {
    line.textContent = hint();
    return;
  }
  line.replaceChildren(...cellLine(cell));
  if (shown.panels[cell.panel].step >= 0) line.append(span("told", "  ·  double-click to go there"));
  if (same(cell, pinned)) line.append(" ", span("pinned", "pinned"));
}

function light(cell) {   // the cell and those that it was made from
  const lit = id("figure").querySelector(".lit");
  lit.replaceChildren();
  if (!cell) return;
  const blocks = columnsOf(cell)[1].map((column) => column[number(cell)]);   // −1 where there are no more
  for (let i = 0; i < blocks.length && blocks[i] >= 0; i += 5) outline(lit, 1.6, ...blocks.slice(i, i + 5));
  outline(lit, 2, cell.panel, cell.row, cell.column, 1, 1);
}

function outline(parent, width, panel, row, column, rows, columns) {
  const [x, y, across, down] = layout()[3][panel];
  const sides = {x: near(x + column * across), y: near(y + row * down), width: near(columns * across), height: near(rows * down)};
  svg("rect", {...sides, "stroke-width": width}, parent);
}

function hover(cell) {
  if (hovered === cell || same(hovered, cell)) return;
  hovered = cell;
  showCell();
}

function pin(cell) {
  pinned = cell;
  showCell();
  tellAddress(true);
}

function moveCell(down, right) {
  if (!results().length) return;
  hovered = null;
  if (!pinned) return pin({panel: results()[0], row: 0, column: 0});
  const [rows, columns] = sizes(pinned.panel);
  const within = (i, n) => Math.min(Math.max(i, 0), n - 1);
  pin({panel: pinned.panel, row: within(pinned.row + down, rows), column: within(pinned.column + right, columns)});
}

function release() {   // whether there was anything to let go
  const any = walking || hovered !== null || pinned !== null;
  walking = false;
  hovered = null;
  if (any) pin(null);
  return any;
}
