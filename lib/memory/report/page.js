/* The start: reads what the page holds, and joins its parts. */

async function start() {
  const facts = JSON.parse(byId("data").textContent), tables = tablesOf(facts);
  const blocks = await readBlocks(byId("blocks").textContent, facts.blocks);
  byId("blocks").remove();
  const describe = createDescribe(blocks, tables), input = byId("search");
  showFacts(facts, total(sumsBy("class", blocks, tables, null)), blocks);
  const map = createMap(blocks, tables, describe);
  listenToMap(map, blocks, describe);
  const parts = [map, createTreemap(blocks, tables, addWords),
                 createTops(blocks, tables, facts, (by, what) => addWords([[by, what]]))];
  const chips = showClasses(sumsBy("class", blocks, tables, null), (name) => toggleWord("class=" + name));

  function search() {
    const meant = matching(blocks, tables, input.value);
    for (const part of parts) part.filter(meant);
    const sum = total(sumsBy("class", blocks, tables, meant));
    byId("found").textContent = meant === null ? "" : `${countText(sum.count)} blocks, ${bytesText(sum.bytes)}`;
    for (const [name, chip] of chips) chip.setAttribute("aria-pressed", words().includes("class=" + name));
  }

  const words = () => input.value.match(/(?:"[^"]*"?|[^\s"])+/g) ?? [];
  const say = (all) => {
    input.value = all.join(" ");
    search();
  };
  /* Of the words for a field there is only one. */
  const others = (fields) => words().filter((word) => !fields.some((field) => word.startsWith(field + "=")));
  const worded = ([field, what]) => `${field}=${/[\s"]/.test(what) ? `"${what.replaceAll('"', "")}"` : what}`;

  function addWords(pairs) { say([...others(pairs.map(([field]) => field)), ...pairs.map(worded)]); }
  function toggleWord(word) {
    say(words().includes(word) ? words().filter((each) => each !== word) : [...others(["class"]), word]);
  }

  let waiting = 0;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, blocks.count > 200000 ? 120 : 20);
  });
  window.addEventListener("resize", () => [map, parts[1]].forEach((part) => part.layout()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => map.layout());
  return {facts, blocks, tables, map, parts};
}

function showFacts(facts, sum, blocks) {
  document.title = `Memory of ${facts.node}`;
  byId("node").textContent = facts.node;
  const about = facts.kind === "estimated" ? "about " : "";
  byId("total").textContent = `${about}${bytesText(sum.bytes)} in ${about}${countText(sum.count)} blocks`;
  const [missedBytes, missedBlocks] = facts.missed;
  const rows = {
    "taken": new Date(facts.began).toLocaleString("en-GB", {dateStyle: "medium", timeStyle: "medium"}),
    "read in": spanText(facts.ended - facts.began) + ", while all went on",
    "kind": facts.kind === "exact" ? "exact: each block that came while the map was on" :
      `estimated: ${countText(blocks.count)} blocks that were drawn, by the end one in ${bytesText(facts.sampled)}`,
    "without a record": missedBlocks === 0 ? "none" : `${countText(missedBlocks)} blocks, ${bytesText(missedBytes)}`,
    "areas": countText(blocks.areas.length),
    "OS process": facts.os_pid,
    "runtime": facts.runtime,
  };
  byId("facts").replaceChildren(...Object.entries(rows).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

/* [[name, button]], largest first. */
function showClasses(sums, press) {
  const whole = total(sums).bytes || 1;
  const chips = [...sums].sort(([, a], [, b]) => b.bytes - a.bytes).map(([name, {bytes}]) => [name,
    element("button", {type: "button", class: "class", "aria-pressed": "false", style: `--color: var(--${name})`,
                       onclick: () => press(name)},
            element("i", {"aria-hidden": "true"}), name,
            element("span", {}, `${bytesText(bytes)}, ${shareText(bytes / whole)}`))]);
  byId("classes").replaceChildren(...chips.map(([, chip]) => chip));
  return chips;
}

/* For who looks from outside; a page that cannot be read says why. */
const page = start();
page.catch((error) => { byId("total").textContent = `This page cannot be shown: ${error.message}`; });
