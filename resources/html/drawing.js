// Marks become SVG.
const SVG = document.querySelector("svg").namespaceURI;
const narrow = matchMedia(bare ? "(max-aspect-ratio: 1/1)" : "(max-width: 620px)");
const ON_SCALE = 0, GREY = 1;   // what the colours of cells are; else they are colours as they are

function svg(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (parent) parent.append(made);
  return made;
}

const near = (x) => Math.round(x * 100) / 100;

function ofTheme(both) {   // "by day and by night" are two words, where they are not the same
  const [byDay, byNight = byDay] = both.split(" ");
  return isNight() ? byNight : byDay;
}

function colour(role) {   // "muted"; "0.3 muted panel" is three parts of ten on the other; "#102030" is itself
  if (!role) return "none";
  return role[0] === "#" ? ofTheme(role) : mixture(role.split(" "));
}

function mixture(words) {
  const word = words.shift();
  if (isNaN(word)) return `var(--${word})`;
  return `color-mix(in srgb, ${mixture(words)} ${100 * word}%, ${mixture(words)})`;
}

const draw = {
  group(parent, name, marks) {
    drawAll(marks, svg("g", {"data-name": name}, parent));
  },
  text(parent, x, y, size, turn, text, role, anchor, kind) {
    const made = svg("text", {x, y, "font-size": size, fill: colour(role)}, parent);
    if (anchor) made.setAttribute("text-anchor", ["start", "middle", "end"][anchor]);
    if (kind) made.setAttribute("class", ["", "bold", "mono", "bold mono"][kind]);
    if (turn) made.setAttribute("transform", `rotate(${-turn} ${x} ${y})`);
    made.textContent = text;
  },
  line(parent, x1, y1, x2, y2, width, role) {
    svg("line", {x1, y1, x2, y2, stroke: colour(role), "stroke-width": width}, parent);
  },
  box(parent, x, y, width, height, stroke_width, radius, fill, stroke, hatch) {
    const sides = {x, y, width, height, rx: radius};
    svg("rect", {...sides, fill: colour(fill), stroke: colour(stroke), "stroke-width": stroke_width}, parent);
    if (hatch) svg("rect", {...sides, fill: "url(#hatch)", color: colour(hatch)}, parent);
  },
  shape(parent, x, y, scale, path, role) {
    const made = svg("path", {d: sharedHere()[path], fill: colour(role)}, parent);
    made.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
  },
  heat(parent, x, y, width, height, rows, columns, kind, cells, hatched, texts, size, inks) {
    const {fill, ink} = cellColours(kind, cells, inks);
    const group = svg("g", {class: "cells"}, parent);
    for (const [here, d] of runs(x, y, width, height, rows, columns, fill)) svg("path", {d, fill: here}, group);
    for (const [row, column, down, across] of hatched) {
      const sides = {x: x + column * width, y: y + row * height, width: across * width, height: down * height};
      svg("rect", {...sides, fill: "url(#hatch)"}, group);
    }
    if (texts < 0) return;
    const numbers = svg("g", {"font-size": size, "text-anchor": "middle"}, parent);
    sharedHere()[texts].forEach((text, cell) => {
      const [row, column] = [Math.floor(cell / columns), cell % columns];
      const at = {x: near(x + (column + 0.5) * width), y: near(y + row * height + height / 2 + page.text_drop * size)};
      svg("text", {...at, fill: ink(cell)}, numbers).textContent = text;
    });
  },
};

function cellColours(kind, cells, inks) {   // behind a cell's number, and of the number, by the cell
  const named = (light) => `var(--${light ? "light" : "dark"}-ink)`;
  if (kind === ON_SCALE || kind === GREY) {
    const level = (cell) => sharedHere()[cells].charCodeAt(cell) - 256;
    if (kind === ON_SCALE) return {fill: (cell) => `var(--c${level(cell)})`, ink: (cell) => `var(--i${level(cell)})`};
    return {fill: (cell) => `rgb(${level(cell)} ${level(cell)} ${level(cell)})`, ink: (cell) => named(level(cell) < page.dark_greys)};
  }
  const [own, light] = [ofTheme(cells), ofTheme(inks)];
  return {fill: (cell) => `#${own.slice(6 * cell, 6 * cell + 6)}`, ink: (cell) => named(light[cell] === "1")};
}

function runs(x, y, width, height, rows, columns, fill) {   // one path for all cells of a colour
  const paths = new Map();
  for (let row = 0; row < rows; row++) {
    for (let start = 0, end; start < columns; start = end) {
      const here = fill(row * columns + start);
      for (end = start + 1; end < columns && fill(row * columns + end) === here;) end++;
      const [left, right] = [near(x + start * width), near(x + end * width)];
      const area = `M${left} ${near(y + row * height)}H${right}V${near(y + (row + 1) * height)}H${left}Z`;
      paths.set(here, (paths.get(here) || "") + area);
    }
  }
  return paths;
}

const sharedHere = () => shown.shared || step.shared;   // a picture beside the step has its own

function drawAll(marks, parent) {
  for (const [kind, ...rest] of marks) draw[kind](parent, ...rest);
}

function drawHatch(side, width) {   // once, for all figures
  const hatch = svg("pattern", {id: "hatch", width: side, height: side, patternUnits: "userSpaceOnUse"}, id("patterns"));
  const d = `M-1 1L1 -1M0 ${side}L${side} 0M${side - 1} ${side + 1}L${side + 1} ${side - 1}`;
  svg("path", {d, stroke: "var(--muted)", "stroke-width": width}, hatch);
}

const layout = () => shown.figures[narrow.matches && !printing && shown.figures.length > 1 ? 1 : 0];

function drawn() {   // what is shown, as SVG
  const [width, height, marks] = layout();
  const picture = svg("svg", {viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "xMidYMin meet", role: "img"});
  picture.setAttribute("aria-label", [page.titles[position], step.dimensions, step.formula].filter((text) => text).join(", "));
  drawAll(marks, picture);
  drawCovers(picture);
  svg("g", {class: "lit"}, picture);
  return picture;
}

function drawFigure() {
  const picture = drawn();
  if (shown.spots && shown.spots.length) drawSpots(picture);
  id("figure").replaceChildren(picture);
  if (narrow.matches && !bare) {   // the words follow right below what is drawn
    const {y, height: down} = picture.getBBox();
    picture.setAttribute("viewBox", `0 0 ${layout()[0]} ${near(y + down + 16)}`);
  }
  showCell();
}

function drawSpots(picture) {   // links over what they stand for; those inside others come later
  picture.setAttribute("role", "group");
  for (const [x, y, width, height, n, hint] of shown.spots) {
    const link = svg("a", {class: "spot", href: address(n), "aria-label": hint}, picture);
    svg("rect", {x, y, width, height, rx: 4}, link);
    svg("title", {}, link).textContent = hint;
  }
}
