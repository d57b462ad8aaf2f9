// The page begins: its theme, its headings, its list, and what its address asks for.
const dark = matchMedia("(prefers-color-scheme: dark)");
const chosenTheme = asked.get("theme") || document.documentElement.dataset.theme;   // of the address, or of who wrote the file

const isNight = () => !printing && document.documentElement.dataset.theme === "dark";

function setTheme(night) {
  document.documentElement.dataset.theme = night ? "dark" : "light";
  id("theme-button").textContent = night ? "Light" : "Dark";
  if (shown) drawFigure();   // some colours are written for both
}

function start() {
  setTheme(chosenTheme ? chosenTheme === "dark" : dark.matches);
  document.documentElement.classList.toggle("bare", bare);
  id("model").textContent = page.model;
  id("input").textContent = page.input;
  id("output").textContent = page.output;
  id("scrubber").max = last + 1;
  const share = (n) => `${100 * n / (last + 1)}%`;
  const colours = page.stages.map(([, first, count, role]) => `${colour(role)} ${share(first)} ${share(first + count)}`);
  id("stages").style.background = `linear-gradient(90deg, ${colours.join(", ")})`;
  drawHatch(...page.hatch);
  fillList();
  wire();
  setCovered(asked.has("cover"));
  followAddress();
  loadFonts().catch(() => {});   // without them the reader's own fonts will do
}
