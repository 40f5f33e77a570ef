"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const element = (id) => document.getElementById(id);
  const share = (samples) => `${(100 * samples / Math.max(1, data.count)).toFixed(1)} %`;
  const ROWS = 200, CELL = 19;

  element("node").textContent = data.node;
  document.title = `Flame graph of ${data.node}`;
  element("facts").textContent = `${data.count} samples, ${data.rate} a second of each thread that worked.` +
    (data.compared ? " Red: more than it was, blue: less." : "");

  const said = (node) => {
    const {name, value, delta} = node.data;
    const changed = delta === undefined ? "" : `, ${delta < 0 ? "" : "+"}${delta} than before`;
    return `${name}: ${value} samples, ${share(value)}${changed}`;
  };

  // Of one colour is what belongs to one module; what is no function is grey.
  const hue = (name) => {
    let sum = 7;
    for (const c of name.split(":")[0])
      sum = (sum * 31 + c.codePointAt(0)) % 9973;
    return sum % 60;
  };
  const color = (node) => {
    const {name, value, delta} = node.data;
    if (node.highlight)
      return "#e65fd0";
    if (data.compared) {
      const strength = Math.min(1, Math.abs(delta) / Math.max(1, value)) * 30;
      return `hsl(${delta >= 0 ? 8 : 212} ${delta === 0 ? 0 : 75}% ${92 - strength}%)`;
    }
    return name.startsWith("[") || name === "all" ? "#b9bec4" : `hsl(${hue(name)} 78% 66%)`;
  };

  const width = () => Math.max(320, element("chart").clientWidth);
  const chart = d3flame.flamegraph()
    .width(width()).cellHeight(CELL).minFrameSize(1).transitionDuration(0).inverted(false).sort(true)
    .computeDelta(false).setColorMapper(color).label(said).setDetailsHandler((text) => {
      if (text)
        element("details").textContent = text;
    }).setDetailsElement(element("details"));
  const draw = () => d3flame.select("#chart").datum(data.tree).call(chart);
  const redraw = () => {
    chart.destroy();
    draw();
    search();
  };

  const search = () => {
    const text = element("search").value;
    chart.clear();
    element("found").textContent = "";
    if (text === "")
      return;
    chart.search(text);
    const matches = matcher(text);
    const count = matched(data.tree, matches);
    element("found").textContent = `${share(count)} of the samples`;
  };
  const matcher = (text) => {
    try {
      const expression = new RegExp(text);
      return (name) => expression.test(name);
    } catch {
      return (name) => name.includes(text);
    }
  };
  // Samples below a function that matches count once.
  const matched = (tree, matches) => {
    const waiting = [tree];
    let sum = 0;
    while (waiting.length > 0) {
      const node = waiting.pop();
      if (matches(node.name))
        sum += node.value;
      else
        waiting.push(...node.children);
    }
    return sum;
  };
  chart.setSearchMatch((node, text) => matcher(text)(node.data.name));
  chart.setSearchHandler(() => {});

  draw();
  element("search").addEventListener("input", search);
  element("whole").addEventListener("click", () => chart.resetZoom());
  element("turn").addEventListener("click", (event) => {
    const turned = event.target.getAttribute("aria-pressed") !== "true";
    event.target.setAttribute("aria-pressed", String(turned));
    chart.inverted(turned);
    redraw();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== element("search")) {
      event.preventDefault();
      element("search").focus();
    } else if (event.key === "Escape") {
      element("search").value = "";
      search();
      chart.resetZoom();
    }
  });
  window.addEventListener("resize", () => {
    chart.width(width());
    redraw();
  });

  const body = document.querySelector("#functions tbody");
  for (const [name, self, total] of data.functions.slice(0, ROWS)) {
    const row = body.insertRow();
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => {
      element("search").value = `^${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
      search();
    });
    row.insertCell().append(button);
    row.insertCell().textContent = share(self);
    row.insertCell().textContent = share(total);
  }
})();
