/*
 * A part of the packed address space as a row of pixels: what the map and its overview are made of.
 *
 * Each pixel adds up how much of it each class covers, so that a picture of a million blocks is as true as one of ten:
 * its colour is that of the classes in their proportion, thinned by what is free.
 */

const NOT_MEANT = CLASSES.length, KINDS = CLASSES.length + 1;

/* Colours as [r, g, b], from the style. */
function paletteOf(root) {
  const style = getComputedStyle(root);
  const colour = (name) => {
    const digits = style.getPropertyValue("--" + name).trim();
    return [1, 3, 5].map((i) => parseInt(digits.slice(i, i + 2), 16));
  };
  return {kinds: [...CLASSES, "dimmed"].map(colour), free: colour("free"), line: colour("quiet"),
          label: colour("label")};
}

/* Coverage of `width` pixels from `from` on, so many bytes each: KINDS numbers for a pixel. */
function coverage(blocks, kindOfType, meant, from, bytesPerPixel, width) {
  const covered = new Float32Array(width * KINDS), end = from + width * bytesPerPixel;
  for (let i = Math.max(0, blockBefore(blocks, from)); i < blocks.count && blocks.at[i] < end; i++) {
    const kind = meant !== null && meant[i] === 0 ? NOT_MEANT : kindOfType[blocks.type[i]];
    const start = (blocks.at[i] - from) / bytesPerPixel, length = blocks.size[i] / bytesPerPixel;
    cover(covered, kind, Math.max(0, start), Math.min(width, start + parted(length)));
  }
  return covered;
}

/* Blocks that can be told apart are parted by a thin line. */
const parted = (length) => length > 3 ? length - Math.min(1, length / 6) : length;

function cover(covered, kind, start, end) {
  if (end <= start) return;
  const first = Math.floor(start), last = Math.min(Math.floor(end), covered.length / KINDS - 1);
  if (first === last) {
    covered[first * KINDS + kind] += end - start;
    return;
  }
  covered[first * KINDS + kind] += first + 1 - start;
  for (let pixel = first + 1; pixel < last; pixel++) covered[pixel * KINDS + kind] = 1;
  covered[last * KINDS + kind] += end - last;
}

/* The colours of these pixels, into `image` from pixel `to` on. What is not meant counts little, so that what is stays
 * to be seen where both share a pixel. */
function paint(covered, palette, image, to) {
  const {kinds, free} = palette;
  for (let k = 0, byte = 4 * to; k < covered.length; k += KINDS, byte += 4) {
    let all = 0, weights = 0, red = 0, green = 0, blue = 0;
    for (let kind = 0; kind < KINDS; kind++) {
      const part = covered[k + kind];
      if (part === 0) continue;
      const weight = kind === NOT_MEANT ? part / 8 : part;
      all += part;
      weights += weight;
      red += weight * kinds[kind][0];
      green += weight * kinds[kind][1];
      blue += weight * kinds[kind][2];
    }
    const held = Math.min(1, all), scale = weights > 0 ? held / weights : 0;
    image[byte] = red * scale + (1 - held) * free[0];
    image[byte + 1] = green * scale + (1 - held) * free[1];
    image[byte + 2] = blue * scale + (1 - held) * free[2];
    image[byte + 3] = 255;
  }
}

/* Folded gaps that are to be seen. */
function foldMarks(blocks, from, bytesPerPixel, width) {
  const marks = [], end = from + width * bytesPerPixel;
  for (const area of blocks.areas) {
    if (area.first === 0 || area.at < from || area.at - FOLDED >= end) continue;
    const pixel = Math.round((area.at - FOLDED / 2 - from) / bytesPerPixel);
    if (pixel >= 0 && pixel < width && !(pixel - marks.at(-1) < 12)) marks.push(pixel);
  }
  return marks;
}
