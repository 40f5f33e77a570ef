/* How things are written, and how elements are made. */

const KB = 1024, MB = 1024 * KB, GB = 1024 * MB;

function bytesText(bytes) {
  const size = Math.abs(bytes);
  const [unit, name] = size >= GB ? [GB, " GB"] : size >= MB ? [MB, " MB"] : size >= KB ? [KB, " KB"] : [1, " B"];
  const value = bytes / unit;
  return value.toFixed(unit === 1 || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2) + name;
}

const countText = (count) => Math.round(count).toLocaleString("en");
const changeText = (change, text) => (change > 0 ? "+" : change < 0 ? "\u2212" : "") + text(Math.abs(change));

function shareText(share) {
  if (share >= .1 || share <= 0) return Math.round(100 * share) + " %";
  return share < .001 ? "< 0.1 %" : (100 * share).toFixed(1) + " %";
}

/* 7F3A 1C40 0010: in groups, as it is long. */
function addressText(address) {
  const digits = Math.floor(address).toString(16).toUpperCase().padStart(12, "0");
  return digits.replace(/(.{4})(?=.)/g, "$1\u2009");
}

function spanText(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return seconds.toFixed(seconds < 10 ? 1 : 0) + " s";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round(seconds % 3600 / 60)} min`;
}

const byId = (id) => document.getElementById(id);

/* element("td", {class: "share", onclick: f}, child, "text", ...) */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== undefined) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}
