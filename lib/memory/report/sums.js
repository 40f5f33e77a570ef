/*
 * Tables of names, and sums of blocks by what stands in them.
 *
 * A row of a table has its `names` by field, as the search knows them, and where it goes by each way of summing.
 */

const BY = ["class", "type", "process", "name", "function", "application"];
const CLASSES = ["processes", "ets", "binary", "code", "atom", "system"];

function tablesOf(facts) {
  return {
    types: facts.types.map(([type, classOf, description]) =>
      ({names: {type: [type], class: [classOf]}, type, class: classOf, description})),
    processes: facts.processes.map(([process, name]) =>
      ({names: {process: [process], name: name === null ? [] : [name]}, process, name: name ?? process})),
    places: facts.places.map(([text, line, application]) => {
      const place = line > 0 ? `${text}:${line}` : text;
      return {names: {function: [place, text], application: [application ?? "unknown"]}, function: place,
              application: application ?? "unknown"};
    }),
  };
}

/* Which column and which table tell it. */
function columnOf(by) {
  if (by === "class" || by === "type") return ["type", "types"];
  return by === "process" || by === "name" ? ["process", "processes"] : ["place", "places"];
}

/* {bytes, count}: columns of sums by the number of a row in a table. `meant`: as matching/3 gives it. */
function sumsByRow(blocks, column, rows, meant) {
  const bytes = new Float64Array(rows), count = new Float64Array(rows), key = blocks[column];
  for (let i = 0; i < blocks.count; i++) {
    if (meant !== null && meant[i] === 0) continue;
    const weight = blocks.weight[i];
    bytes[key[i]] += blocks.size[i] * weight;
    count[key[i]] += weight;
  }
  return {bytes, count};
}

/* A map from what it is summed by to {bytes, count}; row by row sums are given. */
function regroup(by, table, {bytes, count}) {
  const groups = new Map();
  for (let row = 0; row < table.length; row++) {
    if (count[row] === 0 && bytes[row] === 0) continue;
    const group = groups.get(table[row][by]);
    if (group === undefined) groups.set(table[row][by], {bytes: bytes[row], count: count[row]});
    else {
      group.bytes += bytes[row];
      group.count += count[row];
    }
  }
  return groups;
}

function sumsBy(by, blocks, tables, meant) {
  const [column, table] = columnOf(by);
  return regroup(by, tables[table], sumsByRow(blocks, column, tables[table].length, meant));
}

/* The same of the snapshot before, which has sums only. */
function earlierSumsBy(by, since, tables) {
  const [, table] = columnOf(by);
  const bytes = new Float64Array(tables[table].length), count = new Float64Array(tables[table].length);
  for (const [row, ofRow, blocksOfRow] of since[table]) {
    bytes[row] = ofRow;
    count[row] = blocksOfRow;
  }
  return regroup(by, tables[table], {bytes, count});
}

function total(groups) {
  let bytes = 0, count = 0;
  for (const group of groups.values()) {
    bytes += group.bytes;
    count += group.count;
  }
  return {bytes, count};
}
