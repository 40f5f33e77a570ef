/*
 * What lib/see/viv_see_timeline.erl has packed: the items, as columns, and the lines that tell more of each. Those are
 * most of it, so they stand at the end of the page, and a block of them is unpacked when one is asked for.
 */
const LINES = 1024; // in a block

async function unpacked(text) {
  const characters = atob(text), packed = new Uint8Array(characters.length);
  for (let i = 0; i < characters.length; i++)
    packed[i] = characters.charCodeAt(i);
  const stream = new Response(packed).body.pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/* `lines` says in which line an item is told. */
async function readItems(text, count, arrows) {
  const bytes = new Uint8Array(await unpacked(text));
  let next = 0;
  const difference = () => {
    let byte = bytes[next++], number = byte & 127;
    if (byte < 128)
      return byte & 1 ? ~(byte >> 1) : byte >> 1;
    for (let unit = 128; byte > 127; unit *= 128) { // it can have more than 32 bits: no shifts
      byte = bytes[next++];
      number += (byte & 127) * unit;
    }
    return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
  };
  const column = (array) => {
    for (let i = 0, value = 0; i < array.length; i++)
      array[i] = value += difference();
    return array;
  };
  const rows = column(new Uint32Array(count)), names = column(new Uint32Array(count));
  const {groups, groupCount} = groupsOf(rows, names);
  const grouped = (array) => {
    const values = new Float64Array(groupCount);
    for (let i = 0; i < count; i++)
      array[i] = values[groups[i]] += difference();
    return array;
  };
  const items = {
    rows, names, starts: column(new Float64Array(count)), kinds: column(new Uint8Array(count)),
    depths: column(new Uint8Array(count)), durations: grouped(new Float64Array(count)),
    lines: grouped(new Uint32Array(count)), senders: column(new Uint32Array(arrows)),
    receivers: column(new Uint32Array(arrows)),
  };
  if (next !== bytes.length)
    throw new Error("the items are damaged");
  return items;
}

/* Items of one row that have one name are a group. */
function groupsOf(rows, names) {
  const groups = new Uint32Array(rows.length), found = new Map();
  for (let i = 0; i < rows.length; i++) {
    const key = rows[i] * 0x100000000 + names[i];
    let group = found.get(key);
    if (group === undefined)
      found.set(key, group = found.size);
    groups[i] = group;
  }
  return {groups, groupCount: found.size};
}

const isRead = new Promise((done) => document.addEventListener("DOMContentLoaded", done));

/* A line that is promised. The block of the last one is kept. */
let lineBlocks = null, lastBlock = -1, lastLines = null;
async function lineAt(number) {
  await isRead;
  lineBlocks = lineBlocks || document.getElementById("lines").textContent.split("\n");
  const wanted = Math.floor(number / LINES);
  if (wanted !== lastBlock) {
    lastBlock = wanted;
    lastLines = unpacked(lineBlocks[wanted]).then((bytes) => new TextDecoder().decode(bytes).split("\n"));
  }
  return (await lastLines)[number % LINES];
}
