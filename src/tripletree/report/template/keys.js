// Hands and keyboards on the tree, and what a screen reader hears of it.

const DRAG = 4; // pixels before a press is a drag
const MOST_KIN = 20; // branches of a join that a screen reader gets

function handlePointers(view, tell) {
  const { viewport } = view;
  let press = null, pinch = null;

  viewport.addEventListener("scroll", () => { tell(-1); view.queue(); }, { passive: true });
  viewport.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    view.zoom(Math.exp(-event.deltaY * 0.004), event.clientY - viewport.getBoundingClientRect().top);
  }, { passive: false });

  viewport.addEventListener("touchmove", (event) => {
    if (event.touches.length !== 2) { pinch = null; return; }
    event.preventDefault();
    const [a, b] = event.touches, gap = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    const middle = (a.clientY + b.clientY) / 2 - viewport.getBoundingClientRect().top;
    if (pinch) view.zoom(gap / pinch, middle);
    pinch = gap;
  }, { passive: false });
  viewport.addEventListener("touchend", () => { pinch = null; });

  viewport.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    press = { x: event.clientX, y: event.clientY, left: viewport.scrollLeft, top: viewport.scrollTop, isDrag: false };
  });
  viewport.addEventListener("pointermove", (event) => {
    if (press && event.pointerType === "mouse" && event.buttons & 1) {
      const [dx, dy] = [event.clientX - press.x, event.clientY - press.y];
      if (!press.isDrag && Math.hypot(dx, dy) > DRAG) {
        press.isDrag = true;
        viewport.setPointerCapture(event.pointerId);
        viewport.classList.add("dragging");
      }
      if (press.isDrag) {
        viewport.scrollLeft = press.left - dx;
        viewport.scrollTop = press.top - dy;
        return;
      }
    }
    if (event.pointerType !== "mouse") return;
    const v = view.nodeAt(event.clientX, event.clientY);
    viewport.classList.toggle("pointing", v >= 0);
    if (v !== view.hover) { view.hover = v; view.queue(); }
    tell(v, event.clientX, event.clientY);
  });
  const end = () => viewport.classList.remove("dragging");
  viewport.addEventListener("pointerup", end);
  viewport.addEventListener("pointercancel", () => { end(); press = null; });
  viewport.addEventListener("pointerleave", () => { view.hover = -1; tell(-1); view.queue(); });
  viewport.addEventListener("click", (event) => {
    const isDrag = press && press.isDrag;
    press = null;
    if (isDrag) return;
    const v = view.nodeAt(event.clientX, event.clientY);
    if (v < 0) return;
    if (event.pointerType !== "touch" || v === view.current) view.toggle(v); // touch: choose first
    view.choose(v, false);
  });
}

// The keys of the usual tree widget: arrows, Home, End, Enter; and of maps: + and -.
function handleKeys(view) {
  const { tree, viewport } = view;
  const step = (by) => {
    const at = view.preorder.indexOf(view.current);
    const next = view.preorder[Math.min(view.preorder.length - 1, Math.max(0, at + by))];
    view.choose(next);
  };
  const actions = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Home: () => view.choose(view.preorder[0]),
    End: () => view.choose(view.preorder[view.preorder.length - 1]),
    PageDown: () => step(15),
    PageUp: () => step(-15),
    ArrowRight: () => {
      const v = view.current;
      if (tree.isLeaf(v)) return;
      if (view.folded[v]) { view.toggle(v); view.choose(v); } else view.choose(view.branches.get(v)[0]);
    },
    ArrowLeft: () => {
      const v = view.current;
      if (!tree.isLeaf(v) && !view.folded[v]) { view.toggle(v); view.choose(v); }
      else if (view.above[v] >= 0) view.choose(view.above[v]);
    },
    Enter: () => { view.toggle(view.current); view.choose(view.current); },
    "+": () => view.zoom(1.3),
    "=": () => view.zoom(1.3),
    "-": () => view.zoom(1 / 1.3),
    0: () => view.fit(),
    r: () => { view.turn(view.current); view.choose(view.current); },
    "/": () => byId("search").focus(),
  };
  actions[" "] = actions.Enter;
  viewport.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    if (view.current < 0 || view.y[view.current] < 0) view.current = tree.root;
    actions[event.key]();
  });
  viewport.addEventListener("focus", () => {
    if (view.current < 0) view.choose(tree.root, false);
  });
}

// A screen reader gets the current node and its nearest kin as items of a tree; where
// they are in it, their level and set size say.
function showItems(view, describe) {
  const { tree, viewport } = view, list = byId("treeitems"), v = view.current;
  const siblings = (u) => view.above[u] < 0 ? [u] : view.branches.get(view.above[u]);
  const kin = new Set([v]), at = siblings(v).indexOf(v);
  if (view.above[v] >= 0) kin.add(view.above[v]);
  for (const u of siblings(v).slice(Math.max(0, at - 1), at + 2)) kin.add(u);
  for (const u of (view.branches.get(v) || []).slice(0, MOST_KIN)) kin.add(u);
  const items = [...kin].sort((a, b) => view.preorder.indexOf(a) - view.preorder.indexOf(b)).map((u) => {
    let level = 1;
    for (let p = view.above[u]; p >= 0; p = view.above[p]) level++;
    const item = element("div", {
      role: "treeitem", id: `node-${u}`, "aria-level": level, "aria-label": describe(u),
      "aria-setsize": siblings(u).length, "aria-posinset": siblings(u).indexOf(u) + 1,
      "aria-selected": u === v,
    });
    if (!tree.isLeaf(u)) item.setAttribute("aria-expanded", !view.folded[u]);
    return item;
  });
  list.replaceChildren(...items);
  viewport.setAttribute("aria-activedescendant", `node-${v}`);
}
