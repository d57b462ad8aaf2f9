// Predict, then reveal: the numbers of the result are covered until the reader asks for one, or for all.
const COVER_HINT = "What will it be? Click on a cell to reveal it, or point at it, type your guess and press Enter.";
const CLOSE = 0.005, SHARE = 0.01;   // a guess is right that is so near, or off by so small a share

let covered = false;
const revealed = new Set();
let judged = null;   // the cell that a guess was made for

const coverKey = (cell) => [position, shown.at, cell.panel, cell.row, cell.column].join(";");
const isCovered = (cell) => covered && isResult(cell) && !revealed.has(coverKey(cell));

function setCovered(on) {
  covered = on;
  revealed.clear();
  id("cover-button").setAttribute("aria-pressed", String(on));
  if (shown) {
    showWords();
    drawFigure();
  }
}

function reveal(cell) {
  revealed.add(coverKey(cell));
  drawFigure();
}

function drawCovers(picture) {
  const group = svg("g", {class: "covers"}, picture);
  for (const panel of covered ? results() : []) coverPanel(group, panel);
}

function coverPanel(group, panel) {
  const [x, y, width, height] = layout()[3][panel];
  const [rows, columns] = sizes(panel);
  const size = near(Math.min(height * 0.6, width * 0.6, 16));
  let d = "";
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (!isCovered({panel, row, column})) continue;
      const [left, top] = [near(x + column * width), near(y + row * height)];
      d += `M${left} ${top}h${near(width)}v${near(height)}h${-near(width)}Z`;
      if (size < 7) continue;
      const at = {x: near(left + width / 2), y: near(top + height / 2 + page.text_drop * size)};
      svg("text", {...at, "font-size": size, "text-anchor": "middle"}, group).textContent = "?";
    }
  }
  group.prepend(svg("path", {d}));
}

function withoutResult(worked) {   // the arithmetic up to its last sign
  const end = Math.max(worked.lastIndexOf(" = "), worked.lastIndexOf(" ≈ "));
  return end < 0 ? "?" : `${worked.slice(0, end + 2)} ?`;
}

/* A guess. */

const POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function numeric(text) {   // "−2.5×10⁻⁷", as the page writes it, or "-0,5" as a reader may
  const [front, power = ""] = text.trim().replace("−", "-").replace(",", ".").replace("∞", "Infinity").split("×10");
  const raised = [...power].map((sign) => POWERS.includes(sign) ? POWERS.indexOf(sign) : "-").join("");
  return front ? Number(front) * 10 ** Number(raised || 0) : NaN;
}

function showGuess(cell) {   // there is a place for it while a covered cell is chosen
  const wanted = cell !== null && isCovered(cell);
  if (id("guess-form").hidden === wanted) id("guess").value = "";
  id("guess-form").hidden = !wanted;
  if (!same(cell, judged)) id("verdict").textContent = "";
}

function startGuess(key) {   // whether the key begins a number for the cell that is looked at
  const cell = hovered || pinned;
  if (!/^[-−.,0-9]$/.test(key) || cell === null || !isCovered(cell)) return false;
  hovered = null;
  pin(cell);
  id("guess").value = key;
  id("guess").focus();
  return true;
}

function judge(event) {
  event.preventDefault();
  const said = id("guess").value.trim(), cell = pinned;
  if (!said || cell === null) return;
  const [guess, value] = [numeric(said), numeric(valueText(cell))];
  judged = cell;
  if (isNaN(guess)) {
    id("verdict").textContent = `“${said}” is no number; write one such as 0.35.`;
    return;
  }
  reveal(cell);
  id("verdict").textContent = verdict(said, guess, value, valueText(cell));
  id("figure").focus();
}

function verdict(said, guess, value, text) {
  if (!text) return "Its number is not in this file, only its colour.";
  const off = Math.abs(guess - value);
  if (guess === value || off <= Math.max(CLOSE, SHARE * Math.abs(value))) return `You said ${said}: right.`;
  return `You said ${said}; it is ${text}, so you are off by ${Number(off.toPrecision(3))}.`;
}
