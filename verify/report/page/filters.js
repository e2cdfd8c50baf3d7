// What the form says, kept in the address so that a view can be sent to somebody.

const FAMILIES = ["inputs", "labels", "directions"];
const FIELDS = ["q", "show", "tag", "n", "m", ...FAMILIES, "low", "high"];

function fillChoices(form, problems) {
  const fill = (name, values) => {
    form.elements[name].append(new Option("any", ""), ...values.map((value) => new Option(value, value)));
  };
  for (const size of ["n", "m"]) fill(size, [...new Set(problems[size])].sort((a, b) => a - b));
  for (const family of FAMILIES) fill(family, problems[family].names);
}

function readAddress(form) {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of FIELDS) if (given.has(name)) form.elements[name].value = given.get(name);
  return given;
}

function writeAddress(form, sort) {
  const state = new URLSearchParams();
  for (const name of FIELDS) if (form.elements[name].value) state.set(name, form.elements[name].value);
  if (sort.by) { state.set("sort", sort.by); state.set("order", sort.order); }
  const text = state.toString();
  history.replaceState(null, "", `#${text}`);
}

// One byte a drawn problem: whether the form lets it through.
function problemMask(form, problems) {
  const value = (name) => form.elements[name].value.trim();
  const number = (name) => value(name) === "" || Number.isNaN(Number(value(name))) ? null : Number(value(name));
  const codes = FAMILIES.map((family) => [problems[family].codes, problems[family].names.indexOf(value(family))]);
  const [n, m, low, high] = ["n", "m", "low", "high"].map(number);
  const mask = new Uint8Array(problems.shown);
  let count = 0;
  for (let i = 0; i < mask.length; i++) {
    const inside = (n === null || problems.n[i] === n) && (m === null || problems.m[i] === m)
      && (low === null || problems.kappa[i] >= low) && (high === null || problems.kappa[i] <= high)
      && codes.every(([values, code]) => code < 0 || values[i] === code);
    if (inside) { mask[i] = 1; count++; }
  }
  return { mask, count, active: count < problems.shown };
}

// Counts and margins of one claim over the problems that are left; margins on two scales have no median.
function counted(claim, mask) {
  const counts = [0, 0, 0, 0], margins = [], scales = new Set();
  let least = null, scale = "";
  for (let i = 0; i < mask.length; i++) {
    if (!mask[i] || claim.verdicts[i] > 3) continue;
    counts[claim.verdicts[i]]++;
    if (claim.verdicts[i] < 3 && !Number.isNaN(claim.margins[i])) {
      const own = claim.scales ? claim.scales.names[claim.scales.codes[i]] : claim.scale;
      if (least === null || claim.margins[i] < least) [least, scale] = [claim.margins[i], own];
      margins.push(claim.margins[i]);
      scales.add(own);
    }
  }
  margins.sort((a, b) => a - b);
  const half = margins.length >> 1;
  const twoScales = scales.size > 1;
  const median = !margins.length || twoScales ? null : margins.length % 2 ? margins[half] : (margins[half - 1] + margins[half]) / 2;
  const [held, failed, unresolved, vacuous] = counts;
  return { held, failed, unresolved, vacuous, margin: least, scale, median, twoScales };
}

function lineMatches(row, numbers, form) {
  const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = row.dataset.text.toLowerCase(), tag = form.elements.tag.value;
  if (!words.every((word) => text.includes(word)) || (tag && !row.dataset.tag.includes(tag))) return false;
  const untested = !numbers.held && !numbers.failed && !numbers.unresolved;
  return {
    "": true, failed: numbers.failed > 0, unresolved: numbers.unresolved > 0, vacuous: numbers.vacuous > 0,
    untested, held: !numbers.failed && !numbers.unresolved && !untested,
  }[form.elements.show.value];
}
