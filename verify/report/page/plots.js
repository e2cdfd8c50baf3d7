// The plots of one claim, from its columns and the mask of the problems that the filter leaves.

const SCALE_NAMES = { nats: "margin ln(bound) − ln(quantity)  [nats]", relative: "margin (bound − quantity)/bound" };

function chosen(claim, mask) {
  const where = [];
  for (let i = 0; i < mask.length; i++) if (mask[i] && claim.verdicts[i] < 3 && !Number.isNaN(claim.margins[i])) where.push(i);
  return where;
}

// The cases of a claim apart by scale, for margins of two scales share no axis; the scale of the tightest one first.
function byScale(claim, where) {
  if (!claim.scales) return [[claim.scale, where]];
  const { names, codes } = claim.scales;
  const parts = names.map((name, code) => [name, where.filter((i) => codes[i] === code)]).filter(([, part]) => part.length);
  return parts.sort(([a], [b]) => (b === claim.scale) - (a === claim.scale));
}

function drawPlots(place, claim, study, mask, abscissa) {
  place.replaceChildren();
  const where = chosen(claim, mask);
  if (!where.length) {
    place.append(html("p", { class: "note" }, "No case with a margin among these problems."));
    return;
  }
  for (const [scale, part] of byScale(claim, where)) {
    place.append(histogram(claim, part, scale), marginPlot(claim, part, study, abscissa, scale));
  }
  if (claim.exponents) place.append(exponentPlot(claim, where, study, abscissa));
}

function figure(title, drawing) {
  return html("figure", {}, [html("figcaption", {}, title), drawing]);
}

function histogram(claim, where, scale) {
  const margins = where.map((i) => claim.margins[i]);
  const x = asinhScale(margins, claim.unit, BOX.left, BOX.width - BOX.right);
  const bins = Math.min(40, Math.max(8, Math.round(Math.sqrt(where.length) * 1.6)));
  const counts = Array.from({ length: bins }, () => [0, 0, 0]);
  const width = (BOX.width - BOX.right - BOX.left) / bins;
  for (const i of where) {
    const bin = Math.floor((x.place(clamp(claim.margins[i], x.low, x.high)) - BOX.left) / width);
    counts[clamp(bin, 0, bins - 1)][claim.verdicts[i]]++;
  }
  const most = Math.max(...counts.map((parts) => parts.reduce((a, b) => a + b)));
  const y = linearScale(0, most, BOX.height - BOX.bottom, BOX.top, 4);
  y.ticks = y.ticks.filter(Number.isInteger);
  const root = frame(x, y, SCALE_NAMES[scale] || "margin", "problems", `Distribution of ${where.length} margins`);
  counts.forEach((parts, bin) => {
    let base = 0;
    parts.forEach((count, verdict) => {
      if (!count) return;
      const top = y.place(base + count), height = y.place(base) - top;
      root.append(svg("rect", { x: BOX.left + bin * width + 0.5, y: top, width: width - 1, height, class: VERDICTS[verdict] }));
      base += count;
    });
  });
  zeroLine(root, x.place(0), x.place(0), BOX.top, BOX.height - BOX.bottom, x.low < 0);
  const infinite = margins.filter((value) => !Number.isFinite(value)).length;
  const title = claim.scales ? `Margins (${scale})` : "Margins";
  return figure(title + (infinite ? `, ${infinite} of them infinite (in the last bar)` : ""), root);
}

function marginPlot(claim, where, study, abscissa, scale) {
  const xs = study.problems[abscissa], ys = claim.margins;
  const x = logScale(where.map((i) => xs[i]), BOX.left, BOX.width - BOX.right);
  const y = asinhScale(where.map((i) => ys[i]), claim.unit, BOX.height - BOX.bottom, BOX.top);
  const root = frame(x, y, abscissaName(abscissa), claim.scales ? `margin [${scale}]` : "margin", `Margin against ${abscissaName(abscissa)}`);
  if (y.low < 0) {
    const zero = y.place(0);
    root.append(svg("rect", {
      x: BOX.left, width: BOX.width - BOX.right - BOX.left, y: zero, height: BOX.height - BOX.bottom - zero, class: "against",
    }));
  }
  zeroLine(root, BOX.left, BOX.width - BOX.right, y.place(0), y.place(0), true);
  points(root, claim, where, study, (i) => x.place(xs[i]), (i) => y.place(clamp(ys[i], y.low, y.high)));
  return figure(`Margin against ${abscissa === "kappa" ? "κ" : "Λ"}`, root);
}

