/*
 * The map of addresses: a window of the packed address space, written like a page of text, row under row; above it the
 * overview, which has all in one row, with a frame around what the map shows.
 *
 * The window is [from, from + shown). It never leaves the space, and never shows less than LEAST bytes.
 */

const ROWS = 26, ROW = 13, GAP = 2, GUTTER = 118, LEAST = 2 * KB;

function createMap(blocks, tables, describe) {
  const map = {from: 0, shown: blocks.span, meant: null, selected: -1, hovered: -1, picture: null, palette: null};
  const canvas = byId("map"), overview = byId("overview");
  const kindOfType = tables.types.map((type) => Math.max(0, CLASSES.indexOf(type.class)));
  let ratio = 1, width = 0, asked = false;

  const bytesPerPixel = () => map.shown / (ROWS * width);
  const draw = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      drawMap();
      drawOverview();
    });
  };

  /* One line of pixels for each row; stretched when it is drawn. */
  function pictureOf(from, perPixel, pixels, lines) {
    const image = new ImageData(pixels, lines);
    paint(coverage(blocks, kindOfType, map.meant, from, perPixel, pixels * lines), map.palette, image.data, 0);
    const picture = new OffscreenCanvas(pixels, lines);
    picture.getContext("2d").putImageData(image, 0, 0);
    return picture;
  }

  function size(element, height) {
    element.style.height = height + "px";
    element.width = Math.round(element.clientWidth * ratio);
    element.height = Math.round(height * ratio);
  }

  function layout() {
    ratio = window.devicePixelRatio || 1;
    map.palette = paletteOf(document.documentElement);
    size(canvas, ROWS * ROW);
    size(overview, 18);
    width = Math.max(1, canvas.width - Math.round(GUTTER * ratio));
    map.picture = map.whole = null;
    draw();
  }

  function drawMap() {
    map.picture ??= pictureOf(map.from, bytesPerPixel(), width, ROWS);
    const context = canvas.getContext("2d"), left = GUTTER * ratio;
    context.imageSmoothingEnabled = false;
    context.clearRect(0, 0, canvas.width, canvas.height);
    for (let row = 0; row < ROWS; row++)
      context.drawImage(map.picture, 0, row, width, 1, left, row * ROW * ratio, width, (ROW - GAP) * ratio);
    drawAddresses(context);
    drawFolds(context);
    drawNames(context);
    for (const block of [map.hovered, map.selected]) if (block >= 0) outline(context, block);
    byId("map-scale").textContent = `${bytesText(map.shown)} of ${bytesText(blocks.span)} shown, ` +
      `${bytesText(map.shown / ROWS)} in a row`;
  }

  function drawAddresses(context) {
    context.font = `${10.5 * ratio}px ui-monospace, "DejaVu Sans Mono", monospace`;
    context.fillStyle = `rgb(${map.palette.line})`;
    context.textBaseline = "middle";
    for (let row = 0; row < ROWS; row++) {
      const address = addressAt(blocks, map.from + row * map.shown / ROWS);
      context.fillText(addressText(address), 0, (row * ROW + (ROW - GAP) / 2) * ratio, (GUTTER - 10) * ratio);
    }
  }

  function drawFolds(context) {
    context.fillStyle = `rgba(${map.palette.line}, .6)`;
    for (const mark of foldMarks(blocks, map.from, bytesPerPixel(), ROWS * width)) {
      const [row, x] = [Math.floor(mark / width), mark % width];
      context.fillRect(GUTTER * ratio + x, (row * ROW - 1) * ratio, Math.max(1, ratio), (ROW - GAP + 2) * ratio);
    }
  }

  /* Of blocks that are wide enough. */
  function drawNames(context) {
    const perPixel = bytesPerPixel(), end = map.from + map.shown, room = 60 * ratio;
    if (perPixel * room > 16 * KB && blocks.count > 20000) return;
    context.font = `${9 * ratio}px system-ui, "DejaVu Sans", sans-serif`;
    for (let i = Math.max(0, blockBefore(blocks, map.from)); i < blocks.count && blocks.at[i] < end; i++) {
      if (blocks.size[i] / perPixel < room || (map.meant !== null && map.meant[i] === 0)) continue;
      const [first] = stretches(blocks.at[i], blocks.size[i]);
      if (first === undefined || first.length < room) continue;
      context.fillStyle = `rgb(${map.palette.label})`;
      context.fillText(tables.types[blocks.type[i]].type, first.x + 4 * ratio,
                       (first.row * ROW + (ROW - GAP) / 2 + .5) * ratio, first.length - 8 * ratio);
    }
  }

  /* What of the canvas these bytes lie on: a rectangle in each row. */
  function stretches(at, bytes) {
    const perRow = map.shown / ROWS, found = [], end = at + bytes;
    const last = Math.min(ROWS - 1, Math.floor((end - map.from) / perRow));
    for (let row = Math.max(0, Math.floor((at - map.from) / perRow)); row <= last; row++) {
      const start = Math.max(0, (at - map.from - row * perRow) / bytesPerPixel());
      const stop = Math.min(width, (end - map.from - row * perRow) / bytesPerPixel());
      if (stop > start) found.push({row, x: GUTTER * ratio + start, length: stop - start});
    }
    return found;
  }

  function outline(context, block) {
    context.strokeStyle = getComputedStyle(canvas).color;
    context.lineWidth = 1.5 * ratio;
    for (const {row, x, length} of stretches(blocks.at[block], Math.max(1, blocks.size[block])))
      context.strokeRect(x - ratio / 2, (row * ROW - .5) * ratio, Math.max(length, 2 * ratio) + ratio / 2,
                         (ROW - GAP + 1) * ratio);
  }

  function drawOverview() {
    map.whole ??= pictureOf(0, blocks.span / overview.width, overview.width, 1);
    const context = overview.getContext("2d"), {width: w, height: h} = overview;
    context.imageSmoothingEnabled = false;
    context.drawImage(map.whole, 0, 0, w, h);
    if (map.shown >= blocks.span) return;
    const x = map.from / blocks.span * w, length = Math.max(3 * ratio, map.shown / blocks.span * w);
    context.strokeStyle = getComputedStyle(canvas).color;
    context.lineWidth = 2 * ratio;
    context.strokeRect(x, ratio, length, h - 2 * ratio);
  }

  map.show = (from, shown) => {
    map.shown = Math.min(Math.max(shown, Math.min(LEAST, blocks.span)), blocks.span);
    map.from = Math.min(Math.max(0, from), blocks.span - map.shown);
    map.picture = null;
    draw();
  };
  /* The place `at` stays where it is. */
  map.zoom = (factor, at = map.from + map.shown / 2) => {
    const before = map.shown, shown = Math.min(Math.max(before * factor, LEAST), blocks.span);
    map.show(at - (at - map.from) * shown / before, shown);
  };
  map.pan = (bytes) => map.show(map.from + bytes, map.shown);
  map.all = () => map.show(0, blocks.span);
  map.filter = (meant) => {
    map.meant = meant;
    map.picture = map.whole = null;
    draw();
  };
  map.select = (block) => {
    if (block < 0 || block >= blocks.count) return;
    map.selected = block;
    const at = blocks.at[block];
    if (at < map.from || at >= map.from + map.shown) map.show(at - map.shown / 2, map.shown);
    byId("readout").replaceChildren(describe.line(block));
    draw();
  };
  /* The block with a bit of what is around it fills the map. */
  map.fill = (block) => {
    const shown = Math.max(LEAST, blocks.size[block] * 1.2);
    map.show(blocks.at[block] + blocks.size[block] / 2 - shown / 2, shown);
  };
  map.step = (by) => {
    let block = map.selected >= 0 ? map.selected + by : Math.max(0, blockBefore(blocks, map.from));
    for (let passed = 0; passed < blocks.count; passed++, block += by) {
      block = (block + blocks.count) % blocks.count; // after the last comes the first
      if (map.meant === null || map.meant[block] === 1) return map.select(block);
    }
  };
  /* The place of the packed space under a point of the map; null beside it. */
  map.placeAt = (x, y) => {
    const row = Math.floor(y / ROW), column = (x - GUTTER) * ratio;
    if (row < 0 || row >= ROWS || column < 0 || column >= width) return null;
    return map.from + (row * width + column) * bytesPerPixel();
  };
  map.hover = (block) => {
    if (block === map.hovered) return;
    map.hovered = block;
    draw();
  };
  map.dragBy = (x, y) => map.pan(-x * ratio * bytesPerPixel() - y / ROW * map.shown / ROWS);
  map.layout = layout;
  layout();
  return map;
}
