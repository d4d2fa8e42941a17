// The map of pairs, the learning curve, and the tables.

function colourOf(name) {
  const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

// Colours for -127..127: from low over the middle to high.
function makeRamp() {
  const [low, middle, high] = ["--map-low", "--map-mid", "--map-high"].map(colourOf);
  return (shade) => {
    const end = shade < 0 ? low : high, share = Math.abs(shade) / 127;
    const strength = share ** 0.75; // weak sums are many: let them be seen
    return middle.map((x, at) => Math.round(x + (end[at] - x) * strength));
  };
}

function makePairs(data, tree, tell) {
  const canvas = byId("pairs"), edges = data.pairs.edges, n = edges.length - 1;
  const bytes = Uint8Array.from(atob(data.pairs.cells), (x) => x.charCodeAt(0));
  const cells = new Int8Array(bytes.buffer);
  const strongest = data.pairs.strongest;
  // With a cell for each pair, the map follows when branches are turned round.
  const isSingle = n === tree.n;
  const placeOf = (at) => isSingle ? tree.first.start[tree.order[at]] : at;
  const cellAt = (a, b) => cells[placeOf(a) * n + placeOf(b)];
  const exact = data.pairs.exact && new Int32Array(Uint8Array.from(atob(data.pairs.exact), (x) => x.charCodeAt(0)).buffer);
  const sumOf = (a, b) => {
    const [low, high] = [placeOf(a), placeOf(b)].sort((x, y) => x - y);
    return exact[high * (high - 1) / 2 + low];
  };
  const labelOf = (at) => shown(data.labels[(isSingle ? tree : tree.first).order[at]], 40);
  const range = (cell) => edges[cell + 1] - edges[cell] === 1 ? labelOf(edges[cell]) : `${labelOf(edges[cell])} … ${labelOf(edges[cell + 1] - 1)}`;
  const picture = element("canvas", { width: n, height: n });

  function paint() {
    const pen = picture.getContext("2d"), image = pen.createImageData(n, n), ramp = makeRamp();
    const shades = Array.from({ length: 256 }, (_, at) => at ? ramp(at - 128) : colourOf("--map-none"));
    for (let at = 0; at < cells.length; at++) {
      const shade = shades[cellAt(Math.floor(at / n), at % n) + 128];
      for (let part = 0; part < 3; part++) image.data[4 * at + part] = shade[part];
      image.data[4 * at + 3] = 255;
    }
    pen.putImageData(image, 0, 0);
    const scale = byId("scale");
    scale.width = 255;
    const line = scale.getContext("2d");
    for (let at = 0; at < 255; at++) {
      line.fillStyle = `rgb(${shades[at + 1].join(" ")})`;
      line.fillRect(at, 0, 1, 12);
    }
  }

  function draw(view) {
    const ratio = window.devicePixelRatio || 1, side = Math.round((canvas.clientWidth || 600) * ratio);
    canvas.width = canvas.height = side;
    const pen = canvas.getContext("2d");
    pen.imageSmoothingEnabled = n > side;
    pen.drawImage(picture, 0, 0, side, side);
    const style = getComputedStyle(document.documentElement), scale = side / tree.n;
    const { start } = isSingle ? tree : tree.first;
    const square = (v) => pen.strokeRect(start[v] * scale, start[v] * scale, tree.size[v] * scale, tree.size[v] * scale);
    pen.lineWidth = Math.max(1, 1.4 * ratio);
    pen.strokeStyle = style.getPropertyValue("--ink");
    if (view.clusters.k <= 200) view.clusters.nodes.forEach(square);
    if (view.current >= 0) {
      pen.lineWidth = 3 * ratio;
      pen.strokeStyle = style.getPropertyValue("--accent");
      square(view.current);
    }
  }

  // The mean over pairs in the same cluster, and over all others; cells as a whole.
  function describe(view) {
    let inside = 0, nInside = 0, all = 0, nAll = 0;
    const number = edges.slice(0, -1).map((at) => view.clusters.number[tree.first.order[at]]);
    for (let a = 0; a < n; a++) for (let b = 0; b < a; b++) {
      const value = cells[a * n + b] / 127 * strongest;
      all += value; nAll++;
      if (number[a] >= 0 && number[a] === number[b]) { inside += value; nInside++; }
    }
    if (!nInside || nInside === nAll) return "";
    return `With ${view.clusters.k} clusters, the average is ${rounded(inside / nInside)} for pairs within a cluster and ${rounded((all - inside) / (nAll - nInside))} for pairs in different clusters.`;
  }

  function point(event) {
    const box = canvas.getBoundingClientRect();
    const a = Math.floor((event.clientY - box.top) / box.height * n), b = Math.floor((event.clientX - box.left) / box.width * n);
    if (a < 0 || b < 0 || a >= n || b >= n) return;
    const shade = cellAt(a, b);
    const beyond = Math.abs(shade) === 127 ? " or beyond" : "";
    const value = exact && a !== b ? grouped(sumOf(a, b)).replace("-", "−") : rounded(shade / 127 * strongest) + beyond;
    const text = shade === -128 ? range(a) : `${range(a)} and ${range(b)}: ${value}`;
    byId("pair").textContent = text;
    tell(text, event.clientX, event.clientY);
  }
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("pointerleave", () => tell(""));
  byId("low").textContent = rounded(-strongest);
  byId("high").textContent = rounded(strongest);
  return {
    paint,
    draw,
    tell(view) {
      const text = describe(view);
      byId("pairs-text").textContent = text;
      canvas.setAttribute("aria-label", `Map of pair sums in the order of the leaves. ${text}`);
    },
  };
}

function drawCurve(curve) {
  if (!curve) return;
  byId("curve-section").hidden = false;
  const svg = byId("curve"), { answers, accuracy, spread } = curve, last = answers.length - 1;
  const left = 78, right = 616, top = 22, bottom = 268;
  const low = Math.min(0.5, ...accuracy.map((y, at) => y - (spread[at] ?? 0))), high = Math.max(0.6, ...accuracy.map((y, at) => y + (spread[at] ?? 0)));
  const least = Math.max(0, Math.floor(low * 20) / 20), most = Math.min(1, Math.ceil(high * 20 + 0.2) / 20);
  const log = (x) => Math.log(Math.max(1, x)), wide = log(answers[last]) - log(answers[0]) || 1;
  const x = (n) => last ? left + 20 + (log(n) - log(answers[0])) / wide * (right - left - 50) : (left + right) / 2;
  const y = (share) => bottom - (Math.min(1, Math.max(least, share)) - least) / (most - least) * (bottom - top);
  const add = (...all) => svg.append(...all);
  const step = most - least > 0.3 ? 0.1 : 0.05;
  for (let at = Math.ceil(least / step - 1e-9); at * step <= most + 1e-9; at++) {
    add(shape("line", { class: "grid", x1: left, x2: right, y1: y(at * step), y2: y(at * step) }));
    add(shape("text", { x: left - 8, y: y(at * step) + 4, "text-anchor": "end" }, `${Math.round(100 * at * step)} %`));
  }
  add(shape("line", { class: "guess", x1: left, x2: right, y1: y(0.5), y2: y(0.5) }));
  add(shape("text", { x: right, y: y(0.5) - 6, "text-anchor": "end" }, "guessing"));
  const up = accuracy.map((a, at) => `${x(answers[at])},${y(a + (spread[at] ?? 0))}`), down = accuracy.map((a, at) => `${x(answers[at])},${y(a - (spread[at] ?? 0))}`).reverse();
  if (last) add(shape("polygon", { class: "band", points: [...up, ...down].join(" ") }));
  add(shape("polyline", { class: "curve", points: accuracy.map((a, at) => `${x(answers[at])},${y(a)}`).join(" ") }));
  accuracy.forEach((a, at) => {
    add(shape("circle", { cx: x(answers[at]), cy: y(a), r: 4.5 }));
    add(shape("text", { class: "value", x: at || !last ? x(answers[at]) : left + 4, y: y(a) - 13, "text-anchor": at || !last ? "middle" : "start" }, percent(a)));
    add(shape("text", { x: x(answers[at]), y: bottom + 20, "text-anchor": "middle" }, grouped(answers[at])));
    const row = element("tr", {}, element("th", { scope: "row" }, grouped(answers[at])), element("td", {}, percent(a)), element("td", {}, spread[at] === null ? "–" : `± ${percent(spread[at])}`));
    byId("curve-table").tBodies[0].append(row);
  });
  add(shape("text", { x: (left + right) / 2, y: bottom + 42, "text-anchor": "middle" }, "answers used (logarithmic scale)"));
  let fact = "There is one point only, so the curve does not say what more answers would do.";
  if (curve.change) fact = curve.change;
  if (curve.stopped) fact = "The time limit left few points. " + fact;
  byId("curve-text").textContent = `The share of unseen answers that the tree gets right when it is built from some of the others. ${fact}${curve.hasAdvice ? " What to do, given also how stable the joins are, is at the top of the page." : ""}`;
  svg.setAttribute("aria-label", `Learning curve. ${fact} The figures are in the table beside it.`);
}

// How certain a join is, in words.
function certaintyOf(tree, data, v) {
  const parts = [], support = tree.support && tree.support[v - tree.n];
  if (tree.stability) parts.push(`stability ${whole(tree.stability[v - tree.n])}`);
  if (typeof support === "number") parts.push(`found exactly in ${whole(support)} of ${grouped(data.replicates)} replicates`);
  return parts;
}

function tellCertainty(tree, data) {
  if (!tree.stability) return;
  const all = tree.n - 1, unstable = data.collapsed?.length;
  if (!data.collapsed) byId("stable").textContent = `${counted(data.replicates, "replicate is", "replicates are")} too few to say which joins are stable: all are drawn.`;
  else byId("stable").textContent = `${grouped(all - unstable)} of ${counted(all, "join", "joins")} ${all - unstable === 1 ? "is" : "are"} stable (stability of 50\u00a0% or more)${all - unstable === 1 ? ": that of all objects, which every tree has" : ""}.${unstable ? " Where joins are not stable, more than two branches meet at one: the answers do not say in which order." : ""}`;
  byId("legend").append(` Joins with a filled dot have a stability of ${whole(SURE)} or more.`);
  const who = { annotators: "people, each with all their answers,", groups: "groups of answers", questions: "questions, each with all its answers,", "annotators and questions": "people and questions, each with all their answers," }[data.drawn] || "answers";
  byId("certainty").textContent = `How certain is each cluster? The ${who} were resampled at random ${counted(data.replicates, "time", "times")}, some drawn twice, some not at all, and a new tree was built each time. Stability says how much of a cluster came back on average: 100\u00a0% if it always came back whole, less if objects were missing or added. Support is how often exactly this cluster came back, which is rare for large clusters.`;
}

function fillClusters(view, sheet) {
  const { tree, data, clusters } = view, table = byId("clusters");
  const columns = [["Stability", tree.stability], ["Support", tree.support]].filter(([, values]) => values);
  const names = ["Cluster", "Objects", ...columns.map(([name]) => name), "Members"];
  table.tHead.replaceChildren(element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name))));
  const rows = clusters.nodes.map((v, at) => {
    const leaves = [...Array.from(tree.leaves(v)).filter((leaf) => clusters.number[leaf] === at), ...clusters.attached.filter((pair) => pair[1] === at).map(([leaf]) => leaf)], c = clusters.colour[v];
    const cells = [element("th", { scope: "row" }, element("span", { class: `swatch s${c}` }, String(at + 1))), element("td", { class: "number" }, grouped(leaves.length))];
    for (const [, values] of columns) {
      const value = tree.isLeaf(v) || v === tree.root ? null : values[v - tree.n];
      cells.push(element("td", { class: "number" }, value === null ? "–" : whole(value)));
    }
    const members = element("td");
    if (sheet && clusters.k <= 60) {
      const strip = element("div", { class: "thumbs" }), some = Math.min(24, leaves.length);
      for (let j = 0; j < some; j++) {
        const leaf = leaves[Math.floor((j + 0.5) * leaves.length / some)];
        if (sheet.has(leaf)) strip.append(sheet.drawn(leaf, 28));
      }
      members.append(strip);
    }
    const most = sheet && !data.groups ? 20 : 40;
    const text = data.groups ? view.summary(v, 4).replace(/^[^:]*: /, "") + ": " : "";
    if (text) members.append(element("strong", {}, text));
    leaves.slice(0, most).forEach((leaf, j) => members.append(j ? ", " : "", element("bdi", {}, shown(data.labels[leaf], 60))));
    if (leaves.length > most) members.append(`, and ${grouped(leaves.length - most)} more`);
    cells.push(members);
    return element("tr", {}, ...cells);
  });
  const strays = Array.from(tree.order).filter((leaf) => clusters.number[leaf] < 0);
  if (strays.length) {
    const listed = strays.slice(0, 40).map((leaf) => shown(data.labels[leaf], 60)).join(", ") + (strays.length > 40 ? `, and ${grouped(strays.length - 40)} more` : "");
    const dashes = columns.map(() => element("td", { class: "number" }, "–"));
    rows.push(element("tr", {}, element("th", { scope: "row" }, "none"), element("td", { class: "number" }, grouped(strays.length)), ...dashes, element("td", {}, element("bdi", {}, listed))));
  }
  table.tBodies[0].replaceChildren(...rows);
}

