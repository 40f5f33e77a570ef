"use strict";
(() => {
  const element = (id) => document.getElementById(id);
  const data = JSON.parse(element("data").textContent);
  const SHOWN = 200, WIDTH = 1000, HEIGHT = 100;

  const written = (value, unit) => {
    if (unit !== "ns")
      return String(value);
    for (const [size, name] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]])
      if (value >= size)
        return `${(value / size).toPrecision(3)} ${name}`;
    return `${value} ns`;
  };
  // Of values below 0, too: as far from the middle as their own are.
  const place = (value) => Math.sign(value) * Math.log2(1 + Math.abs(value));
  const shape = (tag, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes))
      made.setAttribute(name, value);
    return made;
  };
  // All keys have one scale, a single one has its own.
  let alone = null, left = 0, right = 1;
  const scale = (rows) => {
    left = Infinity;
    right = -Infinity;
    for (const {histogram} of rows)
      for (const [from, to] of histogram) {
        left = Math.min(left, place(from));
        right = Math.max(right, place(to + 1));
      }
  };
  const x = (value) => WIDTH * (place(value) - left) / Math.max(1e-9, right - left);

  const chart = (row) => {
    const section = document.createElement("section"), heading = document.createElement("h2");
    const button = document.createElement("button");
    const facts = document.createElement("p"), svg = shape("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
                                                                 preserveAspectRatio: "none", role: "img"});
    button.textContent = row.key.join("  ");
    button.addEventListener("click", () => show(row === alone ? null : row));
    heading.append(button);
    const values = [["least", row.least], ["half", row.p50], ["90 %", row.p90], ["99 %", row.p99], ["most", row.most]];
    facts.textContent = `${row.calls} calls: ` +
      values.map(([name, value]) => `${name} ${written(value, row.unit)}`).join(", ");
    svg.setAttribute("aria-label", facts.textContent);
    svg.setAttribute("tabindex", "0");
    const most = Math.max(...row.histogram.map(([, , count]) => count));
    for (const [from, to, count] of row.histogram) {
      const tall = Math.max(1, HEIGHT * count / most);
      const bar = shape("rect", {x: x(from), y: HEIGHT - tall, width: Math.max(1, x(to + 1) - x(from)), height: tall});
      const said = `${row.key.join("  ")}: ${count} of ${row.calls} calls, ${written(from, row.unit)} to ` +
        written(to, row.unit);
      bar.addEventListener("pointerenter", () => tell(bar));
      bar.dataset.said = said;
      svg.append(bar);
    }
    svg.addEventListener("keydown", (event) => {
      const bars = [...svg.querySelectorAll("rect")], at = bars.findIndex((bar) => bar.classList.contains("told"));
      const next = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: bars.length - 1}[event.key];
      if (next === undefined)
        return;
      event.preventDefault();
      tell(bars[Math.min(bars.length - 1, Math.max(0, next))]);
    });
    for (const value of [row.p50, row.p99])
      svg.append(shape("line", {x1: x(value), x2: x(value), y1: 0, y2: HEIGHT}));
    section.append(heading, facts, svg);
    return section;
  };
  const tell = (bar) => {
    document.querySelectorAll("rect.told").forEach((other) => other.classList.remove("told"));
    bar.classList.add("told");
    element("details").textContent = bar.dataset.said;
  };
  const draw = () => {
    const text = element("search").value;
    const rows = data.rows.filter((row) => alone === null ? row.key.join("  ").includes(text) : row === alone);
    scale(alone === null ? data.rows : rows);
    element("charts").className = alone === null ? "" : "alone";
    element("charts").replaceChildren(...rows.slice(0, SHOWN).map(chart));
    const calls = rows.reduce((sum, row) => sum + row.calls, 0);
    element("facts").textContent = `${data.title}: ${calls} calls under ${rows.length} keys` +
      (rows.length > SHOWN ? `, the first ${SHOWN} of which are shown.` : ".");
  };
  element("node").textContent = data.node;
  document.title = `Histograms of ${data.node}`;
  const show = (row) => {
    alone = row;
    draw();
    document.querySelector("#charts button")?.focus();
  };
  element("search").addEventListener("input", () => {
    alone = null;
    draw();
  });
  document.addEventListener("keydown", (event) => {
    const typing = document.activeElement === element("search");
    if (event.key === "/" && !typing) {
      event.preventDefault();
      element("search").focus();
    } else if (event.key === "Escape") {
      element("search").value = "";
      alone = null;
      draw();
    }
  });
  draw();
})();
