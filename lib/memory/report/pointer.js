/* What mouse and keyboard do to the map. */

function listenToMap(map, blocks, describe) {
  const canvas = byId("map"), tip = byId("tip");
  let dragged = null; // where the pointer was last, and whether it has moved

  const placeOf = (event) => map.placeAt(event.offsetX, event.offsetY);

  canvas.addEventListener("wheel", (event) => {
    const at = placeOf(event), out = event.deltaY > 0;
    if (at === null || (out && map.shown >= blocks.span)) return; // the page scrolls
    event.preventDefault();
    map.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), at);
    hover(event);
  }, {passive: false});

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    dragged = {x: event.offsetX, y: event.offsetY, moved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (dragged === null) return hover(event);
    const [x, y] = [event.offsetX - dragged.x, event.offsetY - dragged.y];
    if (!dragged.moved && Math.hypot(x, y) < 4) return;
    map.dragBy(x, y);
    dragged = {x: event.offsetX, y: event.offsetY, moved: true};
    canvas.classList.add("dragged");
    tip.hidden = true;
  });
  canvas.addEventListener("pointerup", (event) => {
    if (dragged !== null && !dragged.moved) map.select(under(event));
    dragged = null;
    canvas.classList.remove("dragged");
  });
  canvas.addEventListener("pointerleave", () => {
    tip.hidden = true;
    map.hover(-1);
  });
  canvas.addEventListener("dblclick", (event) => {
    const block = under(event);
    if (block >= 0) map.fill(block);
  });

  function under(event) {
    const at = placeOf(event);
    return at === null ? -1 : blockAt(blocks, at);
  }

  function hover(event) {
    const at = placeOf(event), block = at === null ? -1 : blockAt(blocks, at);
    map.hover(block);
    tip.hidden = at === null;
    if (at === null) return;
    tip.replaceChildren(...(block >= 0 ? describe.block(block) : describe.hole(at)));
    const right = event.offsetX + 16 + tip.offsetWidth, room = canvas.clientWidth;
    tip.style.left = (right > room ? Math.max(0, event.offsetX - 16 - tip.offsetWidth) : event.offsetX + 16) + "px";
    tip.style.top = event.offsetY + 18 + "px";
  }

  const keys = {
    "+": () => map.zoom(1 / 1.5), "=": () => map.zoom(1 / 1.5), "-": () => map.zoom(1.5), "0": () => map.all(),
    ArrowLeft: () => map.pan(-map.shown / ROWS / 4), ArrowRight: () => map.pan(map.shown / ROWS / 4),
    ArrowUp: () => map.pan(-map.shown / ROWS), ArrowDown: () => map.pan(map.shown / ROWS),
    PageUp: () => map.pan(-map.shown / 2), PageDown: () => map.pan(map.shown / 2),
    Home: () => map.pan(-blocks.span), End: () => map.pan(blocks.span),
    n: () => map.step(1), p: () => map.step(-1), Enter: () => map.selected >= 0 && map.fill(map.selected),
  };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    tip.hidden = true;
    keys[event.key]();
  });

  byId("zoom-in").addEventListener("click", () => map.zoom(1 / 2));
  byId("zoom-out").addEventListener("click", () => map.zoom(2));
  byId("zoom-all").addEventListener("click", () => map.all());

  const overview = byId("overview");
  const go = (event) => {
    if (event.buttons & 1) map.show(event.offsetX / overview.clientWidth * blocks.span - map.shown / 2, map.shown);
  };
  overview.addEventListener("pointerdown", (event) => {
    overview.setPointerCapture(event.pointerId);
    go(event);
  });
  overview.addEventListener("pointermove", go);
}
