// Everything together.

const data = JSON.parse(byId("data").textContent);
const tree = makeTree(data);
const sheet = makeSheet(data.sheet);
const searchable = data.labels.map(plain);
let matches = [], atMatch = -1, tablesQueued = 0;

const view = makeDendrogram(data, tree, sheet, showCurrent);
const pairs = makePairs(data, tree, showPair);

// ---------------------------------------------------------------- words about a node
function facts(v) {
  const parts = [];
  const number = view.clusters.number[v];
  if (number >= 0) parts.push(`in cluster ${number + 1}`);
  const inside = new Set(Array.from(tree.leaves(v), (leaf) => view.clusters.number[leaf]).filter((at) => at >= 0)).size;
  if (!inside) parts.push("in no cluster");
  if (tree.isLeaf(v)) {
    if (data.groups) parts.push(`group ${shown(data.groups[v] || "none", 60)}`);
    return parts;
  }
  if (number < 0 && inside) parts.push(`made of ${counted(inside, "cluster", "clusters")}`);
  if (v !== tree.root) parts.push(...certaintyOf(tree, data, v));
  const branches = view.branches.get(v) || [];
  if (branches.length > 2) parts.push(`${grouped(branches.length)} branches in uncertain order`);
  else if (tree.heights) parts.push(`similarity of its two halves ${rounded(-tree.heights[v - tree.n])}`);
  return parts;
}

const nameOf = (v) => tree.isLeaf(v) ? shown(data.labels[v], 120) : counted(tree.size[v], "object", "objects");
const describe = (v) => [nameOf(v), ...facts(v)].join(", ") + (tree.isLeaf(v) ? "" : ": " + view.summary(v).replace(/^[^:]*: /, ""));

function showTip(v, x, y) {
  const tip = byId("tip");
  tip.hidden = v < 0;
  if (v < 0) return;
  const parts = [element("strong", {}, element("bdi", {}, nameOf(v)))];
  for (const fact of facts(v)) parts.push(element("div", {}, fact));
  if (!tree.isLeaf(v)) {
    parts.push(element("div", {}, view.summary(v).replace(/^[^:]*: /, "")));
    parts.push(element("em", {}, view.folded[v] ? "click to unfold" : "click to fold"));
  }
  const picture = sheet && tree.isLeaf(v) && sheet.has(v) ? [sheet.drawn(v, 64)] : [];
  tip.replaceChildren(...picture, element("div", {}, ...parts));
  // Beside the leaves, so that these can still be read, if there is room.
  placeTip(x, y, view.leavesAt() - 10);
}

function placeTip(x, y, end = innerWidth - 8) {
  const tip = byId("tip"), wide = tip.offsetWidth, high = tip.offsetHeight;
  tip.style.left = `${Math.max(6, Math.min(x + 16, end - wide, innerWidth - wide - 8))}px`;
  tip.style.top = `${y + 18 + high > innerHeight ? Math.max(6, y - high - 12) : y + 18}px`;
}

function showPair(text, x, y) {
  const tip = byId("tip");
  tip.hidden = !text;
  tip.textContent = text;
  if (text) placeTip(x, y);
}

function showCurrent(v) {
  showItems(view, describe);
  const most = 30, leaves = tree.leaves(v), line = element("p");
  line.append(element("strong", {}, element("bdi", {}, nameOf(v))), facts(v).length ? ` (${facts(v).join("; ")})` : "");
  if (!tree.isLeaf(v)) {
    line.append(": ");
    Array.from(leaves.subarray(0, most)).forEach((leaf, j) => line.append(j ? ", " : "", element("bdi", {}, shown(data.labels[leaf], 60))));
    if (leaves.length > most) line.append(`, and ${grouped(leaves.length - most)} more`);
  }
  if (!tree.isLeaf(v) && !view.folded[v]) {
    const button = element("button", { type: "button" }, "Rotate its branches");
    button.addEventListener("click", () => { view.turn(v); view.choose(v, false); fillTables.done = null; });
    line.append(" ", button);
  }
  byId("chosen").replaceChildren(line);
  queueTables();
}

