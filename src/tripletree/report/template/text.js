// Text from the data is only ever put into the page as text.

const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

function element(name, attributes = {}, ...parts) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...parts);
  return made;
}

function shape(name, attributes = {}, text = null) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  return made;
}

// A label as it is shown: control characters and marks that turn the direction of text
// become visible, and long ones are cut. Characters are never cut in half.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

function shown(label, most = 200) {
  let text = label.length > 4 * most ? label.slice(0, 4 * most) : label;
  text = text.replace(HIDDEN, (x) => x < " " ? String.fromCharCode(0x2400 + x.charCodeAt(0)) : "�");
  const letters = Array.from(text.toWellFormed ? text.toWellFormed() : text);
  if (letters.length <= most && text.length >= label.length) return text;
  return letters.slice(0, Math.max(1, most - 1)).join("") + "…";
}

// A long label as its two ends: files of pictures often differ only in the last letters.
function twoEnds(label, most) {
  const whole = shown(label, most);
  if (label.length <= most || !whole.endsWith("…")) return whole;
  const last = Math.floor(0.4 * most), tail = Array.from(label.slice(-2 * last)).slice(-last).join("");
  return shown(label, most - last) + shown(tail);
}

// How many letters all labels share at their start and at their end, if some are long:
// the folder and the ending of pictures, say. These need not be drawn at every leaf.
function sharedEnds(labels, most) {
  const first = labels[0], least = Math.min(...labels.map((label) => label.length));
  if (labels.length < 2 || !labels.some((label) => label.length > most)) return [0, 0];
  let start = least, end = least;
  for (const label of labels) {
    while (!label.startsWith(first.slice(0, start))) start--;
    while (!label.endsWith(first.slice(first.length - end))) end--;
  }
  while (start && /[\p{L}\p{N}\p{M}\p{Cs}]/u.test(first[start - 1])) start--; // whole words
  while (end && /[\p{M}\p{Cs}]/u.test(first[first.length - end])) end--; // whole letters
  return [start > 4 ? start : 0, end > 4 && start + end < least ? end : 0];
}

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const grouped = (x) => Math.round(x).toLocaleString("en-US");
const percent = (x) => `${(100 * x).toFixed(1)}\u00a0%`;

function rounded(x) {
  if (x === 0) return "0";
  const text = Math.abs(x) >= 1000 ? grouped(x) : String(Number(x.toPrecision(3)));
  return text.replace("-", "−");
}

const whole = (x) => `${Math.round(100 * x)}\u00a0%`;
const counted = (n, one, many) => `${grouped(n)} ${n === 1 ? one : many}`;

// A cell of a CSV file. What a spreadsheet would take for a formula gets a quote before
// it; a plain number does not need one.
function csvCell(value) {
  let text = String(value);
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
  if (!isNumber && /^[\s\u0000]*[=+\-@\t\r]/.test(text)) text = "'" + text;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv(rows) {
  return rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

function save(name, text, kind) {
  const url = URL.createObjectURL(new Blob([text], { type: kind }));
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// An SVG as it is shown, without the style sheet of the page: colours and fonts become
// attributes, and all pictures are parts of one.
function standalone(svg, sheetUri) {
  const copy = svg.cloneNode(true), own = svg.querySelectorAll("*");
  const kept = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight", "font-family", "text-anchor", "dominant-baseline"];
  copy.querySelectorAll("*").forEach((part, at) => {
    if (part.tagName === "g" || part.tagName === "svg") return;
    if (part.tagName === "image") {
      part.replaceWith(shape("use", { href: "#pictures" }));
      return;
    }
    const style = getComputedStyle(own[at]);
    for (const name of kept) part.setAttribute(name, style.getPropertyValue(name).replaceAll('"', "'"));
    part.removeAttribute("class");
  });
  const [wide, high] = ["width", "height"].map((name) => Number(svg.getAttribute(name)));
  copy.removeAttribute("id");
  copy.removeAttribute("aria-hidden");
  copy.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  copy.prepend(shape("rect", { width: wide, height: high, fill: "#fff" }));
  const image = svg.querySelector("image");
  if (image) {
    const pictures = shape("image", { id: "pictures", href: sheetUri, width: image.getAttribute("width"), height: image.getAttribute("height") });
    const defs = shape("defs");
    defs.append(pictures);
    copy.prepend(defs);
  }
  return { text: new XMLSerializer().serializeToString(copy), wide, high };
}

// The pixels of an SVG, as a file.
async function pixels({ text, wide, high }) {
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })), image = new Image();
  image.src = url;
  await image.decode();
  const scale = Math.min(2, 16000 / Math.max(wide, high));
  const canvas = element("canvas", { width: Math.round(wide * scale), height: Math.round(high * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return new Promise((done) => canvas.toBlob(done));
}

// Thumbnails: one sheet for all, drawn from it.
function makeSheet(given) {
  if (!given) return null;
  const image = new Image();
  const bytes = Uint8Array.from(atob(given.uri.split(",")[1]), (x) => x.charCodeAt(0));
  const kind = given.uri.slice(5, given.uri.indexOf(";"));
  const url = URL.createObjectURL(new Blob([bytes], { type: kind }));
  image.src = url;
  const isBlown = (size) => size >= 2 * given.cell; // then show the pixels as they are
  return {
    image,
    has: (leaf) => !given.has || given.has[leaf] === 1,
    corner: (leaf) => [leaf % given.columns * given.cell, Math.floor(leaf / given.columns) * given.cell],
    drawn(leaf, size) {
      const ratio = Math.ceil(window.devicePixelRatio || 1);
      const canvas = element("canvas", { width: size * ratio, height: size * ratio, "aria-hidden": "true" });
      canvas.style.width = canvas.style.height = `${size}px`;
      const pen = canvas.getContext("2d"), [x, y] = this.corner(leaf);
      pen.imageSmoothingEnabled = !isBlown(canvas.width);
      pen.drawImage(image, x, y, given.cell, given.cell, 0, 0, canvas.width, canvas.height);
      return canvas;
    },
    pictured(leaf, x, y, size) {
      const [left, top] = this.corner(leaf);
      const frame = shape("svg", { x, y, width: size, height: size, viewBox: `${left} ${top} ${given.cell} ${given.cell}` });
      const all = shape("image", { href: url, width: image.naturalWidth, height: image.naturalHeight });
      if (isBlown(size)) all.style.imageRendering = "pixelated";
      frame.append(all);
      return frame;
    },
  };
}
