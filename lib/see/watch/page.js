"use strict";
(() => {
  const element = (id) => document.getElementById(id);
  const POINTS = 900, HEIGHT = 190;
  const COLOURS = ["#3b75bd", "#d98324", "#3f9468", "#c2504f", "#8f63b8", "#7d8791", "#2f9db0", "#b08a2f"];

  const short = (value, units, step) => {
    let i = 0;
    for (; Math.abs(value) >= step && i < units.length - 1; i++)
      value /= step;
    return (Math.abs(value) >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1)) + units[i];
  };
  const count = (value) => short(value, ["", " k", " M", " G", " T"], 1000);
  const bytes = (value) => short(value, [" B", " KB", " MB", " GB", " TB"], 1024);
  const share = (value) => `${(100 * value).toFixed(0)} %`;
  const micro = (value) => short(value, [" µs", " ms", " s"], 1000);
  const duration = (ms) => {
    const s = Math.floor(ms / 1000), parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
    const first = parts.findIndex(([unit]) => s >= unit);
    if (first < 0)
      return "0 s";
    return parts.slice(first, first + 2).map(([unit, name], i) =>
      `${Math.floor((i === 0 ? s : s % parts[first][0]) / unit)} ${name}`).join(" ");
  };

  // What is drawn: title, how a value is written, and the lines as [name, (point) => value].
  const classes = ["processes", "binary", "ets", "code", "atom", "system"];
  const plans = (first) => [
    ["Schedulers", share, [
      ["all", busy], ...first.schedulers.slice(0, Math.min(7, first.levels.online)).map((s, i) =>
        [`${s.number}`, (p) => p.schedulers[i].busy])], [0, 1]],
    ["Dirty threads at work", count, [
      ["processor", (p) => working(p, "dirty_cpu")], ["waiting for the system", (p) => working(p, "dirty_io")]]],
    ["Memory", bytes, [["total", (p) => p.memory.total], ...classes.map((c) => [c, (p) => p.memory[c]])]],
    ["Waiting to run", count, [["processes and ports", (p) => p.levels.run_queue]]],
    ["A process's wait for its turn", micro, [
      ["longest", (p) => p.wait.longest_us], ["mean", (p) => p.wait.mean_us]]],
    ["Reductions a second", count, [["reductions", (p) => p.rates.reductions]]],
    ["Scheduled a second", count, [["processes and ports", (p) => p.rates.switches]]],
    ["Collections a second", count, [["collections", (p) => p.rates.collections]]],
    ["Reclaimed a second", bytes, [["by collections", (p) => p.rates.reclaimed]]],
    ["Through ports a second", bytes, [["in", (p) => p.rates.input], ["out", (p) => p.rates.output]]],
    ["How many", count, ["processes", "ports", "tables"].map((name) => [name, (p) => p.levels[name]])],
  ];
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const busy = (p) => mean(p.schedulers.slice(0, p.levels.online).map((s) => s.busy));
  const working = (p, kind) => p.schedulers.filter((s) => s.kind === kind).reduce((sum, s) => sum + s.busy, 0);
  const now = (p) => [
    ["up for", duration(p.levels.up)], ["busy", share(busy(p))],
    ["memory", bytes(p.memory.total)], ["processes", count(p.levels.processes)], ["ports", count(p.levels.ports)],
    ["tables", count(p.levels.tables)], ["atoms", count(p.levels.atoms)],
    ["longest wait", micro(p.wait.longest_us)]];

  const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const width = (section) => Math.max(240, section.clientWidth - 26);
  const axis = (extra) => ({stroke: () => ink("--quiet"), grid: {stroke: () => ink("--line"), width: 1},
                            ticks: {stroke: () => ink("--line")}, ...extra});
  const chart = ([title, written, lines, range]) => {
    const section = document.createElement("section"), heading = document.createElement("h2");
    heading.textContent = title;
    section.setAttribute("aria-label", title);
    section.append(heading);
    element("charts").append(section);
    const plot = new uPlot({
      width: width(section), height: HEIGHT,
      cursor: {sync: {key: "watch"}, points: {show: false}, drag: {x: true, y: false, setScale: false},
               bind: {dblclick: () => () => { look_at(null); return null; }}},
      hooks: {setSelect: [(u) => {
        const {left, width} = u.select;
        if (width > 0) {
          u.setSelect({left: 0, width: 0, top: 0, height: 0}, false);
          look_at([u.posToVal(left, "x"), u.posToVal(left + width, "x")]);
        }
      }]},
      scales: {y: {range: (_, low, high) => range || [0, high > 0 ? high * 1.1 : 1]}},
      axes: [axis(), axis({size: 62, values: (_, ticks) => ticks.map(written)})],
      series: [{value: (_, at) => at === null ? "" : new Date(at * 1000).toLocaleTimeString()},
               ...lines.map(([name], i) => ({label: name, stroke: COLOURS[i % COLOURS.length], width: i === 0 ? 2 : 1,
                                             points: {show: false},
                                             value: (_, value) => value === null ? "" : written(value)}))],
    }, [[], ...lines.map(() => [])], section);
    return {plot, section, lines};
  };

  // seen: [from, to] in seconds, or null, which is all that there is.
  let next = 0, points = [], charts = [], seen = null;
  const whole = () => [points[0].time / 1000, points[points.length - 1].time / 1000];
  const scale = () => {
    const [min, max] = seen || whole();
    for (const {plot} of charts)
      plot.setScale("x", {min, max});
    element("charts").dataset.seen = `${min} ${max}`;
  };
  const look_at = (part) => {
    seen = part;
    if (charts.length > 0)
      scale();
  };
  // A part of what is seen, around its middle, or beside it.
  const zoom = (by) => {
    const [from, to] = seen || whole(), middle = (from + to) / 2, half = Math.max(0.1, by * (to - from) / 2);
    look_at([middle - half, middle + half]);
  };
  const move = (by) => {
    const [from, to] = seen || whole();
    look_at([from + by * (to - from), to + by * (to - from)]);
  };
  document.addEventListener("keydown", (event) => {
    const keys = {"+": () => zoom(0.5), "-": () => zoom(2), "ArrowLeft": () => move(-0.25),
                  "ArrowRight": () => move(0.25), "Escape": () => look_at(null)};
    if (points.length > 0 && keys[event.key])
      keys[event.key]();
  });
  const draw = () => {
    const times = points.map((p) => p.time / 1000);
    for (const {plot, lines} of charts)
      plot.setData([times, ...lines.map(([, value]) => points.map(value))], false);
    scale();
    const list = now(points[points.length - 1]).map(([name, value]) => {
      const pair = document.createElement("div");
      for (const [tag, text] of [["dt", name], ["dd", value]])
        pair.append(Object.assign(document.createElement(tag), {textContent: text}));
      return pair;
    });
    element("now").replaceChildren(...list);
  };
  const take = (told) => {
    document.title = element("node").textContent = told.node;
    next = told.next;
    if (told.points.length === 0)
      return;
    points = points.concat(told.points).slice(-POINTS);
    if (charts.length === 0)
      charts = plans(points[0]).map(chart);
    draw();
    const latest = new Date(points[points.length - 1].time).toLocaleTimeString();
    element("said").textContent = `OTP ${told.otp}, as of ${latest}`;
    element("said").className = "";
  };
  const look = async () => {
    try {
      const answer = await fetch(`/figures?from=${next}`);
      take(await answer.json());
    } catch (error) {
      if (!(error instanceof TypeError))
        throw error;
      element("said").textContent = "viv watch has ended, or the node.";
      element("said").className = "gone";
    } finally {
      setTimeout(look, 500);
    }
  };
  window.addEventListener("resize", () => charts.forEach(({plot, section}) =>
    plot.setSize({width: width(section), height: HEIGHT})));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach(({plot}) =>
    plot.redraw(false, true)));
  look();
})();
