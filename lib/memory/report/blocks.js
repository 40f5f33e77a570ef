/*
 * The blocks, as columns: what block i has stands at i of each. They are in the order of their addresses.
 *
 * `at` is where a block lies in the packed address space, in which gaps of more than FOLD bytes are only FOLDED wide:
 * all pictures of addresses are pictures of that. `areas` are what lies between such gaps.
 */

const FOLD = 64 * KB, FOLDED = 4 * KB;

async function readBlocks(text, count) {
  const packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const inflated = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return columns(new Uint8Array(await new Response(inflated).arrayBuffer()), count);
}

/* As lib/memory/viv_memory_report_blocks.erl writes them. */
function columns(bytes, count) {
  const blocks = {
    count, address: new Float64Array(count), size: new Float64Array(count), at: new Float64Array(count),
    weight: new Float32Array(count), type: new Uint8Array(count), process: new Uint32Array(count),
    place: new Uint32Array(count), areas: [], span: 0,
  };
  let next = 0, address = 0;
  /* Numbers can have more than 32 bits: no shifts. */
  const number = () => {
    let byte = bytes[next++], value = byte & 127;
    for (let unit = 128; byte > 127; unit *= 128) {
      byte = bytes[next++];
      value += (byte & 127) * unit;
    }
    return value;
  };
  for (let i = 0; i < count; i++) {
    address += 16 * number();
    const size = number(), type = bytes[next++];
    blocks.address[i] = address;
    blocks.size[i] = size;
    blocks.type[i] = type & 127;
    blocks.weight[i] = type > 127 ? weightOf(size, bytes[next++]) : 1;
    blocks.process[i] = number();
    blocks.place[i] = number();
  }
  if (next !== bytes.length) throw new Error("the blocks are damaged");
  return pack(blocks);
}

/* How many blocks one that was sampled stands for: viv_memory_map:weight/2. */
const weightOf = (size, shift) => size === 0 ? 1 : 1 / (1 - Math.exp(-size / 2 ** shift));

function pack(blocks) {
  let end = -Infinity, at = 0;
  for (let i = 0; i < blocks.count; i++) {
    const gap = blocks.address[i] - end;
    if (gap > FOLD) {
      at += i > 0 ? FOLDED : 0;
      blocks.areas.push({first: i, at});
    } else {
      at += gap;
    }
    blocks.at[i] = at;
    at += blocks.size[i];
    end = blocks.address[i] + blocks.size[i];
  }
  blocks.span = Math.max(at, 1);
  return blocks;
}

/* The last block that begins at or before this place of the packed space; -1: none. */
function blockBefore(blocks, at) {
  let low = 0, high = blocks.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (blocks.at[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/* The block there, or -1. */
function blockAt(blocks, at) {
  const i = blockBefore(blocks, at);
  return i >= 0 && at < blocks.at[i] + blocks.size[i] ? i : -1;
}

/* The address at a place of the packed space. */
function addressAt(blocks, at) {
  const i = Math.max(0, blockBefore(blocks, at));
  if (blocks.count === 0) return 0;
  return blocks.address[i] + Math.min(at - blocks.at[i], blocks.size[i] + FOLD);
}