// ------------------------------------------------------------------------- clusters
function setClusters(k) {
  const chosen = Math.min(tree.n, Math.max(1, Math.round(k) || 1));
  byId("slider").value = chosen;
  byId("number").value = chosen;
  byId("slider").setAttribute("aria-valuetext", `${counted(chosen, "cluster", "clusters")}${chosen === tree.cut.length ? `, ${data.isSuggested ? "the suggested number" : "as asked"}` : tree.cuts.has(chosen) ? ", all of them stable" : ""}`);
  byId("suggested").disabled = chosen === tree.cut.length;
  if (chosen !== view.asked) view.setClusters(chosen);
  tellCoarser();
  drawProfile(chosen);
  queueTables();
}

function tellCoarser() {
  const k = view.clusters.k;
  byId("coarser").textContent = k < view.asked ? `There is no cut into ${grouped(view.asked)} where only stable joins are shown: ${k === 1 ? "this is one cluster" : `these are ${grouped(k)}`}.` : "";
}

// The tables and the map follow when there is time for them.
function queueTables() {
  clearTimeout(tablesQueued);
  tablesQueued = setTimeout(fillTables, 60);
}

function fillTables() {
  if (view.isTurned) pairs.paint();
  view.isTurned = false;
  pairs.draw(view);
  if (byId("joins-details").open) fillJoins(view);
  if (fillTables.done === view.clusters) return;
  fillTables.done = view.clusters;
  pairs.tell(view);
  fillClusters(view, sheet);
}

