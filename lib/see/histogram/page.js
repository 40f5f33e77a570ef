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
  const classes = data.rows.flatMap((row) => row.histogram);
  const left = Math.min(...classes.map(([from]) => place(from)));
  const right = Math.max(...classes.map(([, to]) => place(to + 1)));
  const x = (value) => WIDTH * (place(value) - left) / Math.max(1e-9, right - left);

  const chart = (row) => {
    const section = document.createElement("section"), heading = document.createElement("h2");
    const facts = document.createElement("p"), svg = shape("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
                                                                 preserveAspectRatio: "none", role: "img"});
    heading.textContent = row.key.join("  ");
    const values = [["least", row.least], ["half", row.p50], ["90 %", row.p90], ["99 %", row.p99], ["most", row.most]];
    facts.textContent = `${row.calls} calls: ` +
      values.map(([name, value]) => `${name} ${written(value, row.unit)}`).join(", ");
    svg.setAttribute("aria-label", facts.textContent);
    const most = Math.max(...row.histogram.map(([, , count]) => count));
    for (const [from, to, count] of row.histogram) {
      const tall = Math.max(1, HEIGHT * count / most);
      const bar = shape("rect", {x: x(from), y: HEIGHT - tall, width: Math.max(1, x(to + 1) - x(from)), height: tall});
      const said = `${row.key.join("  ")}: ${count} of ${row.calls} calls, ${written(from, row.unit)} to ` +
        written(to, row.unit);
      bar.addEventListener("pointerenter", () => { element("details").textContent = said; });
      svg.append(bar);
    }
    for (const value of [row.p50, row.p99])
      svg.append(shape("line", {x1: x(value), x2: x(value), y1: 0, y2: HEIGHT}));
    section.append(heading, facts, svg);
    return section;
  };
  const draw = () => {
    const text = element("search").value;
    const rows = data.rows.filter((row) => row.key.join("  ").includes(text));
    element("charts").replaceChildren(...rows.slice(0, SHOWN).map(chart));
    const calls = rows.reduce((sum, row) => sum + row.calls, 0);
    element("facts").textContent = `${data.title}: ${calls} calls under ${rows.length} keys` +
      (rows.length > SHOWN ? `, the first ${SHOWN} of which are shown.` : ".");
  };
  element("node").textContent = data.node;
  document.title = `Histograms of ${data.node}`;
  element("search").addEventListener("input", draw);
  draw();
})();
