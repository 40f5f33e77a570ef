/*
 * Who asked for the memory, by area: classes, in them types, in them processes, in them functions. One level is shown,
 * and faintly what each of its parts is made of; pressing a part goes down into it.
 *
 * `path` is what was gone down through: {by, row, text}, where row is that of the table, or the number of the class.
 */

const MOST_CELLS = 300, MOST_INNER = 250, INNER_AREA = 200, HEADING = 19;

function createTreemap(blocks, tables, search) {
  const levels = ["class", "type", "process", "function"].slice(0, tables.places.length > 1 ? 4 : 3);
  const classOfType = Uint8Array.from(tables.types, (type) => CLASSES.indexOf(type.class));
  const treemap = {path: [], meant: null};
  const box = byId("treemap");

  /* For each block what it is at a level. */
  const keyAt = (level) => {
    const column = blocks[columnOf(levels[level])[0]];
    return levels[level] === "class" ? (block) => classOfType[column[block]] : (block) => column[block];
  };
  const textAt = (level, key) => {
    if (levels[level] === "class") return CLASSES[key];
    const row = tables[columnOf(levels[level])[1]][key];
    return levels[level] === "process" && row.name !== row.process ? `${row.name} ${row.process}` : row[levels[level]];
  };

  /* [{key, bytes, count, inner: [[key, bytes]]}], largest first, of what is in the path. */
  function parts() {
    const level = treemap.path.length, key = keyAt(level), deeper = level + 1 < levels.length;
    const innerKey = deeper ? keyAt(level + 1) : () => 0, sums = new Map();
    const within = treemap.path.map((step, i) => [keyAt(i), step.row]);
    for (let i = 0; i < blocks.count; i++) {
      if (treemap.meant !== null && treemap.meant[i] === 0) continue;
      if (!within.every(([keyOf, row]) => keyOf(i) === row)) continue;
      addBlock(sums, key(i), innerKey(i), blocks.size[i] * blocks.weight[i], blocks.weight[i]);
    }
    const found = [...sums].map(([of, sum]) => ({key: of, ...sum, inner: deeper ? [...sum.inner] : []}));
    return found.sort((a, b) => b.bytes - a.bytes);
  }

  function addBlock(sums, key, inner, bytes, weight) {
    let sum = sums.get(key);
    if (sum === undefined) sums.set(key, sum = {bytes: 0, count: 0, inner: new Map()});
    sum.bytes += bytes;
    sum.count += weight;
    sum.inner.set(inner, (sum.inner.get(inner) ?? 0) + bytes);
  }

  /* The small ones, as one. */
  function shortened(found) {
    if (found.length <= MOST_CELLS) return found;
    const rest = found.slice(MOST_CELLS - 1);
    const others = {key: -1, bytes: 0, count: 0, inner: [], text: `${countText(rest.length)} others`};
    for (const {bytes, count} of rest) {
      others.bytes += bytes;
      others.count += count;
    }
    return [...found.slice(0, MOST_CELLS - 1), others];
  }

  function show() {
    const found = shortened(parts().filter((part) => part.bytes > 0));
    const whole = found.reduce((sum, part) => sum + part.bytes, 0);
    const room = {x: 0, y: 0, width: box.clientWidth, height: box.clientHeight};
    const places = squarify(found.map((part) => part.bytes), room);
    const cells = found.map((part, i) => cell(part, places[i], whole)).filter((made) => made !== null);
    if (cells.length > 0) cells[0].tabIndex = 0;
    box.replaceChildren(...(cells.length > 0 ? cells : [element("p", {class: "quiet"}, "Nothing.")]));
    showTrail(whole);
  }

  const position = ({x, y, width, height}) =>
    `left:${x.toFixed(1)}px;top:${y.toFixed(1)}px;width:${width.toFixed(1)}px;height:${height.toFixed(1)}px`;

  function cell(part, place, whole) {
    if (place === undefined || place.width < 2 || place.height < 2) return null;
    const text = part.text ?? textAt(treemap.path.length, part.key);
    const colour = treemap.path.length === 0 ? text : treemap.path[0].text;
    const said = `${text}, ${bytesText(part.bytes)}, ${shareText(part.bytes / whole)}, ${countText(part.count)} blocks`;
    const named = place.width > 44 && place.height > 18;
    const kind = part.key < 0 ? "cell others" : isLast() ? "cell last" : "cell";
    return element("button", {
      type: "button", class: kind, tabindex: "-1", title: said, "aria-label": said,
      style: `${position(place)};--color:var(--${colour})`, onclick: (event) => press(part, text, event.detail === 0),
    }, named ? element("b", {}, text, element("span", {}, " " + bytesText(part.bytes))) : null,
      ...inside(part, place, named ? HEADING : 3));
  }

  /* What a part is made of; those that would be too small are left out, and their room stays empty. */
  function inside(part, place, top) {
    const room = {x: 3, y: top, width: place.width - 8, height: place.height - top - 5};
    if (room.width < 12 || room.height < 12) return [];
    const all = part.inner.filter(([, bytes]) => bytes > 0).sort(([, a], [, b]) => b - a);
    const shown = all.slice(0, Math.min(MOST_INNER, Math.ceil(room.width * room.height / INNER_AREA)));
    const rest = all.slice(shown.length).reduce((sum, [, bytes]) => sum + bytes, 0);
    return squarify([...shown.map(([, bytes]) => bytes), rest], room).slice(0, shown.length)
      .map((of, i) => innerPart(of, treemap.path.length + 1, shown[i][0])).filter((made) => made !== null);
  }

  function innerPart(of, level, key) {
    if (of.width < 2 || of.height < 2) return null;
    const text = levels[level] === "process" ? tables.processes[key].name : textAt(level, key);
    return element("i", {style: position(of)}, of.width > 50 && of.height > 16 ? text : "");
  }

  const isLast = () => treemap.path.length + 1 === levels.length;

  function press(part, text, byKey) {
    if (part.key < 0) return;
    const step = {by: levels[treemap.path.length], row: part.key, text};
    if (isLast()) return search([...treemap.path, step].map(worded));
    go([...treemap.path, step], byKey);
  }

  const worded = ({by, row, text}) => [by, by === "process" ? tables.processes[row].process : text];

  function go(path, focus) {
    treemap.path = path;
    show();
    if (focus) box.querySelector("button")?.focus();
  }

  /* All, what was gone down through, and what is shown now. */
  function showTrail(whole) {
    const steps = [{text: "All"}, ...treemap.path];
    const made = steps.flatMap((step, i) => i + 1 < steps.length ?
      [element("button", {type: "button", onclick: () => go(treemap.path.slice(0, i), false)}, step.text), "\u203a"] :
      [element("span", {}, `${step.text} ${bytesText(whole)}`)]);
    byId("trail").replaceChildren(...made, element("em", {class: "quiet"}, `by ${levels[treemap.path.length]}`),
      ...(treemap.path.length === 0 ? [] :
        [element("button", {type: "button", onclick: () => search(treemap.path.map(worded))}, "Search for these")]));
  }

  /* By keyboard: arrows go to the next smaller or larger part, Escape goes up. */
  box.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (step !== undefined) {
      const cells = [...box.querySelectorAll("button")];
      cells[Math.min(Math.max(0, cells.indexOf(document.activeElement) + step), cells.length - 1)]?.focus();
      event.preventDefault();
    } else if (event.key === "Escape" && treemap.path.length > 0) {
      go(treemap.path.slice(0, -1), true);
    }
  });
  treemap.filter = (meant) => {
    treemap.meant = meant;
    show();
  };
  treemap.layout = show;
  treemap.go = go;
  show();
  return treemap;
}