function drawProfile(k) {
  const most = Number(byId("slider").max), svg = byId("profile"), slider = byId("slider");
  const totals = data.within.slice(0, most), high = Math.max(...totals), low = Math.min(...totals);
  svg.style.left = `${slider.offsetLeft}px`;
  svg.style.top = `${slider.offsetTop + slider.offsetHeight / 2 - 36}px`;
  svg.style.width = `${slider.offsetWidth}px`;
  if (most < 3 || high === low) return;
  const x = (j) => 8 + (j - 1) / (most - 1) * 224, y = (value) => 34 - (value - low) / (high - low) * 30;
  const points = totals.map((value, at) => `${x(at + 1).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const mark = (j) => shape("line", { class: j === tree.cut.length ? "best" : "level", x1: x(j), x2: x(j), y1: y(high), y2: 40 });
  svg.replaceChildren(shape("polygon", { class: "area", points: `8,36 ${points} 232,36` }), ...Array.from(tree.cuts.keys(), mark));
}

// --------------------------------------------------------------------------- search
function search() {
  const wanted = plain(byId("search").value.trim());
  view.found.fill(0);
  matches = [];
  atMatch = -1;
  if (wanted) {
    for (const leaf of tree.order) if (searchable[leaf].includes(wanted)) matches.push(leaf);
    for (const leaf of matches) for (let v = leaf; v >= 0 && !view.found[v]; v = tree.parent[v]) view.found[v] = 1;
  }
  byId("found").textContent = wanted ? counted(matches.length, "match", "matches") : "";
  byId("next").disabled = byId("previous").disabled = !matches.length;
  if (matches.length) goTo(0); else view.queue();
}

function goTo(at) {
  atMatch = (at + matches.length) % matches.length;
  view.reveal(matches[atMatch]);
  view.choose(matches[atMatch]);
  byId("found").textContent = `${grouped(atMatch + 1)} of ${counted(matches.length, "match", "matches")}`;
}

// ---------------------------------------------------------------------------- theme
function setTheme(isDark) {
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  byId("theme").textContent = isDark ? "Light" : "Dark";
  byId("theme").setAttribute("aria-pressed", isDark);
  pairs.paint();
  pairs.draw(view);
}

function print(isPrinting) {
  if (isPrinting === view.isPrinting) return;
  if (isPrinting) print.before = [document.documentElement.dataset.theme, view.row];
  view.isPrinting = isPrinting;
  // On one sheet of paper, if labels can still be read.
  view.row = isPrinting ? Math.min(22, Math.max(8, 580 / view.rows.length)) : print.before[1];
  view.relayout();
  view.draw();
  setTheme(!isPrinting && print.before[0] === "dark");
}

// ---------------------------------------------------------------------------- begin
function begin() {
  const most = Math.min(tree.n, Math.max(30, 2 * Math.max(...tree.cuts.keys())));
  byId("slider").max = most;
  byId("number").max = tree.n;
  byId("suggested").textContent = data.isSuggested && tree.cut.length === 1 ? "Suggested: no cut" : `${data.isSuggested ? "Suggested" : "As asked"}: ${grouped(tree.cut.length)}`;
  const axes = [["size", "size of the cluster"], ["order", "order of joining"]];
  if (tree.heights) axes.unshift(["height", "judged difference"]);
  for (const [value, text] of axes) byId("axis").append(element("option", { value }, text));
  byId("axis").value = view.axis;
  byId("legend").append(element("span", { class: "screen" }, "The curve above the slider shows the total similarity of pairs within clusters as the last joins are undone one by one. The thick mark is the number of clusters of the result, which need not come from undoing the last joins." + (data.levels.length ? " Thin marks are other cuts into stable clusters." : "")));
  byId("unstable").hidden = !data.collapsed?.length;
  byId("groups").hidden = !view.groups.length;
  byId("groups").append(...view.groups.map((name, at) => element("li", { class: `g${at % N_GROUP_COLOURS}${at < N_GROUP_COLOURS ? "" : " striped"}` }, element("bdi", {}, shown(name, 40)))));
  tellCertainty(tree, data);
  view.relayout();
  view.fitAtStart();
  setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
  setClusters(view.clusters.k);
  drawCurve(data.curve);
  fillPeople(data.annotators);
  fillTables();
  search();
}

const on = (id, kind, action) => byId(id).addEventListener(kind, action);
on("slider", "input", (event) => setClusters(event.target.valueAsNumber));
on("number", "change", (event) => setClusters(event.target.valueAsNumber));
on("suggested", "click", () => { setClusters(tree.cut.length); byId("slider").focus(); });
on("search", "input", search);
on("search", "keydown", (event) => {
  if (event.key === "Enter" && matches.length) { event.preventDefault(); goTo(atMatch + (event.shiftKey ? -1 : 1)); }
  if (event.key === "Escape") { event.target.value = ""; search(); }
});
on("next", "click", () => goTo(atMatch + 1));
on("previous", "click", () => goTo(atMatch - 1));
on("axis", "change", (event) => { view.axis = event.target.value; view.relayout(); });
on("in", "click", () => view.zoom(1.3));
on("out", "click", () => view.zoom(1 / 1.3));
on("fit", "click", () => view.fit());
on("fold", "click", () => view.foldTo(view.clusters.k));
on("unfold", "click", () => view.unfoldAll());
on("unstable", "click", () => {
  view.showUnstable(!view.showsUnstable);
  byId("unstable").setAttribute("aria-pressed", view.showsUnstable);
  tellCoarser();
  queueTables();
});
on("theme", "click", () => setTheme(document.documentElement.dataset.theme !== "dark"));
on("print", "click", () => window.print());
on("joins-details", "toggle", queueTables);
const drawn = () => {
  print(true);
  const found = standalone(byId("drawing"), data.sheet?.uri);
  print(false);
  return found;
};
on("save-svg", "click", () => save("tree.svg", drawn().text + "\n", "image/svg+xml"));
on("save-png", "click", async () => save("tree.png", await pixels(drawn()), "image/png"));
on("save-newick", "click", () => save("tree.nwk", data.newick + "\n", "text/plain"));
on("save-csv", "click", () => {
  const rows = [["label", "cluster", ...(data.groups ? ["group"] : [])]];
  data.labels.forEach((label, leaf) => rows.push([label, view.clusters.number[leaf] < 0 ? -1 : view.clusters.number[leaf] + 1, ...(data.groups ? [data.groups[leaf]] : [])]));
  save(`clusters_${view.clusters.k}.csv`, csv(rows), "text/csv");
});
addEventListener("beforeprint", () => print(true));
addEventListener("afterprint", () => print(false));
addEventListener("resize", () => { if (!view.isPrinting) { view.relayout(); drawProfile(view.clusters.k); pairs.draw(view); } });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => setTheme(event.matches));

handlePointers(view, showTip);
handleKeys(view);
begin();
if (sheet) sheet.image.decode().then(() => { fillTables.done = null; fillTables(); view.queue(); }, () => {});
