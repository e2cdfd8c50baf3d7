"use strict";
// Columns as written by quantise.py: 16-bit codes on a linear, logarithmic or asinh scale.

const MISSING = 65535, PLUS_INFINITY = 65534, MINUS_INFINITY = 65533;

function bytes(text) {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

function words(text) {
  const raw = bytes(text), out = new Uint16Array(raw.length / 2);
  for (let i = 0; i < out.length; i++) out[i] = raw[2 * i] | (raw[2 * i + 1] << 8);
  return out;
}

function decode(column) {
  const back = {
    linear: (value) => value,
    log: Math.exp,
    asinh: (value) => column.unit * Math.sinh(value),
  }[column.transform];
  return Float64Array.from(words(column.codes), (code) =>
    code === MISSING ? NaN : code === PLUS_INFINITY ? Infinity : code === MINUS_INFINITY ? -Infinity
      : back(column.low + code * column.step));
}

function hexKeys(text) {
  const raw = bytes(text), keys = [];
  for (let i = 0; i < raw.length; i += 8) {
    keys.push(Array.from(raw.subarray(i, i + 8), (byte) => byte.toString(16).padStart(2, "0")).join(""));
  }
  return keys;
}

function readData() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const p = data.problems;
  const problems = {
    total: p.total, shown: p.shown, keys: hexKeys(p.keys), n: words(p.n), m: words(p.m),
    kappa: decode(p.kappa), minus_log_lambda: decode(p.minus_log_lambda),
  };
  for (const family of ["inputs", "labels", "directions"]) {
    problems[family] = { names: p[family].names, codes: bytes(p[family].codes) };
  }
  const claims = data.claims.map((claim) => ({
    ...claim,
    verdicts: bytes(claim.verdicts),
    margins: decode(claim.margins),
    exponents: claim.exponents && decode(claim.exponents),
    claimed: claim.claimed && decode(claim.claimed),
    unit: claim.margins.unit,
    scales: claim.scales && { names: claim.scales.names, codes: bytes(claim.scales.codes) },
  }));
  return { problems, claims, curves: data.curves, replay: data.replay };
}
