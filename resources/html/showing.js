// Where the reader looks: a step or a level, one of its pictures, a place of its leading axes (a head), and a cell.
let position = -1;
let wantedPlace = [];   // of the leading axes; kept from step to step, clipped to what a step has
let wantedView = 0;     // of the pictures of the step: 0 is its own, then the others
let step = null;        // the unpacked step
let shown = null;       // its figures and panels at the place
let hovered = null;     // {panel, row, column}
let pinned = null;
let walking = false;    // whether plain arrow keys go over the cells
let timer = 0;
let turn = 0;           // counts what is asked for: of what takes time to unpack, only the last is shown

const inside = new Map();   // of a level: where the reader was in it

async function show(n, {index = null, view = "", replace = false, notice = ""} = {}) {
  const next = Math.min(Math.max(n, 0), last);
  if (next === position && !index && !view && !notice && !wantedView) return;
  const asked = ++turn;
  position = next;
  hovered = pinned = null;
  walking = false;
  markPosition();
  let found;
  try {
    found = await open(pieces[next]);
  } catch (error) {
    id("told").textContent = "This browser can't unpack the file: it needs to be from 2023 or later.";
    throw error;
  }
  if (asked !== turn) return;   // the reader has gone on meanwhile
  step = found;
  showStep();
  wantedView = Math.max(0, step.views.findIndex(([name]) => name === view) + 1);
  const unknown = view && !wantedView ? `${page.names[next]} has no picture called “${view}” on this page.` : "";
  await showPlace({index, replace, notice: notice || unknown});
  for (const beside of [position + 1, position - 1]) if (beside >= 0 && beside <= last) open(pieces[beside]).catch(() => {});
}

function markPosition() {
  const of = page.numbers.reduce((most, each) => Math.max(most, each), 0), count = page.numbers[position];
  id("scrubber").value = position + 1;
  id("count").textContent = count ? `step ${count.toLocaleString("en")} of ${of.toLocaleString("en")}` : "picture";
  id("scrubber").setAttribute("aria-valuetext", `${id("count").textContent}: ${page.titles[position]}`);
  document.title = `${page.names[position]}${count ? ` (${count}/${of})` : ""} · ${page.model}`;
  markInList();
}

function showStep() {
  id("title").textContent = page.titles[position];
  id("caption").textContent = page.captions[position] || "";
  id("caption").hidden = !page.captions[position];
  id("provenance").textContent = page.provenance;
  id("provenance").hidden = !page.provenance;
  id("shape").textContent = step.shape;
  id("replayed").parentNode.hidden = step.wrong === null;   // a picture is none of the steps
  id("replayed").className = step.wrong ? "bad" : "good";
  id("replayed").textContent = step.wrong ? `replayed: ${step.wrong}` : "replayed";
}

async function showPlace({index = null, replace = false, notice = ""} = {}) {
  const asked = ++turn;
  const {place, cell, wrong} = readIndex(index);
  if (place) wantedPlace = place;
  const at = placeHere();
  const own = step.places.find((each) => each.at.join() === at.join()) || step.places[0];
  const next = wantedView ? {...own, panels: [], spots: [], ...await viewHere(own)} : own;
  if (asked !== turn) return;
  shown = next;
  hovered = pinned = judged = null;
  const found = cell && !wantedView ? findCell(cell) : null;
  tell(notice || (wrong || (cell && !found) ? `${page.names[position]} has no cell ${index} on this page.` : ""));
  showWords();
  showSliders();
  showViews();
  drawFigure();
  if (found) {
    pinned = found;
    showCell();
  }
  tellAddress(replace);
  document.body.dataset.shown = page.names[position];
}

const rank = () => step.places[0].panels.reduce((most, panel) => panel.output ? Math.max(most, panel.rank) : most, 0);

