// Shows one step at a time. All that is said and drawn was worked out when the file was written: here marks become
// SVG, and keys, pointer and links become a step, a place of its leading axes (a head), and a cell.
"use strict";
(() => {
const id = (name) => document.getElementById(name);
const page = JSON.parse(id("index").textContent);
const pieces = document.querySelectorAll("script.step");
const long = document.querySelectorAll("script.long");
const last = page.names.length - 1;
const HINT = matchMedia("(pointer: coarse)").matches
  ? "Tap a cell of the result to see its arithmetic."
  : "Point at a cell of the result, or press Ctrl and an arrow key, to see its arithmetic.";
const LINKED = "Click on a box, or go there with Tab and Enter, to see what is inside.";
const LEFT_OUT = "The arithmetic of so large a result is not in this file.";
const SVG = document.querySelector("svg").namespaceURI;
const narrow = matchMedia("(max-width: 620px)");
const dark = matchMedia("(prefers-color-scheme: dark)");
const chosenTheme = document.documentElement.dataset.theme;   // of who wrote the file; without one, the reader's system says

/* Where the reader looks. */
let position = -1;
let wantedPlace = [];   // of the leading axes; kept from step to step, clipped to what a step has
let step = null;        // the unpacked step
let shown = null;       // its figures and panels at the place
let hovered = null;     // {panel, row, column}
let pinned = null;
let walking = false;    // whether plain arrow keys go over the cells
let timer = 0;

/* --- unpacking --- */

async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")));
}

const KEPT = 24;
const opened = new Map();

async function unpackStep(n) {
  const found = await (await unpacked(pieces[n].textContent)).json();
  const whole = (item) => typeof item === "number" ? unpacked(long[item].textContent).then((text) => text.json()) : item;
  found.shared = await Promise.all(found.shared.map(whole));   // numbers stand for what several steps share
  return found;
}

function open(n) {
  if (!opened.has(n)) opened.set(n, unpackStep(n));
  const found = opened.get(n);
  opened.delete(n);
  opened.set(n, found);
  if (opened.size > KEPT) opened.delete(opened.keys().next().value);
  return found;
}

async function loadFonts() {
  const packed = document.querySelectorAll("script.font");
  await Promise.all(page.faces.map(async ([family, weight], i) => {
    const bytes = await (await unpacked(packed[i].textContent)).arrayBuffer();
    document.fonts.add(await new FontFace(family, bytes, {weight}).load());
  }));
}

/* --- drawing --- */

function svg(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (parent) parent.append(made);
  return made;
}

const colour = (role) => role ? (role[0] === "#" ? role : `var(--${role})`) : "none";
const near = (x) => Math.round(x * 100) / 100;

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
    const made = svg("path", {d: step.shared[path], fill: colour(role)}, parent);
    made.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    made.setAttribute("aria-label", step.formula);
  },
  heat(parent, x, y, width, height, rows, columns, grey, levels, hatched, texts, size) {
    const level = (cell) => step.shared[levels].charCodeAt(cell) - 256;
    const group = svg("g", {class: "cells"}, parent);
    const paths = new Map();
    for (let row = 0; row < rows; row++) {
      for (let start = 0, end; start < columns; start = end) {
        const here = level(row * columns + start);
        for (end = start + 1; end < columns && level(row * columns + end) === here;) end++;
        const [left, right] = [near(x + start * width), near(x + end * width)];
        const area = `M${left} ${near(y + row * height)}H${right}V${near(y + (row + 1) * height)}H${left}Z`;
        paths.set(here, (paths.get(here) || "") + area);
      }
    }
    for (const [here, d] of paths) svg("path", {d, fill: grey ? `rgb(${here} ${here} ${here})` : `var(--c${here})`}, group);
    for (const cell of hatched) {
      const [row, column] = [Math.floor(cell / columns), cell % columns];
      svg("rect", {x: x + column * width, y: y + row * height, width, height, fill: "url(#hatch)"}, group);
    }
    if (texts < 0) return;
    const numbers = svg("g", {"font-size": size, "text-anchor": "middle"}, parent);
    step.shared[texts].forEach((text, cell) => {
      const [row, column] = [Math.floor(cell / columns), cell % columns];
      const ink = grey ? `var(--${level(cell) < page.dark_greys ? "light" : "dark"}-ink)` : `var(--i${level(cell)})`;
      const at = {x: near(x + (column + 0.5) * width), y: near(y + row * height + height / 2 + page.text_drop * size)};
      svg("text", {...at, fill: ink}, numbers).textContent = text;
    });
  },
};

