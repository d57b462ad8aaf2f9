// The list of steps on the left.
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