function readIndex(index) {   // "2" may be a head, and "2,0,4" a cell of it: the step says how many numbers it has
  if (!index) return {};
  const numbers = index.split(",").map(Number);
  const counts = step.axes.map(([, count]) => count);
  const wrong = !/^\d+(,\d+)*$/.test(index) || counts.some((count, i) => numbers[i] >= count);
  if (wrong) return {wrong};
  if (numbers.length === counts.length) return {place: numbers};
  if (numbers.length !== rank()) return {wrong: true};
  return {place: counts.length ? numbers.slice(0, counts.length) : null, cell: numbers};
}

function inWords() {   // what is covered is not told in words either; a number and its % are on one line
  return (covered && shown.panels.length ? page.texts[position] : shown.words).replaceAll(" %", "\u00a0%");
}

function showWords() {
  id("told").textContent = inWords();
  id("prints").replaceChildren(...(covered ? [] : step.prints).map(([agrees, text]) => {
    const line = document.createElement("p");
    line.append(span(agrees ? "good" : "bad", text));
    return line;
  }));
}

function tell(notice) {
  id("notice").textContent = notice;
  id("notice").hidden = !notice;
}

/* Other pictures of the same step or level. */

function viewHere(own) {
  const [, , numbers] = step.views[wantedView - 1];
  return open(pictures[numbers[numbers.length > 1 ? step.places.indexOf(own) : 0]]);
}

function chooseView(n) {
  if (n === wantedView) return;
  wantedView = n;
  showPlace();
}

function showViews() {
  const titles = step.views.length ? [step.picture, ...step.views.map(([, title]) => title)] : [];
  id("views").hidden = !titles.length;
  id("views").replaceChildren(...titles.map((title, n) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = title;
    button.setAttribute("aria-pressed", String(n === wantedView));
    button.addEventListener("click", () => {
      chooseView(n);
      id("figure").focus();
    });
    return button;
  }));
}

/* Heads. */

function placeHere() {   // the place the reader wants, as far as this step has it
  const counts = step.axes.map(([, count]) => count);
  const padded = [...counts.map(() => 0), ...wantedPlace];
  return counts.map((count, i) => Math.min(padded[padded.length - counts.length + i], count - 1));
}

function choosePlace(place) {
  if (step.places.length < 2 || place.join() === placeHere().join()) return;
  wantedPlace = place;
  showPlace({replace: true});
}

function movePlace(by) {
  const next = step.places[step.places.findIndex(({at}) => at.join() === shown.at.join()) + by];
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

/* From one to another. */

const go = {
  first: () => show(0),
  previous: () => show(position - 1),
  next: () => show(position + 1),
  last: () => show(last),
};

function moveStage(by) {
  const starts = page.stages.map(([, start]) => start);
  const next = by > 0 ? starts.find((start) => start > position) : starts.reverse().find((start) => start < position);
  show(next === undefined ? (by > 0 ? last : 0) : next);
}

function goOut() {   // whether there is a level around this one
  if (wantedView) return chooseView(0), true;
  const around = page.above[position];
  if (around < 0) return false;
  inside.set(around, position);
  show(around);
  return true;
}

function goIn() {   // whether there is something inside: where the reader was, or else the first
  const first = page.above.indexOf(position);
  if (first < 0) return false;
  show(inside.has(position) ? inside.get(position) : first);
  return true;
}

function toMap() {   // and back
  if (page.names[0] !== "map" || page.numbers[0]) return false;
  if (position) inside.set(0, position);
  return position ? goToMap() : goIn();
}

function goToMap() {
  show(0);
  return true;
}

function play(on) {
  clearInterval(timer);
  timer = 0;
  if (on) {
    if (position === last) show(0, {replace: true});
    timer = setInterval(() => {
      show(position + 1, {replace: true});
      if (position === last) play(false);
    }, +id("speed").value);
  }
  id("play").classList.toggle("on", on);
  id("play").setAttribute("aria-label", on ? "Stop" : "Play");
}
