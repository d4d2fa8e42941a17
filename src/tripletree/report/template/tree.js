// The tree as flat arrays, as in tree.py: leaves 0..n-1, merge t makes node n + t, the
// root is 2n - 2. A child is below its parent, so every walk is one loop.

const N_COLOURS = 8;

function makeTree(data) {
  const n = data.n, count = 2 * n - 1, children = data.children;
  const parent = new Int32Array(count).fill(-1);
  const size = new Int32Array(count).fill(1);
  const start = new Int32Array(count);
  for (let t = 0; t < n - 1; t++) {
    const [a, b] = [children[2 * t], children[2 * t + 1]];
    parent[a] = parent[b] = n + t;
    size[n + t] = size[a] + size[b];
  }
  for (let t = n - 2; t >= 0; t--) {
    const [a, b] = [children[2 * t], children[2 * t + 1]];
    start[a] = start[n + t];
    start[b] = start[n + t] + size[a];
  }
  const order = new Int32Array(n);
  for (let leaf = 0; leaf < n; leaf++) order[start[leaf]] = leaf;
  // Support is a share, or in percent. Stability, where known, tells more about large clusters.
  const highest = (data.support || []).reduce((a, b) => Math.max(a, b ?? 0), 0);
  const shares = data.support && data.support.map((x) => x === null || highest <= 1 ? x : x / 100);
  const certain = data.stability || shares;
  return {
    n, count, parent, size, start, order, root: count - 1, cut: data.cut,
    cuts: new Map([...data.levels, data.cut].map((nodes) => [nodes.length, nodes])),
    heights: data.heights, support: shares, stability: data.stability,
    certainty: (v) => certain && v >= n ? certain[v - n] : null,
    isLeaf: (v) => v < n,
    child: (v, side) => children[2 * (v - n) + side],
    sibling(v) {
      const p = parent[v];
      if (p < 0) return -1;
      return this.child(p, 0) === v ? this.child(p, 1) : this.child(p, 0);
    },
    leaves: (v) => order.subarray(start[v], start[v] + size[v]),
  };
}

// Where each join stands between the root (0) and the leaves (1).
function placesOf(tree, axis) {
  const { n, count, size, heights } = tree;
  const place = new Float64Array(count).fill(1);
  if (n === 1) return place;
  if (axis === "height") {
    const low = heights[0], high = heights[n - 2];
    const range = high - low || 1, foot = low - 0.06 * range;
    for (let t = 0; t < n - 1; t++) place[n + t] = (high - heights[t]) / (high - foot);
  } else if (axis === "order") {
    for (let t = 0; t < n - 1; t++) place[n + t] = 1 - (t + 1) / (n - 1);
  } else {
    const most = Math.log(n);
    for (let v = n; v < count; v++) place[v] = 1 - Math.log(size[v]) / most;
  }
  return place;
}

// The clusters into which k - 1 merges fall apart: the last ones, or for as many clusters
// as the result or one of its levels has, its own.
function clustersOf(tree, k) {
  const own = tree.cuts.get(k);
  if (own) return clustersBelow(tree, openAbove(tree, own), new Set(own));
  return clustersBelow(tree, Array.from({ length: k - 1 }, (_, j) => tree.root - j));
}

// The nodes above these, from the root down: a parent comes before its children.
function openAbove(tree, nodes) {
  const isOpen = new Uint8Array(tree.count);
  for (const node of nodes) for (let v = tree.parent[node]; v >= 0 && !isOpen[v]; v = tree.parent[v]) isOpen[v] = 1;
  const open = [];
  for (let v = tree.root; v >= tree.n; v--) if (isOpen[v]) open.push(v);
  return open;
}

// The clusters below the nodes that are open, from top to bottom: their nodes, and for
// every node the number of its cluster (-1 above the cut) and a colour. When a cluster
// is split, its larger part keeps its colour; neighbours never share one. Parts that are
// not among the chosen nodes, if these are given, are in no cluster.
function clustersBelow(tree, open, chosen) {
  const { n, count, size, root } = tree, nParts = open.length + 1;
  const colour = new Int8Array(count).fill(-1);
  const before = new Int32Array(count).fill(-1), after = new Int32Array(count).fill(-1);
  const isOpen = new Uint8Array(count);
  colour[root] = 0;
  for (let j = 1; j < nParts; j++) {
    const v = open[j - 1], a = tree.child(v, 0), b = tree.child(v, 1);
    isOpen[v] = 1;
    before[a] = before[v]; after[a] = b; before[b] = a; after[b] = after[v];
    if (before[a] >= 0) after[before[a]] = a;
    if (after[b] >= 0) before[after[b]] = b;
    const [kept, fresh] = size[a] >= size[b] ? [a, b] : [b, a];
    const other = fresh === a ? before[a] : after[b];
    let c = j % N_COLOURS;
    while (c === colour[v] || (other >= 0 && c === colour[other])) c = (c + 1) % N_COLOURS;
    colour[kept] = colour[v];
    colour[fresh] = c;
    colour[v] = -1;
  }
  const parts = [];
  for (let at = 0; at < n;) {
    let v = tree.order[at];
    while (tree.parent[v] >= 0 && !isOpen[tree.parent[v]]) v = tree.parent[v];
    parts.push(v);
    at += size[v];
  }
  const nodes = parts.filter((v) => !chosen || chosen.has(v)), k = nodes.length;
  const strays = parts.filter((v) => chosen && !chosen.has(v));
  for (const v of strays) colour[v] = -1;
  const number = new Int32Array(count).fill(-1);
  nodes.forEach((v, at) => { number[v] = at; });
  for (let v = root; v >= 0; v--) {
    const p = tree.parent[v];
    if (p >= 0 && number[p] >= 0) {
      number[v] = number[p];
      colour[v] = colour[p];
    }
  }
  const isLevel = !strays.length && (k === 1 || open[k - 2] === root - k + 2); // the last merges, no others
  return { k, nodes, parts, strays, number, colour, isLevel };
}

// What is to be seen: a row per leaf or folded node, and all open joins, in preorder.
function layoutOf(tree, folded) {
  const { count, root } = tree;
  const y = new Float64Array(count).fill(-1);
  const rows = [], open = [], preorder = [];
  const stack = [root];
  while (stack.length) {
    const v = stack.pop();
    preorder.push(v);
    if (tree.isLeaf(v) || folded[v]) {
      y[v] = rows.length;
      rows.push(v);
    } else {
      open.push(v);
      stack.push(tree.child(v, 1), tree.child(v, 0));
    }
  }
  for (let at = open.length - 1; at >= 0; at--) {
    const v = open[at];
    y[v] = (y[tree.child(v, 0)] + y[tree.child(v, 1)]) / 2;
  }
  return { y, rows, open, preorder };
}

// Folds so that there are about k rows: everything below the last k - 1 merges; but where
// that would hide clusters, they are the rows.
function foldInto(tree, folded, k, clusters) {
  const rows = clustersOf(tree, Math.min(k, tree.n)).parts, end = (v) => tree.start[v] + tree.size[v];
  folded.fill(0);
  for (const v of rows) if (!tree.isLeaf(v) && clusters.number[v] >= 0) folded[v] = 1;
  let at = 0;
  for (const v of clusters.nodes) {
    while (end(rows[at]) <= tree.start[v]) at++;
    if (!tree.isLeaf(v) && tree.size[rows[at]] > tree.size[v]) folded[v] = 1;
  }
}
