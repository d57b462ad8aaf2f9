// The address says what is shown: #encoder.0.attention.scores/0,2,4 is a cell, …/2 a head, …:lines another picture.
const address = (n) => `#${encodeURIComponent(page.names[n])}`;

function addressHere() {
  const view = wantedView ? `:${encodeURIComponent(step.views[wantedView - 1][0])}` : "";
  const index = pinned ? cellIndex(pinned) : shown.at.some((i) => i) ? shown.at : [];
  return address(position) + view + (index.length ? `/${index}` : "");
}

function tellAddress(replace) {   // each step is one that the browser goes back to
  const said = addressHere();
  if (said === location.hash) return;
  try {
    history[replace || bare || !location.hash ? "replaceState" : "pushState"](null, "", said);
  } catch (error) { /* a page inside another page may not have an address of its own */ }
}

function followAddress() {
  const [, name, view = "", index = null] = /^#?([^:/]*)(?::([^/]*))?(?:\/(.*))?$/s.exec(decoded(location.hash));
  const n = page.names.indexOf(name);
  if (n >= 0) return show(n, {index, view, replace: true});
  const notice = name ? `There is no “${name}” on this page; here is its beginning.` : "";
  show(0, {index: name ? null : page.cell, replace: true, notice});
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    return text;
  }
}
