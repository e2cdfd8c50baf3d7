// The page: reads the data, keeps table, plots and address in step with the form.

const COUNTS = ["held", "failed", "unresolved", "vacuous"];

function tellStatus(text) {
  document.getElementById("status").textContent = text;
}

function showTip(event, text) {
  const tip = document.getElementById("tip");
  tip.textContent = text;
  tip.hidden = false;
  const left = Math.min(event.pageX + 12, document.documentElement.clientWidth - tip.offsetWidth - 8);
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${event.pageY + 14}px`;
}

function hideTip() {
  document.getElementById("tip").hidden = true;
}

function start() {
  const study = readData(), form = document.getElementById("filters"), body = document.querySelector("#index tbody");
  const byId = new Map(study.claims.map((claim) => [claim.id, claim]));
  const lines = [...body.rows].map((row, order) => ({
    row, order, claim: byId.get(row.dataset.claim), section: document.getElementById(`claim-${row.dataset.claim}`),
    whole: [...row.cells].map((cell) => cell.innerHTML), kind: row.className,
    total: Object.fromEntries(COUNTS.map((name, i) => [name, Number(row.cells[2 + i].textContent)])),
  }));
  const sort = { by: null, order: "ascending" };
  let left = null;
  const abscissa = document.getElementById("abscissa");

  function update() {
    left = problemMask(form, study.problems);
    let visible = 0;
    for (const line of lines) {
      showNumbers(line, left);
      const shown = lineMatches(line.row, line.numbers, form);
      line.row.hidden = line.section.hidden = !shown;
      visible += shown;
      if (line.section.open) draw(line);
    }
    arrange();
    writeAddress(form, sort);
    const drawn = study.problems.shown < study.problems.total ? ` drawn (of ${study.problems.total})` : "";
    tellStatus(`${visible} of ${lines.length} claims, ${left.count} of ${study.problems.shown} problems${drawn}`);
  }

  function draw(line) {
    drawPlots(line.section.querySelector(".plots"), line.claim, study, left.mask, abscissa.value);
  }

  function arrange() {
    const sign = sort.order === "ascending" ? 1 : -1;
    const value = (line) => sort.by === "tag" ? line.row.dataset.tag : sort.by === "claim" ? line.order : line.numbers[sort.by];
    const sorted = [...lines].sort((a, b) => (sort.by ? sign * compare(value(a), value(b), sign) : 0) || a.order - b.order);
    body.append(...sorted.map((line) => line.row));
    for (const head of document.querySelectorAll("#index th[data-sort]")) {
      if (head.dataset.sort === sort.by) head.setAttribute("aria-sort", sort.order); else head.removeAttribute("aria-sort");
    }
  }

  function sortBy(name) {
    const first = name === "claim" || name === "tag" || name === "margin" || name === "median" ? "ascending" : "descending";
    if (sort.by === name && sort.order !== first) sort.by = null;
    else [sort.by, sort.order] = [name, sort.by === name ? (first === "ascending" ? "descending" : "ascending") : first];
    arrange();
    writeAddress(form, sort);
  }

  fillChoices(form, study.problems);
  const given = readAddress(form);
  if (given.get("sort")) [sort.by, sort.order] = [given.get("sort"), given.get("order") || "ascending"];
  form.addEventListener("input", update);
  form.addEventListener("reset", () => setTimeout(update));
  form.addEventListener("submit", (event) => event.preventDefault());
  document.querySelector("#index thead").addEventListener("click", (event) => {
    const head = event.target.closest("th[data-sort]");
    if (head && event.target.closest("button")) sortBy(head.dataset.sort);
  });
  for (const line of lines) {
    line.section.addEventListener("toggle", () => line.section.open && draw(line));
    line.row.querySelector("a").addEventListener("click", (event) => {
      event.preventDefault();
      line.section.open = true;
      line.section.scrollIntoView({ block: "start" });
      line.section.querySelector("summary").focus({ preventScroll: true });
    });
  }
  abscissa.addEventListener("change", () => lines.forEach((line) => line.section.open && draw(line)));
  document.getElementById("open-all").addEventListener("click", () => lines.forEach((line) => { line.section.open = true; }));
  document.getElementById("close-all").addEventListener("click", () => lines.forEach((line) => { line.section.open = false; }));
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.trajectory");
    if (button) openTrajectory(study, button.dataset.problem, button.dataset.claim);
  });
  update();
  const open = given.get("open") && document.getElementById(`claim-${given.get("open")}`);
  if (open) { open.open = true; open.scrollIntoView(); }
  if (given.get("problem") in study.curves) openTrajectory(study, given.get("problem"), given.get("open") || "a claim");
}

// Without a filter on problems the numbers are those of the whole campaign; with one, those of the problems left.
function showNumbers(line, left) {
  const { row, claim } = line, found = counted(claim, left.mask);
  const whole = { ...line.total, margin: number(claim.margin), median: number(claim.median_value) };
  line.numbers = left.active ? found : whole;
  if (left.active) {
    COUNTS.forEach((name, i) => { row.cells[2 + i].textContent = found[name]; });
    row.cells[6].replaceChildren(found.margin === null ? "–" : `${format(found.margin)} `, html("span", { class: "unit" }, found.scale));
    row.cells[7].textContent = found.twoScales ? "two scales" : found.median === null ? "" : format(found.median);
  } else {
    line.whole.slice(0, 8).forEach((inner, i) => { if (i > 1) row.cells[i].innerHTML = inner; });
  }
  COUNTS.forEach((name, i) => {
    row.cells[2 + i].classList.toggle("zero", line.numbers[name] === 0);
    row.cells[2 + i].classList.toggle("some", line.numbers[name] > 0);
  });
  const tested = line.numbers.held + line.numbers.failed + line.numbers.unresolved;
  row.className = !left.active ? line.kind : !tested ? "" : line.numbers.failed ? "failed" : line.numbers.unresolved ? "unresolved" : "";
  row.cells[8].replaceChildren(strip(claim, left.mask));
}

function number(value) {
  return value === null ? null : Number(String(value).replace("inf", "Infinity"));
}

// Missing numbers stand last in both directions.
function compare(a, b, sign) {
  if (a === null || b === null) return sign * ((a === null) - (b === null));
  return a < b ? -1 : a > b ? 1 : 0;
}

function chooseTheme() {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  const set = (on) => { root.dataset.theme = on ? "dark" : "light"; };
  set(dark.matches);
  dark.addEventListener("change", (event) => set(event.matches));
  document.getElementById("theme").addEventListener("click", () => set(root.dataset.theme !== "dark"));
}

chooseTheme();
start();
