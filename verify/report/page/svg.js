// Drawing: elements, scales with their ticks, frames.

const SPACE = "http://www.w3.org/2000/svg";
const VERDICTS = ["HOLDS", "FAILS", "UNRESOLVED", "VACUOUS"];

function svg(name, attributes = {}, children = []) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  for (const child of [].concat(children)) element.append(child);
  return element;
}

function html(name, attributes = {}, children = []) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  for (const child of [].concat(children)) element.append(child);
  return element;
}

function format(value) {
  if (value === null || Number.isNaN(value)) return "";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value), power = Math.floor(Math.log10(size) + 1e-9);
  if (power >= -3 && power < 5) return String(Number(value.toPrecision(3))).replace("-", "−");
  const [digits, exponent] = value.toExponential(2).split("e");
  const factor = Number(digits), ten = `10${superscript(Number(exponent))}`;
  return (factor === 1 ? ten : factor === -1 ? `−${ten}` : `${factor}·${ten}`).replace("-", "−");
}

function superscript(number) {
  return String(number).replace("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
}

// A scale maps values to [from, to]; `ticks` are values to label.
function scale(transform, low, high, from, to, ticks) {
  const a = transform(low), b = transform(high), span = b - a || 1;
  const place = (value) => from + ((transform(value) - a) / span) * (to - from);
  return { place, ticks: thin(ticks.filter((tick) => tick >= low && tick <= high)), low, high };
}

function thin(ticks, most = 7) {
  if (ticks.length <= most) return ticks;
  const zero = ticks.indexOf(0), every = Math.ceil(ticks.length / most);
  return ticks.filter((_, i) => (i - Math.max(zero, 0)) % every === 0);
}

function powers(low, high) {
  const out = [];
  for (let k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); k++) out.push(Number(`1e${k}`));
  if (out.length > 3) return out;
  return out.flatMap((power) => [power, 2 * power, 5 * power]);
}

function logScale(values, from, to) {
  const [low, high] = extent(values.filter((value) => value > 0), 1, 10);
  const pad = high > low ? (high / low) ** 0.03 : 2;
  const ends = [low / pad, high * pad], round = powers(low, high).filter((tick) => tick >= ends[0] && tick <= ends[1]);
  return scale(Math.log, ...ends, from, to, round.length > 2 ? round : evenTicks(...ends, 5));
}

function asinhScale(values, unit, from, to, withZero = true) {
  let [low, high] = extent(values, 0, unit);
  if (withZero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  const transform = (value) => Math.asinh(value / unit);
  const pad = 0.03 * (transform(high) - transform(low) || 1);
  const ends = [unit * Math.sinh(transform(low) - pad), unit * Math.sinh(transform(high) + pad)];
  const sizes = powers(unit, Math.max(Math.abs(low), Math.abs(high), unit)).filter((tick) => tick >= unit);
  return scale(transform, ...ends, from, to, [...sizes.map((size) => -size).reverse(), 0, ...sizes]);
}

function linearScale(low, high, from, to, count = 6) {
  return scale((value) => value, low, high, from, to, evenTicks(low, high, count));
}

function evenTicks(low, high, count) {
  const raw = (high - low || 1) / count, base = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * base).find((size) => size >= raw * 0.999);
  const ticks = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; k++) ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}

function extent(values, low, high) {
  let least = Infinity, most = -Infinity;
  for (const value of values) {
    if (Number.isFinite(value)) { least = Math.min(least, value); most = Math.max(most, value); }
  }
  return least <= most ? [least, most] : [low, high];
}

const BOX = { width: 400, height: 260, left: 58, right: 12, top: 14, bottom: 40 };

// Axes with ticks and titles; returns the svg element.
function frame(x, y, xTitle, yTitle, label, box = BOX) {
  const bottom = box.height - box.bottom, right = box.width - box.right;
  const root = svg("svg", { viewBox: `0 0 ${box.width} ${box.height}`, role: "img", "aria-label": label });
  for (const tick of x.ticks) {
    root.append(svg("line", { x1: x.place(tick), x2: x.place(tick), y1: box.top, y2: bottom, class: "axis" }),
      svg("text", { x: x.place(tick), y: bottom + 15, "text-anchor": "middle" }, format(tick)));
  }
  for (const tick of y.ticks) {
    root.append(svg("line", { x1: box.left, x2: right, y1: y.place(tick), y2: y.place(tick), class: "axis" }),
      svg("text", { x: box.left - 6, y: y.place(tick) + 4, "text-anchor": "end" }, y.name ? y.name(tick) : format(tick)));
  }
  root.append(svg("text", { x: (box.left + right) / 2, y: box.height - 6, "text-anchor": "middle" }, xTitle));
  const middle = (box.top + bottom) / 2;
  root.append(svg("text", { x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, yTitle));
  return root;
}