// All joins that are shown, largest first.
function fillJoins(view) {
  const { tree, data } = view, table = byId("joins"), most = 500;
  const joins = [...view.branches.keys(), ...view.rows.filter((v) => !tree.isLeaf(v))].sort((a, b) => tree.size[b] - tree.size[a] || tree.start[a] - tree.start[b]);
  const columns = [["Stability", tree.stability], ["Support", tree.support]].filter(([, values]) => values);
  const names = ["Objects", ...columns.map(([name]) => name), ...(tree.heights ? ["Similarity"] : []), "Branches", "Members"];
  table.tHead.replaceChildren(element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name))));
  table.tBodies[0].replaceChildren(...joins.slice(0, most).map((v) => {
    const button = element("button", { type: "button", "aria-label": `Show the join of ${counted(tree.size[v], "object", "objects")} in the tree` }, grouped(tree.size[v]));
    button.addEventListener("click", () => { view.reveal(v); view.choose(v); view.viewport.scrollIntoView({ block: "center" }); });
    const figures = columns.map(([, values]) => v === tree.root ? "–" : whole(values[v - tree.n]));
    if (tree.heights) figures.push(rounded(-tree.heights[v - tree.n]));
    figures.push(view.branches.has(v) ? grouped(view.branches.get(v).length) : "folded");
    const some = Array.from(tree.leaves(v).subarray(0, 20));
    const members = element("td");
    some.forEach((leaf, j) => members.append(j ? ", " : "", element("bdi", {}, shown(data.labels[leaf], 40))));
    if (tree.size[v] > some.length) members.append(`, and ${grouped(tree.size[v] - some.length)} more`);
    return element("tr", v === view.current ? { class: "current" } : {}, element("th", { scope: "row", class: "number" }, button), ...figures.map((text) => element("td", { class: "number" }, text)), members);
  }));
  byId("joins-text").textContent = joins.length > most ? `The ${grouped(most)} largest of ${grouped(joins.length)} joins.` : `${counted(joins.length, "join", "joins")}, as shown in the tree.`;
}

