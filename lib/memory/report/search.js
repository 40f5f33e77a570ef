/*
 * What the search box says, and which blocks it means.
 *
 * A word is looked up once in each table of names: what it hits there gets the word's bit. A block then has all the
 * words that its type, its process or its place have.
 */

const SIZE = /^([<>])(\d+(?:\.\d+)?)([kKmMgG]?)(?:i?[bB])?$/;
const FIELD = /^(class|type|process|name|function|application)=(.*)$/;
const MOST_WORDS = 30;

/* {words: [{field, text, without}], least, most} of sizes between which, both left out, blocks must be. */
function parseSearch(text) {
  const said = {words: [], least: -Infinity, most: Infinity};
  for (const part of text.match(/(?:"[^"]*"?|[^\s"])+/g) ?? []) {
    const size = SIZE.exec(part);
    if (size) limit(said, size[1], Number(size[2]) * {k: KB, m: MB, g: GB, "": 1}[size[3].toLowerCase()]);
    else if (said.words.length < MOST_WORDS) said.words.push(word(part));
  }
  said.words = said.words.filter((each) => each.text !== "" || each.field);
  return said;
}

function limit(said, sign, size) {
  if (sign === ">") said.least = Math.max(said.least, size);
  else said.most = Math.min(said.most, size);
}

function word(part) {
  const without = part.length > 1 && part.startsWith("-");
  const plain = (without ? part.slice(1) : part).replaceAll('"', "");
  const [, field, name] = FIELD.exec(plain) ?? [null, null, plain];
  return {field, text: name.toLowerCase(), without};
}

/* Does what has these names by field have the word? */
function hits(word, names) {
  if (word.field) return (names[word.field] ?? []).some((name) => name.toLowerCase() === word.text);
  return Object.values(names).flat().some((name) => name.toLowerCase().includes(word.text));
}

const bitsOf = (words, table) => Uint32Array.from(table, (row) =>
  words.reduce((bits, word, i) => hits(word, row.names) ? bits | 1 << i : bits, 0));

/* A byte for each block: 1 for those that are meant; null: all are. */
function matching(blocks, tables, text) {
  const {words, least, most} = parseSearch(text);
  if (words.length === 0 && least === -Infinity && most === Infinity) return null;
  const [types, processes, places] = [tables.types, tables.processes, tables.places].map((t) => bitsOf(words, t));
  const wanted = words.reduce((bits, word, i) => word.without ? bits : bits | 1 << i, 0);
  const unwanted = words.reduce((bits, word, i) => word.without ? bits | 1 << i : bits, 0);
  const found = new Uint8Array(blocks.count);
  for (let i = 0; i < blocks.count; i++) {
    const bits = types[blocks.type[i]] | processes[blocks.process[i]] | places[blocks.place[i]];
    const size = blocks.size[i];
    found[i] = (bits & wanted) === wanted && (bits & unwanted) === 0 && size > least && size < most ? 1 : 0;
  }
  return found;
}
