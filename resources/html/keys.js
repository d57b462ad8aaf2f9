// Keys and pointer.
const ARROWS = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
const TURNS = {PageUp: -1, PageDown: 1};   // as a presenter's remote control sends them

function pressed(event) {
  const {key, target} = event;
  if (document.querySelector("dialog[open]")) return;
  if (target.matches("input[type=search], input[type=text], select")) {
    typed(key, target);
    return;
  }
  if (!event.altKey && !event.metaKey && act(event, key, target.matches("button, summary, a"))) event.preventDefault();
  else passOn(event);
}

function typed(key, target) {
  if (key === "Escape") id("figure").focus();
  if (key !== "Enter" || target !== id("filter")) return;
  const first = id("list").querySelector("a:not([hidden])");
  if (first) first.click();
  id("figure").focus();
}

function act(event, key, onButton) {   // whether the key meant something
  if (!shown) return false;
  const arrow = ARROWS[key];
  if (arrow && (event.ctrlKey || walking)) return moveCell(...arrow), true;
  if (event.ctrlKey) return false;
  if (arrow && event.shiftKey) return arrow[1] !== 0 && !isEnd(arrow[1]) && (moveStage(arrow[1]), true);
  if (arrow && arrow[1]) return !isEnd(arrow[1]) && (show(position + arrow[1]), true);
  if (arrow) return movePlace(arrow[0]), true;
  if (TURNS[key] && bare) return !isEnd(TURNS[key]) && (show(position + TURNS[key]), true);
  if (TURNS[key] && event.target === id("scrubber")) return jump(TURNS[key]), true;
  if (startGuess(key)) return true;
  if (onButton && (key === " " || key === "Enter")) return false;
  const meaning = KEYS[key.length === 1 ? key.toLowerCase() : key];
  return meaning !== undefined && meaning(event) !== false;
}

const KEYS = {   // those that answer false have nothing to do just now
  Home: () => go.first(),
  End: () => go.last(),
  " ": () => play(!timer),
  Enter: () => enter(),
  Backspace: () => goOut(),
  Escape: () => release(),
  m: () => toMap(),
  v: () => step.views.length > 0 && (chooseView((wantedView + 1) % (step.views.length + 1)), true),
  c: () => setCovered(!covered),
  p: () => offerPrint(),
  t: () => setTheme(!isNight()),
  "/": () => { if (bare) return false; toggleList(true); id("filter").focus(); id("filter").select(); },
  "?": () => id("keys").showModal(),
};

function enter() {   // into a level, to the cells of a step, and what is below the cover
  if (!shown.panels.length) return goIn();
  if (pinned && isCovered(pinned)) return reveal(pinned);
  moveCell(0, 0);
  walking = true;
}

function jump(by) {
  show(position + by * Math.max(1, Math.floor(page.names.length / 20)));
}

function clicked(event) {
  if (!shown || event.target.closest("a")) return;
  const cell = cellAt(event);
  const touchedInput = event.pointerType === "touch" && cell !== null && !isResult(cell);
  if (event.pointerType === "touch") hovered = touchedInput ? cell : null;
  if (touchedInput) return showCell();
  const covers = cell !== null && isCovered(cell);
  if (covers) reveal(cell);
  pin(isResult(cell) && (covers || !same(cell, pinned)) ? cell : null);
}

function wireFigure(figure) {
  figure.addEventListener("pointermove", (event) => { if (shown && event.pointerType !== "touch") hover(cellAt(event)); });
  figure.addEventListener("pointerleave", () => { if (shown && document.activeElement !== id("guess")) hover(null); });
  figure.addEventListener("click", clicked);
  figure.addEventListener("dblclick", (event) => {
    const cell = shown && cellAt(event);
    if (cell && shown.panels[cell.panel].step >= 0) show(shown.panels[cell.panel].step);
  });
}

function wireTimeline() {
  for (const button of document.querySelectorAll("[data-go]")) button.addEventListener("click", () => go[button.dataset.go]());
  id("play").addEventListener("click", () => play(!timer));
  id("speed").addEventListener("change", () => { if (timer) play(true); });
  id("scrubber").addEventListener("input", () => show(+id("scrubber").value - 1, {replace: true}));
  id("timeline").addEventListener("pointermove", (event) => {
    const {left, width} = id("timeline").getBoundingClientRect();
    const n = Math.min(Math.max(Math.floor((event.clientX - left) / width * (last + 1)), 0), last);
    id("scrubber").title = `${page.numbers[n] ? `${page.numbers[n]}. ` : ""}${page.titles[n]}: ${page.texts[n]}`;
  });
}

function wireButtons() {
  id("filter").addEventListener("input", filterList);
  id("list").addEventListener("click", (event) => { if (event.target.matches("a")) toggleList(false); });
  id("steps-button").addEventListener("click", () => toggleList(!id("steps").classList.contains("open")));
  id("keys-button").addEventListener("click", () => id("keys").showModal());
  id("theme-button").addEventListener("click", () => setTheme(!isNight()));
  id("cover-button").addEventListener("click", () => setCovered(!covered));
  id("print-button").addEventListener("click", offerPrint);
  id("print").addEventListener("close", () => { if (CHOICES[id("print").returnValue]) printChosen(id("print").returnValue); });
  id("guess-form").addEventListener("submit", judge);
}

function wire() {
  addEventListener("keydown", pressed);
  addEventListener("hashchange", followAddress);
  addEventListener("beforeprint", fillSheets);
  addEventListener("afterprint", clearSheets);
  wireFigure(id("figure"));
  wireTimeline();
  wireButtons();
  dark.addEventListener("change", () => { if (!chosenTheme) setTheme(dark.matches); });
  narrow.addEventListener("change", () => { if (shown) drawFigure(); });
}
