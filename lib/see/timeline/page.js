(async () => {
  const element = (id) => document.getElementById(id);
  const data = JSON.parse(element("data").textContent);
  const {starts, durations, rows, kinds, depths, names, lines, senders, receivers} =
    await readItems(element("items").textContent, data.count, data.arrows);
  const RUN = 0, COLLECTION = 1, CALL = 2, SEND = 4, RECEIVE = 5;
  const GUTTER = 170, AXIS = 24, STRIP = 8, LANE = 11, DEEPEST = 12, NEAR = 4, MOST_ARROWS = 3000, SHORTEST = 10;

  // Items of each row, by their starts; how deep its calls are, and where it stands.
  const first = new Uint32Array(data.rows.length + 1), items = new Uint32Array(data.count);
  const deep = new Uint8Array(data.rows.length), top = new Float64Array(data.rows.length + 1);
  for (let i = 0; i < data.count; i++) {
    first[rows[i] + 1]++;
    if (kinds[i] === CALL)
      deep[rows[i]] = Math.max(deep[rows[i]], Math.min(DEEPEST, depths[i] + 1));
  }
  for (let row = 0; row < data.rows.length; row++) {
    first[row + 1] += first[row];
    top[row + 1] = top[row] + 2 * STRIP + 8 + LANE * deep[row];
  }
  const next = first.slice();
  for (let i = 0; i < data.count; i++)
    items[next[rows[i]]++] = i;

  const duration = (ns) => {
    for (const [unit, name] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]])
      if (ns >= unit)
        return `${(ns / unit).toPrecision(4)} ${name}`;
    return `${Math.round(ns)} ns`;
  };
  let said = -1;
  const say = async (i) => {
    if (i === said)
      return;
    said = i;
    const length = durations[i] >= 0 ? ` for ${duration(durations[i])}` : "", details = element("details");
    const text = `${data.rows[rows[i]]} at ${duration(starts[i])}${length}: ${data.names[names[i]]}`;
    details.ariaBusy = "true";
    const line = await lineAt(lines[i]).catch((error) => `(${error.message})`);
    if (i !== said)
      return; // another was pointed at meanwhile
    details.textContent = `${text} ${line}`;
    details.ariaBusy = "false";
  };

  const canvas = element("chart"), scroll = element("scroll"), context = canvas.getContext("2d");
  const end = Math.max(1, data.last * 1.01);
  let from = 0, to = end, found = null, marked = -1, width = 0, height = 0, waiting = false;
  const x = (time) => GUTTER + (time - from) / (to - from) * (width - GUTTER);
  const time = (px) => from + (px - GUTTER) / (width - GUTTER) * (to - from);
  const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const hues = data.names.map((name) => {
    let sum = 7;
    for (const c of name.split(":")[0])
      sum = (sum * 31 + c.codePointAt(0)) % 9973;
    return `hsl(${sum % 360} 55% 62%)`;
  });

  // Lanes from the top of a row on: slices, marks and collections, calls.
  const lane = (i) => {
    switch (kinds[i]) {
    case RUN: return [2, STRIP];
    case CALL: return [2 * STRIP + 5 + LANE * Math.min(DEEPEST - 1, depths[i]), LANE - 1];
    default: return [STRIP + 3, STRIP];
    }
  };
  const draw = () => {
    waiting = false;
    const offset = scroll.scrollTop - AXIS, colours = {};
    for (const name of ["--ink", "--quiet", "--line", "--run", "--collection", "--mark", "--arrow", "--found",
                        "--surface"])
      colours[name] = ink(name);
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "top";
    const reached = new Float64Array(DEEPEST + 4);
    for (let row = 0; row < data.rows.length; row++) {
      const y = top[row] - offset;
      if (top[row + 1] - offset < AXIS || y > height)
        continue;
      context.fillStyle = colours["--line"];
      context.fillRect(0, y, width, 1);
      reached.fill(-1);
      for (let n = first[row]; n < first[row + 1]; n++) {
        const i = items[n];
        if (starts[i] > to)
          break;
        if (starts[i] + Math.max(0, durations[i]) < from)
          continue;
        const left = Math.max(GUTTER, x(starts[i])), kind = kinds[i], isFound = found !== null && found[names[i]];
        const right = durations[i] >= 0 ? Math.min(width, x(starts[i] + durations[i])) : left + 1.5;
        const place = kind === CALL ? Math.min(DEEPEST - 1, depths[i]) : DEEPEST + (kind > 2 ? 2 : kind);
        if (right <= reached[place] && !isFound)
          continue; // nothing of it would be seen
        reached[place] = Math.max(left + 1, right);
        const [down, tall] = lane(i);
        context.fillStyle = isFound ? colours["--found"] : kind === RUN ? colours["--run"] :
          kind === COLLECTION ? colours["--collection"] : kind === CALL ? hues[names[i]] : colours["--mark"];
        context.globalAlpha = found !== null && !isFound ? 0.35 : 1;
        if (kind === SEND || kind === RECEIVE) {
          const points = kind === SEND ? [tall, 0] : [0, tall];
          context.beginPath();
          context.moveTo(left, y + down + points[1]);
          context.lineTo(left - 3, y + down + points[0]);
          context.lineTo(left + 3, y + down + points[0]);
          context.fill();
        } else {
          context.fillRect(left, y + down, Math.max(1, right - left), tall);
        }
        if (kind === CALL && right - left > 40) {
          context.fillStyle = "#16181b";
          context.save();
          context.beginPath();
          context.rect(left, y + down, right - left, tall);
          context.clip();
          context.fillText(data.names[names[i]], left + 2, y + down);
          context.restore();
        }
      }
      context.globalAlpha = 1;
    }
    drawArrows(offset, colours);
    context.fillStyle = colours["--surface"];
    context.fillRect(0, 0, GUTTER, height);
    context.fillStyle = colours["--ink"];
    for (let row = 0; row < data.rows.length; row++)
      if (top[row + 1] - offset >= AXIS && top[row] - offset <= height)
        context.fillText(data.rows[row], 4, top[row] - offset + 4, GUTTER - 8);
    drawAxis(colours);
    Object.assign(canvas.dataset, {from: String(from), to: String(to)});
  };
  const drawArrows = (offset, colours) => {
    context.strokeStyle = colours["--arrow"];
    context.beginPath();
    let drawn = 0;
    for (let n = 0; n < senders.length && drawn < MOST_ARROWS; n++) {
      const a = senders[n], b = receivers[n];
      if (starts[b] < from || starts[a] > to)
        continue;
      const ya = top[rows[a]] - offset + STRIP + 3, yb = top[rows[b]] - offset + STRIP + 3 + STRIP;
      if (Math.max(ya, yb) < AXIS || Math.min(ya, yb) > height)
        continue;
      context.moveTo(x(starts[a]), ya + STRIP / 2);
      context.lineTo(x(starts[b]), yb - STRIP / 2);
      drawn++;
    }
    context.globalAlpha = Math.max(0.15, Math.min(1, 100 / drawn));
    context.stroke();
    context.globalAlpha = 1;
    canvas.dataset.arrows = String(drawn);
  };
  const drawAxis = (colours) => {
    context.fillStyle = colours["--surface"];
    context.fillRect(0, 0, width, AXIS);
    context.fillStyle = colours["--quiet"];
    const least = (to - from) / Math.max(2, (width - GUTTER) / 110), ten = 10 ** Math.floor(Math.log10(least));
    const step = ten * [1, 2, 5, 10].find((n) => n * ten >= least);
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      context.fillRect(x(at), AXIS - 5, 1, 5);
      context.fillText(at === 0 ? "0" : duration(at), x(at) + 3, 4);
    }
  };
  const redraw = () => {
    if (!waiting)
      requestAnimationFrame(draw);
    waiting = true;
  };
  const show = (begin, finish) => {
    const length = Math.min(end, Math.max(SHORTEST, finish - begin));
    from = Math.min(Math.max(0, begin), end - length);
    to = from + length;
    redraw();
  };
  const zoom = (factor, around) => show(around - (around - from) * factor, around + (to - around) * factor);
  const move = (part) => show(from + (to - from) * part, to + (to - from) * part);
  const middle = () => (from + to) / 2;

  const under = (px, py) => {
    const y = py + scroll.scrollTop - AXIS, near = NEAR / (width - GUTTER) * (to - from), at = time(px);
    if (px < GUTTER || py < AXIS)
      return -1;
    let low = 0, high = data.rows.length;
    while (low + 1 < high) {
      const half = (low + high) >> 1;
      if (top[half] <= y)
        low = half;
      else
        high = half;
    }
    let hit = -1, best = Infinity;
    for (let n = first[low]; n < first[low + 1]; n++) {
      const i = items[n];
      if (starts[i] > at + near)
        break;
      const distance = at < starts[i] ? starts[i] - at : Math.max(0, at - starts[i] - Math.max(0, durations[i]));
      if (distance > near || distance > best)
        continue;
      const [down, tall] = lane(i);
      if (y >= top[low] + down && y < top[low] + down + tall) {
        hit = i;
        best = distance;
      }
    }
    return hit;
  };

  const search = () => {
    const text = element("search").value;
    marked = -1;
    element("found").textContent = "";
    found = null;
    if (text !== "") {
      let matches = (name) => name.includes(text);
      try {
        const expression = new RegExp(text);
        matches = (name) => expression.test(name);
      } catch { /* it is no expression: then it is text */ }
      found = data.names.map(matches);
      let count = 0;
      for (let i = 0; i < data.count; i++)
        count += found[names[i]];
      element("found").textContent = `${count} found`;
    }
    redraw();
  };
  const goOn = () => {
    for (let n = 1; found !== null && n <= data.count; n++) {
      const i = (marked + n) % data.count;
      if (!found[names[i]])
        continue;
      marked = i;
      const length = Math.max(durations[i] * 3, Math.min(to - from, end / 20));
      scroll.scrollTop = Math.max(0, top[rows[i]] - height / 2);
      show(starts[i] - length / 3, starts[i] + 2 * length / 3);
      say(i);
      return;
    }
  };

  element("node").textContent = data.node;
  document.title = `Timeline of ${data.node}`;
  element("facts").textContent = `${data.count} items in ${data.rows.length} rows, ` +
    `${senders.length} messages with ` +
    `both ends, ${duration(data.last)} from ${new Date(data.began).toLocaleString()} on.` +
    (data.dropped > 0 ? ` ${data.dropped} events were dropped.` : "");
  const fit = () => {
    const scale = window.devicePixelRatio || 1;
    width = Math.max(300, scroll.clientWidth);
    height = scroll.clientHeight;
    Object.assign(canvas, {width: Math.round(width * scale), height: Math.round(height * scale)});
    Object.assign(canvas.style, {width: `${width}px`, height: `${height}px`});
    context.setTransform(scale, 0, 0, scale, 0, 0);
    element("space").style.height = `${Math.max(height, top[data.rows.length] + AXIS + 10)}px`;
    redraw();
  };
  let dragged = null;
  canvas.addEventListener("pointerdown", (event) => {
    dragged = event.offsetX;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", () => { dragged = null; });
  canvas.addEventListener("pointermove", (event) => {
    if (dragged !== null) {
      const by = time(dragged) - time(event.offsetX);
      dragged = event.offsetX;
      show(from + by, to + by);
      return;
    }
    const i = under(event.offsetX, event.offsetY);
    if (i >= 0)
      say(i);
  });
  canvas.addEventListener("wheel", (event) => {
    if (event.offsetX < GUTTER)
      return; // over the names it scrolls
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, time(Math.max(GUTTER, event.offsetX)));
  }, {passive: false});
  scroll.addEventListener("scroll", redraw);
  element("search").addEventListener("input", search);
  element("nearer").addEventListener("click", () => zoom(0.5, middle()));
  element("farther").addEventListener("click", () => zoom(2, middle()));
  element("whole").addEventListener("click", () => show(0, end));
  document.addEventListener("keydown", (event) => {
    const typing = document.activeElement === element("search");
    const keys = {"+": () => zoom(0.5, middle()), "-": () => zoom(2, middle()), "ArrowLeft": () => move(-0.2),
                  "ArrowRight": () => move(0.2), "ArrowUp": () => scroll.scrollBy(0, -60),
                  "ArrowDown": () => scroll.scrollBy(0, 60)};
    if (event.key === "Escape") {
      element("search").value = "";
      search();
      show(0, end);
    } else if (event.key === "Enter" && typing) {
      goOn();
    } else if (event.key === "/" && !typing) {
      event.preventDefault();
      element("search").focus();
    } else if (!typing && keys[event.key]) {
      keys[event.key]();
    }
  });
  window.addEventListener("resize", fit);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  fit();
})().catch((error) => { // a browser without DecompressionStream, or a page that was cut
  document.getElementById("details").textContent = `This cannot be shown: ${error.message || error}`;
});
