/*
 * The table of sums: by whatever is chosen, largest first; with an earlier snapshot also what each grew by since.
 *
 * Of the earlier snapshot there are only sums of all. So when only some blocks are shown, nothing is said of growth.
 */

const ROWS_AT_FIRST = 25;

function createTops(blocks, tables, facts, search) {
  const tops = {by: facts.places.length > 1 ? "function" : "type", sort: "bytes", meant: null, rows: ROWS_AT_FIRST};
  const columns = () => [["what", tops.by], ["bytes", "bytes"], ["share", "share"], ["blocks", "blocks"],
                         ...(grows() ? [["grown", "bytes since"], ["more", "blocks since"]] : [])];
  const grows = () => facts.since !== null && tops.meant === null;
  const sorting = () => !grows() && (tops.sort === "grown" || tops.sort === "more") ? "bytes" : tops.sort;

  /* [{what, bytes, blocks, grown, more}], sorted. */
  function rows() {
    const now = sumsBy(tops.by, blocks, tables, tops.meant);
    const before = grows() ? earlierSumsBy(tops.by, facts.since, tables) : new Map();
    const none = {bytes: 0, count: 0}, found = [];
    for (const what of new Set([...now.keys(), ...before.keys()])) {
      const [a, b] = [before.get(what) ?? none, now.get(what) ?? none];
      found.push({what, bytes: b.bytes, blocks: b.count, grown: b.bytes - a.bytes, more: b.count - a.count});
    }
    const key = sorting() === "share" ? "bytes" : sorting();
    if (key === "what") return found.sort((a, b) => a.what.localeCompare(b.what));
    return found.sort((a, b) => b[key] - a[key] || b.bytes - a.bytes);
  }

  function heading([key, text]) {
    const sorted = key === sorting();
    const button = element("button", {type: "button", onclick: () => { tops.sort = key; show(); }},
                           key === "what" ? text : text + (sorted ? " \u2193" : ""));
    const order = key === "what" ? "ascending" : "descending";
    return element("th", {scope: "col", class: key, "aria-sort": sorted && order}, button);
  }

  function bodyRow(row, whole, widest) {
    const colour = tops.by === "class" ? row.what : tops.by === "type" ? classOf(row.what) : null;
    const pick = element("button", {type: "button", title: "Show only these", onclick: () => search(tops.by, row.what)},
                         row.what);
    const bar = element("i", {style: `width: ${100 * Math.max(0, row.bytes) / widest}%;` +
                              (colour ? `--color: var(--${colour})` : "")});
    return element("tr", {}, element("td", {}, pick), element("td", {}, bytesText(row.bytes)),
                   element("td", {class: "share", title: shareText(row.bytes / whole)}, bar),
                   element("td", {}, countText(row.blocks)), ...(grows() ? [change(row.grown, bytesText),
                                                                            change(row.more, countText)] : []));
  }

  const classOf = (type) => tables.types.find((row) => row.type === type).class;
  const change = (by, text) => element("td", {class: by > 0 ? "grown" : by < 0 ? "shrunk" : ""},
                                       Math.round(by) === 0 ? "" : changeText(by, text));

  function show() {
    const found = rows(), whole = found.reduce((sum, row) => sum + row.bytes, 0) || 1;
    const widest = found.reduce((most, row) => Math.max(most, row.bytes), 1), shown = found.slice(0, tops.rows);
    byId("tops").replaceChildren(
      element("thead", {}, element("tr", {}, ...columns().map(heading))),
      element("tbody", {}, ...shown.map((row) => bodyRow(row, whole, widest))));
    byId("more").hidden = found.length <= tops.rows;
    byId("more").textContent = `${countText(found.length - shown.length)} more`;
  }

  function choice(by) {
    const input = element("input", {type: "radio", name: "by", value: by, checked: by === tops.by, onchange: () => {
      tops.by = by;
      tops.rows = ROWS_AT_FIRST;
      show();
    }});
    return element("label", {}, input, element("span", {}, by));
  }

  tops.filter = (meant) => {
    tops.meant = meant;
    show();
  };
  if (facts.since !== null) tops.sort = "grown";
  byId("by").replaceChildren(...BY.map(choice));
  byId("more").addEventListener("click", () => { tops.rows *= 4; show(); });
  byId("since").textContent = sinceText(facts, total(sumsBy("class", blocks, tables, null)));
  show();
  return tops;
}

function sinceText(facts, now) {
  if (facts.since === null) return "";
  const {taken, kind, total: [bytes, count]} = facts.since;
  return `Since ${new Date(taken).toLocaleTimeString("en-GB")}, ${spanText(facts.began - taken)} before: ` +
    `${changeText(now.bytes - bytes, bytesText)}, ${changeText(now.count - count, countText)} blocks` +
    (kind === "exact" ? "." : ", estimated then.") + " A search hides what grew: earlier blocks were only summed.";
}