function fillPeople(people) {
  if (!people) return;
  byId("people-section").hidden = false;
  const shownHere = people.names.length;
  byId("people-text").textContent = `${counted(people.all, "person", "people")} answered. Where all others together decide a comparison, people agree with them in ${percent(people.rate)} of the cases. “At most” is the largest plausible share of agreement, given the number of comparisons: look first at the people at the top of the table.` + (shownHere < people.all ? ` The first ${grouped(shownHere)} are shown.` : "");
  const columns = [
    ["Person", (a) => people.names[a], (a) => shown(people.names[a], 60)],
    ["Answers", (a) => people.answers[a], (a) => grouped(people.answers[a])],
    ["Comparisons", (a) => people.comparisons[a], (a) => grouped(people.comparisons[a])],
    ...[["Agree", "agreeing"], ["Undecided", "tied"], ["Against", "against"]].map(([name, key]) => [name, (a) => people[key][a] / people.comparisons[a], (a) => percent(people[key][a] / people.comparisons[a])]),
    ["At most", (a) => people.atMost[a], (a) => percent(people.atMost[a])],
  ];
  const table = byId("people"), heads = [];
  let order = people.names.map((_, a) => a);
  const fill = () => table.tBodies[0].replaceChildren(...order.map((a) => element("tr", {}, ...columns.map(([, , text], at) => at ? element("td", {}, text(a)) : element("th", { scope: "row" }, element("bdi", {}, text(a)))))));
  columns.forEach(([name, value], at) => {
    const button = element("button", { type: "button" }, name);
    const head = element("th", { scope: "col", class: at ? "number" : "name", "aria-sort": at === 6 ? "ascending" : "none" }, button);
    button.addEventListener("click", () => {
      const isUp = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
      const sign = isUp ? 1 : -1;
      const compare = at ? (a, b) => value(a) - value(b) : (a, b) => value(a).localeCompare(value(b), "en", { numeric: true });
      order = people.names.map((_, a) => a).sort((a, b) => sign * compare(a, b) || a - b);
      fill();
    });
    heads.push(head);
  });
  table.tHead.replaceChildren(element("tr", {}, ...heads));
  fill();
}
