// The drawing of the tree: an SVG of the size of its window over a spacer of the size of
// the tree. Only what is in the window is drawn, so a tree may have any number of rows.

const NATURAL = 20, WITH_PICTURES = 34, LARGEST_ROW = 110, MARGIN = 16, TOP = 14;
const SURE = 0.8; // from here on, a join has a filled dot
const STRIP = 13, N_GROUP_COLOURS = 12; // of groups: room in pixels; then with stripes
const LONG_LABEL = 44; // letters
const MANY_LEAVES = 150, SMALLEST_AT_START = 11, SMALLEST_PICTURE = 22;

function makeDendrogram(data, tree, sheet, tellCurrent) {
  const viewport = byId("viewport"), drawing = byId("drawing"), spacer = byId("spacer");
  const natural = sheet ? WITH_PICTURES : NATURAL, rowsAtStart = sheet ? 30 : 45;
  const pen = document.createElement("canvas").getContext("2d");
  const view = {
    tree, data, sheet, viewport, row: natural, axis: "size", current: -1, hover: -1, isOwnFold: true,
    folded: new Uint8Array(tree.count), found: new Uint8Array(tree.count),
    clusters: null, asked: tree.cut.length, isPrinting: false, showsUnstable: false,
  };
  const isShown = (v) => view.showsUnstable || !tree.isUnstable[v];
  view.clusters = clustersOf(tree, view.asked, isShown);
  const [start, end] = sharedEnds(data.labels, LONG_LABEL);
  const texts = data.labels.map((label) => twoEnds((start ? "…" : "") + label.slice(start, label.length - end) + (end ? "…" : ""), LONG_LABEL));
  let queued = false, hits = [], labelWidth = 0, seen = 0;
  // Groups, in the order in which they first come in the tree; too many tell nothing.
  const groupNames = [...new Set(Array.from(tree.order, (leaf) => data.groups?.[leaf] || ""))].filter(Boolean);
  const groupOf = new Map(groupNames.length <= 2 * N_GROUP_COLOURS ? groupNames.map((name, at) => [name, at]) : []);
  const strip = groupOf.size ? STRIP : 0;
  view.groups = [...groupOf.keys()];

  function measure() {
    seen = viewport.clientWidth;
    pen.font = "13px " + getComputedStyle(document.body).fontFamily;
    const step = Math.max(1, Math.floor(texts.length / 400));
    let widest = 30;
    for (let at = 0; at < texts.length; at += step) widest = Math.max(widest, pen.measureText(texts[at]).width);
    const pictures = sheet ? 6 * 30 : 0;
    const wanted = Math.max(widest + (sheet ? 40 : 0), view.rows.length < tree.n ? 240 + pictures : 0) + 66 + strip;
    labelWidth = Math.round(Math.min(wanted, width() * (width() < 520 ? 0.5 : 0.42)));
  }

  const width = () => view.isPrinting ? 700 : seen;
  const height = () => view.isPrinting ? view.rows.length * view.row + 2 * TOP + 14 : viewport.clientHeight;
  const stretch = () => Math.max(1, view.row / natural);
  const tip = () => MARGIN + (width() - labelWidth - MARGIN) * stretch();
  const xOf = (v) => MARGIN + view.place[v] * (tip() - MARGIN);
  const yOf = (v) => TOP + (view.y[v] + 0.5) * view.row;

  view.relayout = () => {
    Object.assign(view, layoutOf(tree, view.folded, isShown));
    view.place = placesOf(tree, view.axis);
    measure();
    view.resize();
  };

  view.resize = () => {
    spacer.style.width = `${tip() + labelWidth}px`;
    const high = view.rows.length * view.row + 2 * TOP + 14;
    spacer.style.height = `${high}px`;
    viewport.style.height = `min(80vh, 860px, ${Math.max(120, Math.ceil(high) + 2)}px)`;
    view.queue();
  };

  view.queue = () => {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => { queued = false; view.draw(); });
  };

  view.draw = () => {
    seen = viewport.clientWidth;
    const left = view.isPrinting ? 0 : viewport.scrollLeft, top = view.isPrinting ? 0 : viewport.scrollTop;
    const wide = width(), high = height();
    drawing.setAttribute("width", wide);
    drawing.setAttribute("height", high);
    const from = (top - TOP) / view.row - 1, to = (top + high - TOP) / view.row;
    const window_ = { left, top, wide, high, from, to };
    const layer = shape("g", { transform: `translate(${-left} ${-top})` });
    hits = [];
    drawRows(layer, window_);
    drawCut(layer, window_);
    drawBranches(layer, window_);
    drawLabels(layer, window_);
    drawCurrent(layer);
    drawing.replaceChildren(layer);
  };

  const isIn = (v, w) => view.y[v] >= w.from && view.y[v] <= w.to;

  function drawRows(layer, w) {
    for (let at = Math.max(0, Math.ceil(w.from)); at < view.rows.length && at <= w.to; at++) {
      const v = view.rows[at];
      const kind = view.found[v] ? "found" : v === view.hover ? "hover" : "";
      if (kind) layer.append(shape("rect", { class: kind, x: tip() + 11, y: yOf(v) - view.row / 2 + 0.5, width: labelWidth - 14, height: Math.max(2, view.row - 1), rx: 4 }));
    }
  }

  function drawCut(layer, w) {
    const t = tree.n - view.clusters.k; // merges below the cut
    if (view.axis === "size" || !view.clusters.isLevel || t < 1 || t > tree.n - 2) return;
    const x = (xOf(tree.n + t - 1) + xOf(tree.n + t)) / 2;
    layer.append(shape("line", { class: "cut", x1: x, x2: x, y1: w.top, y2: w.top + w.high }));
  }

  function drawBranches(layer, w) {
    const lines = new Map(), joints = [];
    const thin = Math.min(2, Math.max(0.35, 0.22 * view.row)), thick = Math.max(thin, 1.4);
    const add = (kind, text) => lines.set(kind, (lines.get(kind) || "") + text);
    const corner = Math.min(4, view.row / 3);
    for (const v of view.open) {
      const own = view.branches.get(v);
      if (view.y[own[own.length - 1]] < w.from || view.y[own[0]] > w.to) continue;
      const x = xOf(v), y = yOf(v);
      for (const c of own) {
        const low = Math.min(view.y[v], view.y[c]), high = Math.max(view.y[v], view.y[c]);
        if (high < w.from || low > w.to) continue;
        const yc = yOf(c), xc = xOf(c), turn = Math.min(corner, xc - x, Math.abs(y - yc));
        const bent = yc < y ? turn : -turn;
        const isLong = Math.abs(yc - y) > 5; // where there is room, also in an overview
        add(`${view.clusters.colour[c]} ${isLong ? thick : thin}`, `M${xc.toFixed(1)} ${yc.toFixed(1)}H${(x + turn).toFixed(1)}Q${x.toFixed(1)} ${yc.toFixed(1)} ${x.toFixed(1)} ${(yc + bent).toFixed(1)}V${y.toFixed(1)}`);
      }
      if (isIn(v, w)) joints.push(v);
    }
    const group = shape("g", { "stroke-width": thin });
    for (const [kind, d] of lines) {
      const [c, wide] = kind.split(" ");
      group.append(shape("path", { class: `k${c}`, "stroke-width": wide, d }));
    }
    for (let at = Math.max(0, Math.ceil(w.from)); at < view.rows.length && at <= w.to; at++) {
      const v = view.rows[at];
      if (tree.isLeaf(v)) continue;
      const half = Math.min(0.36 * view.row, 13), c = view.clusters.colour[v];
      group.append(shape("path", { class: `fold k${c} f${c}`, d: `M${xOf(v)} ${yOf(v)}L${tip()} ${yOf(v) - half}V${yOf(v) + half}Z` }));
    }
    layer.append(group);
    const shownJoints = view.row >= 9 && joints.length < 500;
    for (const v of joints) {
      const point = { v, x: xOf(v), y: yOf(v) };
      hits.push(point);
      if (!shownJoints) continue;
      const c = view.clusters.colour[v], isSure = tree.certainty(v) >= SURE;
      const dot = shape("circle", { class: `joint k${c}${isSure ? ` sure f${c}` : ""}`, cx: point.x, cy: point.y, r: v === view.hover ? 5.5 : 3.2 });
      layer.append(dot);
    }
  }

  function drawLabels(layer, w) {
    const x = tip() + 4 + strip, size = Math.min(13, view.row * 0.74);
    const first = Math.max(0, Math.ceil(w.from)), last = Math.min(view.rows.length - 1, Math.floor(w.to));
    if (size >= 6.5) {
      for (let at = first; at <= last; at++) drawLabel(layer, view.rows[at], x + 14, size);
    }
    const step = Math.max(1, Math.floor(1 / view.row)); // rows of a pixel share a piece
    if (strip) for (let at = first; at <= last; at += step) drawGroups(layer, view.rows[at], step * view.row);
    // A bar for each cluster beside the leaves, and its number in the middle of it.
    for (let at = first; at <= last;) {
      const number = view.clusters.number[view.rows[at]];
      let end = at;
      while (end < last && view.clusters.number[view.rows[end + 1]] === number) end++;
      if (number >= 0) {
        const c = view.clusters.colour[view.rows[at]], y = TOP + at * view.row;
        const long = (end - at + 1) * view.row, edge = Math.min(1, view.row / 8);
        layer.append(shape("rect", { class: `f${c}`, x, y: y + edge, width: 5, height: Math.max(0.8, long - 2 * edge), rx: 2 }));
        if (long >= 15) {
          const middle = w.left + w.wide - 22, wide = number + 1 > 99 ? 30 : 24;
          const place = Math.max(middle, x);
          layer.append(shape("rect", { class: `f${c}`, x: place - wide / 2, y: y + long / 2 - 8.5, width: wide, height: 17, rx: 8.5 }));
          layer.append(shape("text", { class: `tag t${c}`, x: place, y: y + long / 2 + 0.5 }, String(number + 1)));
        }
      }
      at = end + 1;
    }
  }

  // The groups of a row, in a strip between the tree and its labels; large folded rows
  // have one piece for each group.
  function drawGroups(layer, v, room) {
    const leaves = tree.leaves(v), tally = new Map();
    for (const leaf of leaves) tally.set(data.groups[leaf], (tally.get(data.groups[leaf]) || 0) + 1);
    let y = yOf(v) - view.row / 2;
    for (const [name, at] of groupOf) {
      const high = (tally.get(name) || 0) / leaves.length * room, x = tip() + 3;
      if (!high) continue;
      layer.append(shape("rect", { class: `g${at % N_GROUP_COLOURS}`, x, y, width: 9, height: high + 0.3 }));
      let lines = "";
      if (at >= N_GROUP_COLOURS) for (let line = y + 2; line < y + high; line += 4) lines += `M${x} ${line}h9`;
      if (lines) layer.append(shape("path", { class: "stripes", d: lines }));
      y += high;
    }
  }

  function drawLabel(layer, v, x, size) {
    const y = yOf(v), room = labelWidth - 58 - strip;
    let used = 0;
    if (sheet) {
      const side = Math.min(view.row - 4, 44), leaves = tree.leaves(v);
      const most = tree.isLeaf(v) ? 1 : Math.max(1, Math.min(6, Math.floor((room - 70) / (side + 3))));
      for (let j = 0; j < Math.min(most, leaves.length); j++) {
        const leaf = leaves[Math.floor((j + 0.5) * leaves.length / Math.min(most, leaves.length))];
        if (!sheet.has(leaf)) continue;
        layer.append(sheet.pictured(leaf, x + used, y - side / 2, side));
        used += side + 3;
      }
      used += used ? 5 : 0;
    }
    const text = shape("text", { x: x + used, y, "font-size": size, class: tree.isLeaf(v) ? "" : "folded" });
    text.textContent = fitted(tree.isLeaf(v) ? texts[v] : view.summary(v), room - used, tree.isLeaf(v) ? "" : "600 ", size, tree.isLeaf(v));
    layer.append(text);
  }

  // Text in this room, without its end or, if that may tell labels apart, its middle.
  function fitted(text, room, weight, size, hasEnd) {
    pen.font = `${weight}${size}px ${view.font || (view.font = getComputedStyle(document.body).fontFamily)}`;
    const letters = Array.from(text);
    let short = text, kept = letters.length, wide = pen.measureText(text).width;
    while (kept > 1 && wide > room) {
      kept = Math.max(1, Math.min(kept - 1, Math.floor(kept * room / wide)));
      const last = hasEnd && kept > 9 ? Math.floor(0.4 * kept) : 0;
      short = letters.slice(0, kept - last).join("") + "…" + letters.slice(letters.length - last).join("");
      wide = pen.measureText(short).width;
    }
    return short;
  }

  function drawCurrent(layer) {
    const v = view.current;
    if (v < 0 || view.y[v] < 0) return;
    const isRow = tree.isLeaf(v) || view.folded[v];
    if (isRow) {
      layer.append(shape("rect", { class: "current", x: tip() + 11, y: yOf(v) - view.row / 2 + 1, width: labelWidth - 14, height: Math.max(3, view.row - 2), rx: 5 }));
    } else {
      layer.append(shape("circle", { class: "current", cx: xOf(v), cy: yOf(v), r: 8 }));
    }
  }

  const withShare = (text, x) => x === 1 ? `all ${text}` : `${text} ${Math.min(99, Math.max(1, Math.round(100 * x)))}\u00a0%`;

  // What a folded node holds, in a few words: its groups where known, else some labels.
  view.summary = (v, most = 2) => {
    const leaves = tree.leaves(v), n = leaves.length;
    if (data.groups) {
      const tally = new Map();
      for (const leaf of leaves) tally.set(data.groups[leaf], (tally.get(data.groups[leaf]) || 0) + 1);
      const best = [...tally].sort((a, b) => b[1] - a[1]).slice(0, most);
      return `${grouped(n)}: ` + best.map(([name, m]) => withShare(name ? `“${shown(name, 18)}”` : "no group", m / n)).join(", ") + (tally.size > most ? ", …" : "");
    }
    return `${grouped(n)}: ` + Array.from(leaves.subarray(0, 3), (leaf) => shown(data.labels[leaf], 22)).join(", ") + (n > 3 ? ", …" : "");
  };

  // ------------------------------------------------------------ what can be done to it
  view.setClusters = (k) => {
    view.asked = k;
    view.clusters = clustersOf(tree, k, isShown);
    if (view.isOwnFold && tree.n > MANY_LEAVES && k > view.rows.length) view.foldTo(Math.max(k, rowsAtStart), true);
    view.queue();
  };

  view.foldTo = (k, isOwn = false) => {
    foldInto(tree, view.folded, k, view.clusters, isShown);
    view.isOwnFold = isOwn;
    view.relayout();
  };

  view.toggle = (v) => {
    if (tree.isLeaf(v)) return;
    const before = yOf(v) - viewport.scrollTop;
    view.folded[v] = view.folded[v] ? 0 : 1;
    view.isOwnFold = false;
    view.relayout();
    viewport.scrollTop = yOf(v) - before; // what was clicked stays under the pointer
  };

  // Turns the branches of a join round: all of them, if it has more than two.
  view.turn = (v) => {
    if (v < 0 || tree.isLeaf(v)) return;
    const all = [v];
    for (let at = 0; at < all.length; at++) {
      for (const side of [0, 1]) {
        const c = tree.child(all[at], side);
        if (!tree.isLeaf(c) && !isShown(c)) all.push(c);
      }
    }
    tree.turn(all);
    view.isTurned = true;
    view.relayout();
  };

  view.showUnstable = (wanted) => {
    view.showsUnstable = wanted;
    view.clusters = clustersOf(tree, view.asked, isShown);
    if (view.isOwnFold && tree.n > MANY_LEAVES) foldInto(tree, view.folded, Math.max(rowsAtStart, view.clusters.k), view.clusters, isShown);
    view.relayout();
    if (view.current >= 0 && view.y[view.current] < 0) view.current = -1;
  };

  view.unfoldAll = () => {
    view.folded.fill(0);
    view.isOwnFold = false;
    view.relayout();
  };

  view.zoom = (factor, y = viewport.clientHeight / 2) => {
    const least = Math.min(natural, fitting());
    const row = Math.min(LARGEST_ROW, Math.max(least, view.row * factor));
    const at = (viewport.scrollTop + y - TOP) / view.row;
    view.row = row;
    view.resize();
    viewport.scrollTop = at * row + TOP - y;
    view.queue();
  };

  // The height of rows with which the tree fills its window.
  const fitting = () => (Math.min(0.8 * innerHeight, 860) - 2 * TOP - 16) / view.rows.length;

  // Small enough to be seen as a whole at the start, if labels can still be read; or for
  // the most part, if that makes pictures a bit smaller.
  view.fitAtStart = () => {
    const row = fitting(), least = sheet ? SMALLEST_PICTURE : SMALLEST_AT_START;
    const isNear = sheet && row > 0.6 * least;
    view.row = row < least && !isNear ? natural : Math.min(natural, Math.max(row, least));
    view.resize();
  };

  view.fit = () => {
    view.row = Math.min(LARGEST_ROW / 2, Math.max(0.2, fitting()));
    view.resize();
  };

  view.reveal = (v) => {
    let isHidden = false;
    for (let p = tree.parent[v]; p >= 0; p = tree.parent[p]) {
      if (view.folded[p]) { view.folded[p] = 0; isHidden = true; }
    }
    if (isHidden) { view.isOwnFold = false; view.relayout(); }
  };

  view.choose = (v, isMoving = true) => {
    view.current = v;
    if (isMoving) {
      if (view.row < 9) { view.row = natural; view.resize(); }
      const y = yOf(v), x = tree.isLeaf(v) || view.folded[v] ? null : xOf(v);
      const room = Math.min(60, viewport.clientHeight / 4);
      if (y < viewport.scrollTop + room) viewport.scrollTop = y - viewport.clientHeight / 3;
      if (y > viewport.scrollTop + viewport.clientHeight - room) viewport.scrollTop = y - 2 * viewport.clientHeight / 3;
      if (x !== null && (x < viewport.scrollLeft || x > viewport.scrollLeft + viewport.clientWidth)) viewport.scrollLeft = x - viewport.clientWidth / 2;
    }
    tellCurrent(v);
    view.queue();
  };

  // The node at a point of the window, or -1: a join nearby, a folded node, a label.
  view.nodeAt = (clientX, clientY) => {
    const box = viewport.getBoundingClientRect();
    const x = clientX - box.left - viewport.clientLeft + viewport.scrollLeft;
    const y = clientY - box.top - viewport.clientTop + viewport.scrollTop;
    let best = -1, nearest = 11 * 11;
    for (const hit of hits) {
      const distance = (hit.x - x) ** 2 + (hit.y - y) ** 2;
      if (distance < nearest) { nearest = distance; best = hit.v; }
    }
    if (best >= 0) return best;
    const v = view.rows[Math.floor((y - TOP) / view.row)];
    if (v === undefined || y < TOP) return -1;
    return x >= tip() || (view.folded[v] && x >= xOf(v) - 6) ? v : -1;
  };

  // Where labels begin, in the window of the browser.
  view.leavesAt = () => viewport.getBoundingClientRect().left + viewport.clientLeft + tip() - viewport.scrollLeft;

  view.placeOf = (v) => ({ x: xOf(v) - viewport.scrollLeft, y: yOf(v) - viewport.scrollTop });

  // Few answers about many objects leave nearly all joins at one height.
  const isLow = !tree.heights || tree.n > MANY_LEAVES || tree.n < 2 || tree.heights[tree.n - 2] === tree.heights[0];
  view.axis = isLow ? "size" : "height";
  if (tree.n > MANY_LEAVES) foldInto(tree, view.folded, Math.max(rowsAtStart, tree.cut.length), view.clusters, isShown);
  return view;
}
