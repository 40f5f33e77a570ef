/*
 * Squarified treemaps (Bruls, Huizing, van Wijk 2000): rectangles with areas in proportion to `values`, which are
 * largest first (the last may be larger), none of them much longer than wide. Rows are laid along the shorter side of
 * what is left, each as long as that makes its worst rectangle better.
 */

function squarify(values, box) {
  const found = [];
  let {x, y, width, height} = box, rest = values.reduce((sum, value) => sum + value, 0), next = 0;
  while (next < values.length && rest > 0 && width > 0 && height > 0) {
    const side = Math.min(width, height), scale = width * height / rest;
    let end = next + 1, sum = values[next];
    while (end < values.length &&
           worst(values[next], values[end], sum + values[end], side, scale) <=
           worst(values[next], values[end - 1], sum, side, scale))
      sum += values[end++];
    const thick = end === values.length ? Math.max(width, height) : sum * scale / side;
    let along = 0;
    for (; next < end; next++) {
      const length = side * values[next] / sum;
      found.push(width >= height ? {x, y: y + along, width: thick, height: length}
                                 : {x: x + along, y, width: length, height: thick});
      along += length;
    }
    rest -= sum;
    if (width >= height) [x, width] = [x + thick, width - thick];
    else [y, height] = [y + thick, height - thick];
  }
  return found;
}

/* The worst ratio of sides in a row along `side`, of which these values are the first and the last. */
function worst(first, last, sum, side, scale) {
  const thick = sum * scale / side, ratio = (value) => value * scale / thick ** 2;
  return Math.max(ratio(first), 1 / ratio(first), ratio(last), 1 / ratio(last));
}
