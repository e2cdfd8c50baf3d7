// The trajectory of one problem: loss, norms and alignments over one time axis, with the phases marked.

const PHASES = { t_plus1: "t₊₁", t1: "t₁", t_u: "t_u", t2: "t₂", t3: "t₃" };
const PANEL = { width: 760, height: 190, left: 80, right: 14, top: 22, bottom: 26 };
const GROUP = { "1": "plus", "-1": "minus", "0": "other" };

function openTrajectory(study, key, claimId) {
  const dialog = document.getElementById("trajectory");
  if (!(key in study.curves)) {
    tellStatus(`Problem ${key}: ${study.replay.replace("KEY", key)}`);
    return;
  }
  const curve = study.curves[key], i = study.problems.keys.indexOf(key);
  document.getElementById("trajectory-title").textContent = `Trajectory of ${key}`;
  const p = study.problems;
  const sizes = i < 0 ? "" : `n = ${p.n[i]}, m = ${p.m[i]}, κ = ${format(p.kappa[i])}, Λ = ${format(p.minus_log_lambda[i])}. `;
  dialog.querySelector(".note").textContent =
    `${sizes}Among the tightest of ${claimId}. Again: ${study.replay.replace("KEY", key)}`;
  const draw = () => drawPanels(dialog, curve, document.getElementById("log-time").checked);
  document.getElementById("log-time").onchange = draw;
  draw();
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function drawPanels(dialog, curve, logarithmic) {
  const times = Array.from(decode(curve.times)), last = times[times.length - 1];
  const small = times.find((t) => t > 0) || 1;
  const x = logarithmic
    ? scale((t) => Math.log(Math.max(t, small)), small, last, PANEL.left, PANEL.width - PANEL.right, powers(small, last))
    : linearScale(0, last, PANEL.left, PANEL.width - PANEL.right, 7);
  const decades = (values) => Array.from(values, (value) => value / Math.LN10);
  const loss = decades(decode(curve.loss)), norms = curve.norms.map(decode);
  const tilts = curve.tilts.map((column) => decades(decode(column)));
  const place = dialog.querySelector(".panels");
  place.replaceChildren(
    panel(x, curve, times, "loss L", [[loss, "curve loss"]], { power: true, floor: extent(loss, 0, 1)[1] - 13, named: true }),
    panel(x, curve, times, "ln‖w_j‖  [nats]", norms.map((line, k) => [line, `curve ${GROUP[curve.groups[k]]}`]), {}),
    panel(x, curve, times, "1 − cos∠", tilts.map((line, k) => [line, `curve ${GROUP[curve.tilt_groups[k]]}`]), { power: true }),
  );
  dialog.querySelector(".legend").replaceChildren(...legend(curve));
}

function panel(x, curve, times, title, lines, { power = false, floor = -Infinity, named = false }) {
  const [low, high] = extent(lines.flatMap(([values]) => Array.from(values)), 0, 1);
  const bottom = PANEL.height - PANEL.bottom, pad = 0.04 * (high - low || 1);
  const y = linearScale(Math.max(low, floor) - pad, high + pad, bottom, PANEL.top, 4);
  if (power) {
    y.ticks = y.ticks.filter(Number.isInteger);
    y.name = (tick) => (tick === 0 ? "1" : tick === 1 ? "10" : `10${superscript(tick)}`);
  }
  const root = frame(x, y, "time t", title, `${title} against time`, PANEL);
  let previous = -Infinity;
  for (const [name, t] of Object.entries(curve.phases).sort((a, b) => a[1] - b[1])) {
    if (t > x.high || t < x.low) continue;
    const at = x.place(t);
    root.append(svg("line", { x1: at, x2: at, y1: PANEL.top, y2: bottom, class: "phase" }));
    if (named && at - previous > 16) root.append(svg("text", { x: at, y: PANEL.top - 6, "text-anchor": "middle" }, PHASES[name] || name));
    previous = named ? at : previous;
  }
  for (const [values, kind] of lines) root.append(svg("path", { d: line(times, values, x, y), class: kind }));
  return root;
}

function line(times, values, x, y) {
  let path = "", pen = "M";
  for (let i = 0; i < times.length; i++) {
    if (!Number.isFinite(values[i])) { pen = "M"; continue; }
    path += `${pen}${x.place(times[i]).toFixed(1)} ${y.place(clamp(values[i], y.low, y.high)).toFixed(1)}`;
    pen = "L";
  }
  return path;
}

function legend(curve) {
  const count = (group) => curve.groups.filter((other) => other === group).length;
  const entries = [[1, "plus", "S₊₁, angle to D₊"], [-1, "minus", "S₋₁, angle to −D₋"], [0, "other", "other neurons"]];
  return entries.filter(([group]) => count(group)).map(([group, kind, text]) => {
    const hidden = group === 0 && curve.hidden ? `, ${curve.hidden} more not drawn` : "";
    return html("span", {}, [html("i", { style: `border-color: var(--${kind})` }), `${text} (${count(group)}${hidden})`]);
  });
}
