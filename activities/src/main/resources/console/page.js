// Creates elements. Values from the API become text, never markup.

/** @param children elements and texts; null is left out */
export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.flat().filter(child => child !== null && child !== undefined));
  return made;
}

export function link(href, text) {
  return element("a", { href }, text);
}

/** Returns a link to another server, or a text if the address is not http or https. */
export function linkOut(address, text) {
  return /^https?:\/\//.test(address ?? "")
    ? element("a", { href: address, rel: "noreferrer" }, text)
    : text;
}

/**
 * @param columns each {name, of: row => content of its cell, number?: whether it is a number}
 * @param none the text if there is no row
 */
export function table(columns, rows, none) {
  if (rows.length === 0) {
    return element("p", { className: "note" }, none);
  }
  return element("table", {},
    element("thead", {}, element("tr", {}, columns.map(column =>
      element("th", { scope: "col", className: column.number ? "number" : "" }, column.name)))),
    element("tbody", {}, rows.map(row => element("tr", {}, columns.map(column =>
      element("td", { className: column.number ? "number" : "" }, column.of(row)))))));
}

/** Names with their values; those without a value are left out. */
export function facts(...pairs) {
  return element("dl", {}, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

export function bytes(count) {
  if (count === null || count === undefined) {
    return "";
  }
  const power = count < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(count) / 10));
  const shown = count / 1024 ** power;
  return `${power === 0 ? shown : shown < 100 ? shown.toPrecision(3) : Math.round(shown)} ${UNITS[power]}`;
}

export function number(value) {
  return value === null || value === undefined ? "" : value.toLocaleString("en");
}

/** Each unit with the shortest duration that is shown in it, so that rounding changes little. */
const SPANS = [[2 * 86400, 86400, "d"], [2 * 3600, 3600, "h"], [120, 60, "min"], [0, 1, "s"]];

export function duration(seconds) {
  if (seconds === null || seconds === undefined) {
    return "";
  }
  const [, span, unit] = SPANS.find(([least]) => seconds >= least) ?? SPANS.at(-1);
  return `${Math.round(seconds / span)} ${unit}`;
}

/** Returns the distance to an instant by this machine's clock. Its tooltip is the instant. */
export function time(instant) {
  if (!instant) {
    return "";
  }
  const seconds = (new Date(instant) - Date.now()) / 1000;
  return element("time", { dateTime: instant, title: instant },
    seconds < 0 ? duration(-seconds) + " ago" : "in " + duration(seconds));
}

const STATE_CLASSES = { CACHED: "good", WARMING: "busy", EVICTING: "busy", BLOCKED: "bad" };

export function state(region) {
  return element("span", { className: STATE_CLASSES[region.state] ?? "" }, region.state);
}

/** @param of the whole; no bar if it is 0 */
export function share(part, of, text) {
  return of > 0 ? [element("progress", { max: of, value: part, ariaLabel: text }), text] : [text];
}

/** Problems that end without an operator, for example after an eviction. */
const PASSING = new Set(["CAPACITY_EXCEEDED", "BUDGET_SPENT", "EVICTING", "PINNED"]);

/** Returns why a version waits. */
export function wait(cause) {
  return cause && PASSING.has(cause.code) ? element("span", { className: "busy" }, `waits: ${cause.message}`) : problem(cause);
}

export function problem(cause) {
  return cause ? element("span", { className: "bad" }, `${cause.code}: ${cause.message}`) : null;
}