function drawAll(marks, parent) {
  for (const [kind, ...rest] of marks) draw[kind](parent, ...rest);
}

function drawHatch(parent, side, width) {
  const hatch = svg("pattern", {id: "hatch", width: side, height: side, patternUnits: "userSpaceOnUse"}, parent);
  const d = `M-1 1L1 -1M0 ${side}L${side} 0M${side - 1} ${side + 1}L${side + 1} ${side - 1}`;
  svg("path", {d, stroke: "var(--muted)", "stroke-width": width}, hatch);
}

const layout = () => shown.figures[narrow.matches && shown.figures.length > 1 ? 1 : 0];

function drawFigure() {
  const [width, height, marks] = layout();
  const picture = svg("svg", {viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "xMidYMin meet", role: "img"});
  picture.setAttribute("aria-label", `${page.titles[position]}, ${step.dimensions}`);
  drawHatch(svg("defs", {}, picture), ...page.hatch);
  drawAll(marks, picture);
  svg("g", {class: "lit"}, picture);
  if (shown.spots) drawSpots(picture);
  id("figure").replaceChildren(picture);
  if (narrow.matches) {   // the words follow right below what is drawn
    const {y, height: down} = picture.getBBox();
    picture.setAttribute("viewBox", `0 0 ${width} ${near(y + down + 16)}`);
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

/* --- cells --- */

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

function tensorOrder(panel, row, column) {   // of a pair by row and column: what the tensor's own axes say
  return (panel.turned ? [column, row] : [row, column]).slice(Math.max(0, 2 - panel.rank));
}

function cellIndex({panel, row, column}) {
  const {ids: [rows, columns], place, ...rest} = shown.panels[panel];
  const ends = tensorOrder(rest, step.shared[rows][row], step.shared[columns][column]);
  return [...(rest.rank > 1 ? place : []), ...ends].map(Number);
}

function findCell(index) {
  for (let panel = 0; panel < shown.panels.length; panel++) {
    const [rows, columns] = sizes(panel);
    for (let row = 0; shown.panels[panel].output && row < rows; row++) {
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

function showCell() {
  const cell = hovered || pinned;
  const line = id("cell");
  light(isResult(hovered) ? hovered : pinned);   // which stays lit while the reader looks at what it was made from
  line.className = cell ? "" : "hint";
  if (!cell) {
    line.textContent = shown.spots ? LINKED : HINT;
    return;
  }
  const panel = shown.panels[cell.panel];
  const place = number(cell);
  const value = panel.values < 0 ? "" : step.shared[panel.values].split(" ")[place];
  const explained = panel.cells && panel.cells[place];
  line.replaceChildren(cellName(panel, cell.row, cell.column));
  if (explained) line.append(` = ${explained[0]}`);
  if (explained && value && !explained[0].endsWith(` ${value}`)) line.append(span("told", `  · to\u00a0six\u00a0digits\u00a0${value}`));
  if (!explained && value) line.append(` = ${value}`);
  if (panel.output && !explained) line.append(span("told", `  ·  ${LEFT_OUT}`));
  if (panel.step >= 0) line.append(span("told", "  ·  double-click to go there"));
  if (same(cell, pinned)) line.append(" ", span("pinned", "pinned"));
}

const number = ({panel, row, column}) => row * sizes(panel)[1] + column;   // of a cell in its panel, row by row

function light(cell) {   // the cell and those that it was made from
  const lit = id("figure").querySelector(".lit");
  lit.replaceChildren();
  if (!cell) return;
  const {cells} = shown.panels[cell.panel];
  const blocks = cells ? cells[number(cell)][1] : [];
  for (let i = 0; i < blocks.length; i += 5) outline(lit, 1.6, ...blocks.slice(i, i + 5));
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
  tellAddress();
}

function moveCell(down, right) {
  const results = shown.panels.map((_, i) => i).filter((i) => shown.panels[i].output);
  if (!results.length) return;
  hovered = null;
  if (!pinned) return pin({panel: results[0], row: 0, column: 0});
  const [rows, columns] = sizes(pinned.panel);
  const within = (i, n) => Math.min(Math.max(i, 0), n - 1);
  pin({panel: pinned.panel, row: within(pinned.row + down, rows), column: within(pinned.column + right, columns)});
}

function release() {
  walking = false;
  hovered = null;
  pin(null);
}

/* --- steps and places --- */

async function show(n, cell) {
  const next = Math.min(Math.max(n, 0), last);
  if (next === position && !cell) return;
  position = next;
  hovered = pinned = null;
  walking = false;
  id("scrubber").value = position + 1;
  const of = page.numbers[last], number = page.numbers[position];
  id("count").textContent = number ? `step ${number.toLocaleString("en")} of ${of.toLocaleString("en")}` : "picture";
  id("scrubber").setAttribute("aria-valuetext", `${id("count").textContent}: ${page.titles[position]}`);
  document.title = `${page.names[position]}${number ? ` (${number}/${of})` : ""} · ${page.model}`;
  markInList();
  let found;
  try {
    found = await open(next);
  } catch (error) {
    id("told").textContent = "This browser can't unpack the file: it needs to be from 2023 or later.";
    throw error;
  }
  if (next !== position) return;   // the reader has gone on meanwhile
  step = found;
  id("title").textContent = page.titles[position];
  id("shape").textContent = step.shape;
  id("replayed").parentNode.hidden = step.wrong === null;   // a picture is none of the steps
  id("replayed").className = step.wrong ? "bad" : "good";
  id("replayed").textContent = step.wrong ? `replayed: ${step.wrong}` : "replayed";
  id("prints").replaceChildren(...step.prints.map(([agrees, text]) => {
    const line = document.createElement("p");
    line.append(span(agrees ? "good" : "bad", text));
    return line;
  }));
  if (cell && cell.length > 2) wantedPlace = cell.slice(0, -2);
  showPlace(cell);
  for (const beside of [position + 1, position - 1]) if (beside >= 0 && beside <= last) open(beside).catch(() => {});
}

function showPlace(cell) {
  const at = placeHere();
  shown = step.places.find((place) => place.at.join() === at.join()) || step.places[0];
  hovered = pinned = null;
  id("told").textContent = shown.words;
  showSliders();
  drawFigure();
  if (cell) pin(findCell(cell));
  tellAddress();
  document.body.dataset.shown = page.names[position];
}

function placeHere() {   // the place the reader wants, as far as this step has it
  const counts = step.axes.map(([, count]) => count);
  const padded = [...counts.map(() => 0), ...wantedPlace];
  return counts.map((count, i) => Math.min(padded[padded.length - counts.length + i], count - 1));
}

function choosePlace(place) {
  if (step.places.length < 2 || place.join() === placeHere().join()) return;
  wantedPlace = place;
  showPlace(null);
}

function movePlace(by) {
  const next = step.places[step.places.indexOf(shown) + by];
  if (next) choosePlace(next.at);
}

function showSliders() {
  const bar = id("places");
  const many = step.axes.map(([name, count], i) => ({name, count, i})).filter(({count}) => count > 1);
  if (step.places.length < 2) {
    bar.replaceChildren(...many.map(({name, i}) => span("muted", `Only ${name} ${shown.at[i]} is in this file.`)));
    return;
  }
  const before = bar.querySelectorAll("input");
  if (before.length === many.length && many.every(({name, count}, k) => before[k].name === name && +before[k].max === count - 1)) {
    many.forEach(({name, i}, k) => setSlider(before[k], name, shown.at[i]));   // which may be under the reader's finger
    return;
  }
  bar.replaceChildren(...many.map(({name, count, i}) => {
    const label = document.createElement("label");
    const slider = document.createElement("input");
    Object.assign(slider, {type: "range", min: 0, max: count - 1, name, title: `Which ${name} is shown (↑ and ↓)`});
    slider.addEventListener("input", () => choosePlace(shown.at.map((at, k) => k === i ? +slider.value : at)));
    label.append(span("", ""), slider);
    setSlider(slider, name, shown.at[i]);
    return label;
  }));
}

function setSlider(slider, name, value) {
  slider.value = value;
  slider.setAttribute("aria-label", name);
  slider.previousSibling.textContent = `${name} ${value}`;
}

function moveStage(by) {
  const starts = page.stages.map(([, start]) => start);
  const next = by > 0 ? starts.find((start) => start > position) : starts.reverse().find((start) => start < position);
  show(next === undefined ? (by > 0 ? last : 0) : next);
}

const go = {
  first: () => show(0),
  previous: () => show(position - 1),
  next: () => show(position + 1),
  last: () => show(last),
};

function play(on) {
  clearInterval(timer);
  timer = 0;
  if (on) {
    if (position === last) show(0);
    timer = setInterval(() => {
      show(position + 1);
      if (position === last) play(false);
    }, +id("speed").value);
  }
  id("play").classList.toggle("on", on);
  id("play").setAttribute("aria-label", on ? "Stop" : "Play");
}

/* --- addresses: #step=encoder.0.attention.scores&place=0&cell=0,2,4&theme=dark --- */

const address = (n) => `#step=${encodeURIComponent(page.names[n])}`;

function tellAddress() {
  const said = [address(position)];
  if (shown.at.some((i) => i)) said.push(`place=${shown.at}`);
  if (pinned) said.push(`cell=${cellIndex(pinned)}`);
  try {
    history.replaceState(null, "", said.join("&"));
  } catch (error) { /* a page inside another page may not have an address of its own */ }
}

function followAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const name = asked.get("step") || "";
  const named = page.names.indexOf(name);
  const indices = (text) => text === null ? null : text.split(",").filter((part) => part).map(Number);
  if (asked.has("place")) wantedPlace = indices(asked.get("place"));
  if (asked.has("theme")) setTheme(asked.get("theme") === "dark");
  const wanted = named >= 0 ? named : (parseInt(name, 10) || 1) - 1;
  show(wanted, indices(asked.get("cell")));
}

/* --- the list of steps --- */

function fillList() {
  const list = id("list");
  page.stages.forEach(([title, start, count, role]) => {
    const stage = document.createElement("details");
    const summary = document.createElement("summary");
    summary.textContent = title;
    summary.style.setProperty("--stage", colour(role));
    stage.append(summary);
    for (let n = start; n < start + count; n++) {
      const link = document.createElement("a");
      const within = page.titles[n].startsWith(`${title} · `) ? page.titles[n].slice(title.length + 3) : page.titles[n];
      link.textContent = within;
      link.title = page.texts[n];
      link.href = address(n);
      stage.append(link);
    }
    list.append(stage);
  });
}

function markInList() {
  const links = id("list").querySelectorAll("a");
  const before = id("list").querySelector("[aria-current]");
  if (before) before.removeAttribute("aria-current");
  const link = links[position];
  link.setAttribute("aria-current", "step");
  if (!id("filter").value) for (const stage of id("list").children) stage.open = stage === link.parentNode || last < 40;
  if (link.offsetParent) {
    const [list, top] = [id("list"), link.offsetTop - id("list").offsetTop];
    if (top < list.scrollTop || top + link.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top - list.clientHeight / 2;
    }
  }
}

function filterList() {
  const words = id("filter").value.toLowerCase().replaceAll("-", "_").split(/\s+/).filter((word) => word);
  id("list").querySelectorAll("a").forEach((link, n) => {
    link.hidden = !words.every((word) => page.names[n].includes(word));
  });
  let any = false;
  for (const stage of id("list").children) {
    stage.hidden = !stage.querySelector("a:not([hidden])");
    stage.open = words.length > 0;
    any = any || !stage.hidden;
  }
  id("none").hidden = any;
  if (!words.length) markInList();
}

function toggleList(on) {
  id("steps").classList.toggle("open", on);
  if (on) markInList();   // scrolls there
  id("steps-button").setAttribute("aria-expanded", String(on));
}

/* --- light and dark --- */

function setTheme(isDark) {
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  id("theme-button").textContent = isDark ? "Light" : "Dark";
}

/* --- keys and pointer --- */

const ARROWS = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};

function pressed(event) {
  const {key, target} = event;
  const typing = target.matches("input[type=search], select");
  const onButton = target.matches("button, summary, a");
  if (event.altKey || event.metaKey || id("keys").open) return;
  if (typing) {
    if (key === "Escape") id("figure").focus();
    if (key === "Enter" && target === id("filter")) {
      const first = id("list").querySelector("a:not([hidden])");
      if (first) first.click();
      id("figure").focus();
    }
    return;
  }
  if (act(event, key, onButton)) event.preventDefault();
}

function act(event, key, onButton) {   // whether the key meant something
  const arrow = ARROWS[key];
  if (arrow && (event.ctrlKey || walking)) moveCell(...arrow);
  else if (event.ctrlKey) return false;
  else if (arrow && event.shiftKey) { if (!arrow[1]) return false; moveStage(arrow[1]); }
  else if (arrow) arrow[1] ? show(position + arrow[1]) : movePlace(arrow[0]);
  else if (key === "Home") go.first();
  else if (key === "End") go.last();
  else if (key === "PageUp" || key === "PageDown") {
    if (event.target !== id("scrubber")) return false;
    show(position + (key === "PageUp" ? -1 : 1) * Math.max(1, Math.floor(page.names.length / 20)));
  }
  else if (key === " " && !onButton) play(!timer);
  else if (key === "Enter" && event.target === id("figure") && shown.panels.length) { moveCell(0, 0); walking = true; }
  else if (key === "Escape") release();
  else if ((key === "m" || key === "M") && !page.numbers[0]) go.first();
  else if (key === "/") { toggleList(true); id("filter").focus(); id("filter").select(); }
  else if (key === "?") id("keys").showModal();
  else if (key === "t" || key === "T") id("theme-button").click();
  else return false;
  return true;
}

function wire() {
  const figure = id("figure");
  addEventListener("keydown", pressed);
  addEventListener("hashchange", followAddress);
  figure.addEventListener("pointermove", (event) => { if (shown && event.pointerType !== "touch") hover(cellAt(event)); });
  figure.addEventListener("pointerleave", () => { if (shown) hover(null); });
  figure.addEventListener("click", (event) => {
    if (!shown) return;
    const cell = cellAt(event);
    const touchedInput = event.pointerType === "touch" && cell !== null && !isResult(cell);
    if (event.pointerType === "touch") hovered = touchedInput ? cell : null;
    touchedInput ? showCell() : pin(isResult(cell) && !same(cell, pinned) ? cell : null);
  });
  figure.addEventListener("dblclick", (event) => {
    const cell = shown && cellAt(event);
    if (cell && shown.panels[cell.panel].step >= 0) show(shown.panels[cell.panel].step);
  });
  for (const button of document.querySelectorAll("[data-go]")) button.addEventListener("click", () => go[button.dataset.go]());
  id("play").addEventListener("click", () => play(!timer));
  id("speed").addEventListener("change", () => { if (timer) play(true); });
  id("scrubber").addEventListener("input", () => show(+id("scrubber").value - 1));
  id("timeline").addEventListener("pointermove", (event) => {
    const {left, width} = id("timeline").getBoundingClientRect();
    const n = Math.min(Math.max(Math.floor((event.clientX - left) / width * (last + 1)), 0), last);
    id("scrubber").title = `${page.numbers[n] ? `${page.numbers[n]}. ` : ""}${page.titles[n]}: ${page.texts[n]}`;
  });
  id("filter").addEventListener("input", filterList);
  id("list").addEventListener("click", (event) => { if (event.target.matches("a")) toggleList(false); });
  id("steps-button").addEventListener("click", () => toggleList(!id("steps").classList.contains("open")));
  id("keys-button").addEventListener("click", () => id("keys").showModal());
  id("theme-button").addEventListener("click", () => setTheme(document.documentElement.dataset.theme !== "dark"));
  dark.addEventListener("change", () => { if (!chosenTheme) setTheme(dark.matches); });
  narrow.addEventListener("change", () => { if (shown) drawFigure(); });
}

function start() {
  setTheme(chosenTheme ? chosenTheme === "dark" : dark.matches);
  id("model").textContent = page.model;
  id("input").textContent = page.input;
  id("output").textContent = page.output;
  id("scrubber").max = last + 1;
  const share = (n) => `${100 * n / (last + 1)}%`;
  const colours = page.stages.map(([, start, count, role]) => `${colour(role)} ${share(start)} ${share(start + count)}`);
  id("stages").style.background = `linear-gradient(90deg, ${colours.join(", ")})`;
  fillList();
  wire();
  followAddress();
  loadFonts().catch(() => {});   // without them the reader's own fonts will do
}

start();
})();