// One claimed exponent for all: against κ, with a line; else measured against claimed, with the diagonal.
function exponentPlot(claim, where, study, abscissa) {
  const known = where.filter((i) => !Number.isNaN(claim.exponents[i]));
  const promised = known.map((i) => claim.claimed[i]).filter(Number.isFinite);
  const [low, high] = extent(promised, NaN, NaN);
  const single = !(high > low + 0.01 * Math.abs(low));
  const xs = single ? study.problems[abscissa] : claim.claimed;
  const right = BOX.width - BOX.right, bottom = BOX.height - BOX.bottom;
  const drawn = known.filter((i) => Number.isFinite(xs[i]));
  const all = drawn.map((i) => claim.exponents[i]).concat(promised);
  const positive = all.every((value) => value > 0);
  const vertical = (from, to) => positive ? logScale(all, from, to) : asinhScale(all, 0.01, from, to, false);
  const y = vertical(bottom, BOX.top);
  const x = single ? logScale(drawn.map((i) => xs[i]), BOX.left, right) : vertical(BOX.left, right);
  const root = frame(x, y, single ? abscissaName(abscissa) : "claimed exponent", "measured exponent",
    "Measured against claimed exponent");
  if (single && Number.isFinite(low)) {
    root.append(svg("line", { x1: BOX.left, x2: right, y1: y.place(low), y2: y.place(low), class: "claimedline" }));
  } else if (!single) {
    root.append(svg("line", { x1: BOX.left, x2: right, y1: bottom, y2: BOX.top, class: "claimedline" }));
  }
  points(root, claim, drawn, study, (i) => x.place(xs[i]), (i) => y.place(clamp(claim.exponents[i], y.low, y.high)));
  const line = single ? (Number.isFinite(low) ? `; the line is the claimed ${format(low)}` : "") : "; the line is equality";
  return figure(["Exponent p in quantity ≈ e", html("sup", {}, "−pκ"), line], root);
}

function points(root, claim, where, study, px, py) {
  const places = where.map((i) => [px(i), py(i), i]);
  for (const verdict of [0, 2, 1]) {
    const path = places.filter(([, , i]) => claim.verdicts[i] === verdict).map(([a, b]) => `M${a.toFixed(1)} ${b.toFixed(1)}h0`);
    if (path.length) root.append(svg("path", { d: path.join(""), class: `points ${VERDICTS[verdict]}` }));
  }
  const nearest = (event) => {
    const box = root.getBoundingClientRect(), factor = BOX.width / box.width;
    const at = [(event.clientX - box.left) * factor, (event.clientY - box.top) * factor];
    let best = null, least = 100;
    for (const [a, b, i] of places) {
      const distance = (a - at[0]) ** 2 + (b - at[1]) ** 2;
      if (distance < least) { least = distance; best = i; }
    }
    return best;
  };
  root.addEventListener("pointermove", (event) => { const i = nearest(event); if (i === null) hideTip(); else showTip(event, tipText(claim, study, i)); });
  root.addEventListener("pointerleave", hideTip);
  root.addEventListener("click", (event) => { const i = nearest(event); if (i !== null) openTrajectory(study, study.problems.keys[i], claim.id); });
}

function tipText(claim, study, i) {
  const p = study.problems, key = p.keys[i];
  const more = key in study.curves ? "click for its trajectory" : study.replay.replace("KEY", key);
  return `${key}: margin ${format(claim.margins[i])}, n = ${p.n[i]}, m = ${p.m[i]}, κ = ${format(p.kappa[i])}; ${more}`;
}

function strip(claim, mask) {
  const [[, where] = ["", []]] = byScale(claim, chosen(claim, mask)), width = 120, height = 26, bins = 40;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height + 4}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  if (!where.length) return root;
  const x = asinhScale(where.map((i) => claim.margins[i]), claim.unit, 2, width - 2);
  const counts = Array.from({ length: bins }, () => [0, 0, 0]);
  for (const i of where) {
    const bin = Math.floor(((x.place(clamp(claim.margins[i], x.low, x.high)) - 2) / (width - 4)) * bins);
    counts[clamp(bin, 0, bins - 1)][claim.verdicts[i]]++;
  }
  const most = Math.max(...counts.flat());
  counts.forEach((parts, bin) => parts.forEach((count, verdict) => {
    if (!count) return;
    const tall = Math.max(2, height * Math.sqrt(count / most));
    root.append(svg("rect", { x: 2 + (bin * (width - 4)) / bins, y: height - tall, width: 2.4, height: tall, class: VERDICTS[verdict] }));
  }));
  root.append(svg("line", { x1: x.place(0), x2: x.place(0), y1: 0, y2: height + 4, class: "zeroline" }));
  return root;
}

function zeroLine(root, x1, x2, y1, y2, shown) {
  if (shown) root.append(svg("line", { x1, x2, y1, y2, class: "zeroline" }));
}

function abscissaName(name) {
  return name === "kappa" ? "κ = εΛ" : "Λ = −ln λ";
}

function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
