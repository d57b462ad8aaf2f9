// On paper: what is shown, or many steps, each on a page of its own with its words and the arithmetic of a cell.
let printing = false;

function sheet(cell) {   // of what is shown
  const made = document.createElement("section");
  const [title, worked, words] = ["h2", "p", "p"].map((kind) => document.createElement(kind));
  title.textContent = page.titles[position];
  worked.className = "worked";
  if (cell) worked.append(...cellLine(cell));
  words.textContent = inWords();
  const picture = drawn();
  if (cell) lightOn(picture, cell);
  made.append(title, picture, worked, words);
  return made;
}

function lightOn(picture, cell) {
  const figure = id("figure").firstChild;
  id("figure").replaceChildren(picture);
  light(cell);
  id("figure").replaceChildren(figure);
}

function firstCell() {
  const [panel] = results();
  return panel === undefined || !sizes(panel).every((size) => size) ? null : {panel, row: 0, column: 0};
}

async function sheetOf(n) {   // of another step, which is shown for a moment
  const found = await open(pieces[n]);
  const before = [position, step, shown];
  [position, step] = [n, found];
  const at = placeHere();
  shown = step.places.find((place) => place.at.join() === at.join()) || step.places[0];
  const made = sheet(firstCell());
  [position, step, shown] = before;
  return made;
}

const CHOICES = {
  this: () => [position],
  key: () => page.names.map((_, n) => n).filter((n) => page.key[n]),
  all: () => page.names.map((_, n) => n),
};

async function printChosen(choice) {
  if (choice === "this") return print();
  printing = true;
  for (const n of CHOICES[choice]()) id("sheets").append(await sheetOf(n));
  print();
  clearSheets();
}

function fillSheets() {   // before the browser prints by its own command, too
  if (!shown || id("sheets").children.length) return;
  printing = true;
  id("sheets").append(sheet(pinned || firstCell()));
}

function clearSheets() {
  printing = false;
  id("sheets").replaceChildren();
}

function offerPrint() {
  for (const [choice, list] of Object.entries(CHOICES)) {
    const count = list().length, button = id("print").querySelector(`[value=${choice}] span`);
    if (button) button.textContent = count.toLocaleString("en");
  }
  id("print").showModal();
}
