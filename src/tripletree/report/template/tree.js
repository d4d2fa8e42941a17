// The tree as flat arrays, as in tree.py: leaves 0..n-1, merge t makes node n + t, the
// root is 2n - 2. A child is below its parent, so every walk is one loop.

const N_COLOURS = 12;

function makeTree(data) {
  const n = data.n, count = 2 * n - 1, children = data.children, first = children.slice();
  const parent = new Int32Array(count).fill(-1);
  const size = new Int32Array(count).fill(1);
  const start = new Int32Array(count);
  for (let t = 0; t < n - 1; t++) {
    const [a, b] = [children[2 * t], children[2 * t + 1]];
    parent[a] = parent[b] = n + t;
    size[n + t] = size[a] + size[b];
  }
  const order = new Int32Array(n);
  const arrange = () => {
    for (let t = n - 2; t >= 0; t--) {
      const [a, b] = [children[2 * t], children[2 * t + 1]];
      start[a] = start[n + t];
      start[b] = start[n + t] + size[a];
    }
    for (let leaf = 0; leaf < n; leaf++) order[start[leaf]] = leaf;
  };
  arrange();
  const isUnstable = new Uint8Array(count);
  for (const t of data.collapsed || []) isUnstable[n + t] = 1;
  return {
    n, count, parent, size, start, order, first: { order: order.slice(), start: start.slice() }, root: count - 1, cut: data.cut, attached: data.attached, unasked: data.unasked.map((leaf) => [leaf, -1]), isUnstable,
    cuts: new Map([...data.levels, data.cut].map((nodes) => [nodes.length, nodes])),
    heights: data.heights, support: data.support, stability: data.stability,
    certainty: (v) => data.stability && v >= n ? data.stability[v - n] : null,
    isLeaf: (v) => v < n,
    child: (v, side) => children[2 * (v - n) + side],
    firstChild: (v, side) => first[2 * (v - n) + side], // before anything was turned round
    turn(joins) { // the branches of these joins change places
      for (const v of joins) children.splice(2 * (v - n), 2, children[2 * (v - n) + 1], children[2 * (v - n)]);
      arrange();
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
// as the result or one of its levels has, its own. A join with more than two branches
// falls apart as a whole, so there may be fewer than k.
function clustersOf(tree, k, isShown) {
  const own = tree.cuts.get(k);
  if (own) return clustersBelow(tree, openAbove(tree, own), new Set(own), own === tree.cut ? tree.attached : tree.unasked);
  const { above, nBranches } = shownTree(tree, isShown), isOpen = new Uint8Array(tree.count), open = [];
  let found = 1, isDone = false;
  for (let v = tree.root; v >= tree.n; v--) {
    if (isShown(v)) {
      isDone ||= found + nBranches[v] - 1 > k;
      if (isDone) continue;
      isOpen[v] = 1;
      found += nBranches[v] - 1;
    } else if (!isOpen[above[v]]) continue;
    open.push(v);
  }
  return clustersBelow(tree, open);
}

// The tree that is shown: the join above each node, and the branches of each join.
function shownTree(tree, isShown) {
  const above = new Int32Array(tree.count).fill(-1), nBranches = new Int32Array(tree.count);
  for (let v = tree.root - 1; v >= 0; v--) {
    const p = tree.parent[v];
    above[v] = isShown(p) ? p : above[p];
    if (tree.isLeaf(v) || isShown(v)) nBranches[above[v]]++;
  }
  return { above, nBranches };
}

// The nodes above these, from the root down: a parent comes before its children.
function openAbove(tree, nodes) {
  const isOpen = new Uint8Array(tree.count);
  for (const node of nodes) for (let v = tree.parent[node]; v >= 0 && !isOpen[v]; v = tree.parent[v]) isOpen[v] = 1;
  const open = [];
  for (let v = tree.root; v >= tree.n; v--) if (isOpen[v]) open.push(v);
  return open;
}

// The colour whose next cluster is farthest away; of several the first from this one on.
function colourFarFrom(colour, before, after, fresh, first) {
  const distance = new Uint8Array(N_COLOURS).fill(255);
  for (const next of [before, after]) {
    for (let v = next[fresh], steps = 1; v >= 0 && steps <= 2 * N_COLOURS; v = next[v], steps++) {
      if (colour[v] >= 0) distance[colour[v]] = Math.min(distance[colour[v]], steps);
    }
  }
  let best = first;
  for (let at = 1; at < N_COLOURS; at++) {
    const c = (first + at) % N_COLOURS;
    if (distance[c] > distance[best]) best = c;
  }
  return best;
}

// The clusters below the nodes that are open, from top to bottom: their nodes, and for
// every node the number of its cluster (-1 above the cut) and a colour. When a cluster
// is split, its larger part keeps its colour; neighbours never share one. Parts that are
// not among the chosen nodes, if these are given, are in no cluster, but for the leaves
// that are attached, each to the cluster of a number, or -1: to none. Numbers and colours
// stay when branches are turned round.
function clustersBelow(tree, open, chosen, attached = []) {
  const { n, count, size, root } = tree, nParts = open.length + 1;
  const colour = new Int8Array(count).fill(-1);
  const before = new Int32Array(count).fill(-1), after = new Int32Array(count).fill(-1);
  const isOpen = new Uint8Array(count);
  colour[root] = 0;
  for (let j = 1; j < nParts; j++) {
    const v = open[j - 1], a = tree.firstChild(v, 0), b = tree.firstChild(v, 1);
    isOpen[v] = 1;
    before[a] = before[v]; after[a] = b; before[b] = a; after[b] = after[v];
    if (before[a] >= 0) after[before[a]] = a;
    if (after[b] >= 0) before[after[b]] = b;
    const [kept, fresh] = size[a] >= size[b] ? [a, b] : [b, a];
    colour[kept] = colour[v];
    colour[v] = -1;
    colour[fresh] = colourFarFrom(colour, before, after, fresh, j % N_COLOURS);
  }
  const parts = [];
  for (let at = 0; at < n;) {
    let v = tree.first.order[at];
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
  for (const [leaf, at] of attached) {
    number[leaf] = at;
    colour[leaf] = at < 0 ? -1 : colour[nodes[at]];
  }
  const isLevel = !strays.length && (k === 1 || open[k - 2] === root - k + 2); // the last merges, no others
  return { k, nodes, parts, attached, number, colour, isLevel };
}

// What is to be seen: a row per leaf or folded node, and all open joins, in preorder.
// The branches of an open join that is not shown belong to the join above it, so that
// this one has more than two.
function layoutOf(tree, folded, isShown) {
  const { count, root } = tree;
  const y = new Float64Array(count).fill(-1), above = new Int32Array(count).fill(-1);
  const rows = [], open = [], preorder = [], branches = new Map();
  const stack = [root];
  while (stack.length) {
    const v = stack.pop(), isRow = tree.isLeaf(v) || folded[v], isSeen = isRow || isShown(v);
    if (isSeen) {
      preorder.push(v);
      if (above[v] >= 0) branches.get(above[v]).push(v);
    }
    if (isRow) {
      y[v] = rows.length;
      rows.push(v);
      continue;
    }
    if (isSeen) {
      open.push(v);
      branches.set(v, []);
    }
    for (const side of [1, 0]) {
      const c = tree.child(v, side);
      above[c] = isSeen ? v : above[v];
      stack.push(c);
    }
  }
  for (let at = open.length - 1; at >= 0; at--) {
    const own = branches.get(open[at]);
    y[open[at]] = (y[own[0]] + y[own[own.length - 1]]) / 2;
  }
  return { y, rows, open, preorder, branches, above };
}

// Folds so that there are about k rows: the joins above clusters are open, and then as many
// others, the last ones first, as there is room for.
function foldInto(tree, folded, k, clusters, isShown) {
  const { above, nBranches } = shownTree(tree, isShown), isOpen = new Uint8Array(tree.count);
  const isAbove = (v) => v === tree.root || clusters.number[v] < 0;
  let rows = 1;
  for (let v = tree.root; v >= tree.n; v--) if (isShown(v) && isAbove(v)) rows += nBranches[v] - 1;
  folded.fill(0);
  for (let v = tree.root; v >= tree.n; v--) {
    if (!isShown(v) || (v !== tree.root && !isOpen[above[v]])) continue;
    if (isAbove(v)) isOpen[v] = 1;
    else if (rows + nBranches[v] - 1 <= k) {
      isOpen[v] = 1;
      rows += nBranches[v] - 1;
    } else folded[v] = 1;
  }
}
