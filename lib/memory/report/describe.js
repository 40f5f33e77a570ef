/* What is said of a block and of a hole. */

function createDescribe(blocks, tables) {
  const facts = (block) => {
    const type = tables.types[blocks.type[block]], process = tables.processes[blocks.process[block]];
    const place = tables.places[blocks.place[block]], size = blocks.size[block];
    return {
      size: bytesText(size) + (size >= KB ? ` (${countText(size)} bytes)` : ""),
      type, address: addressText(blocks.address[block]),
      process: blocks.process[block] === 0 ? "no process" :
        process.process + (process.name === process.process ? "" : " " + process.name),
      place: blocks.place[block] === 0 ? null : place.function +
        (place.application === "unknown" ? "" : ` (${place.application})`),
      stands: blocks.weight[block] > 1 ? `stands for ${countText(blocks.weight[block])} blocks` : null,
    };
  };
  const quiet = (text) => element("span", {class: "quiet"}, text);

  return {
    /* Lines for the tip. */
    block(block) {
      const {size, type, address, process, place, stands} = facts(block);
      const swatch = element("b", {style: `color: var(--${type.class})`}, "\u25a0 ");
      const lines = [[swatch, element("b", {}, type.type), ` ${size}`],
                     [quiet(`${type.class}: ${type.description}`)], [process]];
      if (place !== null) lines.push([place]);
      if (stands !== null) lines.push([stands]);
      lines.push([quiet(address)]);
      return lines.map((line) => element("div", {}, ...line));
    },
    /* In a line, for what is selected. */
    line(block) {
      const {size, type, address, process, place, stands} = facts(block);
      return [type.type, size, type.class, process, place, stands, "at " + address]
        .filter((part) => part !== null).join(" \u00b7 ");
    },
    hole(at) {
      const before = blockBefore(blocks, at);
      if (before < 0 || before + 1 >= blocks.count) return [element("div", {}, "nothing")];
      const start = blocks.address[before] + blocks.size[before];
      const bytes = blocks.address[before + 1] - start;
      const what = bytes > FOLD ? "a gap, folded" : "free, or not in the map";
      return [element("div", {}, element("b", {}, bytesText(bytes)), ` ${what}`),
              element("div", {}, quiet(addressText(start)))];
    },
  };
}
