// Pieces of the file are unpacked when they are first looked at.
const id = (name) => document.getElementById(name);
const page = JSON.parse(id("index").textContent);
const pieces = document.querySelectorAll("script.step");
const pictures = document.querySelectorAll("script.view");
const long = document.querySelectorAll("script.long");
const last = page.names.length - 1;
const asked = new URLSearchParams(location.search);   // ?bare, ?cover, ?theme=dark
const bare = asked.has("bare");

async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")));
}

async function unpackPiece(piece) {
  const found = await (await unpacked(piece.textContent)).json();
  const whole = (item) => typeof item === "number" ? unpacked(long[item].textContent).then((text) => text.json()) : item;
  found.shared = await Promise.all(found.shared.map(whole));   // numbers stand for what several pieces share
  return found;
}

const KEPT = 24;
const opened = new Map();

function open(piece) {
  if (!opened.has(piece)) opened.set(piece, unpackPiece(piece));
  const found = opened.get(piece);
  opened.delete(piece);
  opened.set(piece, found);
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
