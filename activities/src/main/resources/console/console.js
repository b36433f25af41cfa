// Shows the state from the REST API, and refreshes it while the page is visible. Changes nothing: use `forebay`.

import { Failure, get, getOrProblem, hasToken, path, setToken } from "./api.js";
import { bytes, duration, element, facts, link, linkOut, number, problem, share, state, table, time, wait } from "./page.js";

const REFRESH_MS = 5000;

/** As many rows as a person reads. Dataset pages and the command line show further ones. */
const ROWS = 200;

const titled = (title, ...content) => [element("h2", {}, title), ...content];

const datasetLink = name => link("#/datasets" + path(...name.split("/")), name);
const versionLink = (dataset, version) =>
  link("#/datasets" + path(...dataset.split("/")) + path("versions", version), version);

const more = page => page.next ? element("p", { className: "note" }, `There are more than these ${ROWS}.`) : null;
const noneUnless = (unknown, none) => unknown ? "The rest is not known." : none;
const trouble = (page, of = "") => page.problem ? element("p", { className: "bad" }, of + page.problem) : null;

async function overview(signal) {
  const [regions, datasets, blocked] = await Promise.all([
    get("/regions", signal), get(`/datasets?limit=${ROWS}`, signal), getOrProblem(`/blocked?limit=${ROWS}`, signal),
  ]);
  const queues = await Promise.all(regions.items.map(async region => {
    const queue = await getOrProblem(path("regions", region.name, "queue"), signal);
    return { trouble: trouble(queue, region.name + ": "), items: queue.items.map(item => ({ region: region.name, ...item })) };
  }));
  return [
    ...blocked.items.length > 0 || blocked.problem
      ? titled("Blocked", trouble(blocked), table(BLOCKED_COLUMNS, blocked.items, noneUnless(true)), more(blocked)) : [],
    ...titled("Regions", table(REGION_COLUMNS, regions.items, "No region is configured.")),
    ...titled("Waiting for space",
      ...queues.map(queue => queue.trouble),
      table(QUEUE_COLUMNS, queues.flatMap(queue => queue.items),
        noneUnless(queues.some(queue => queue.trouble), "No version waits."))),
    ...titled("Datasets", table(DATASET_COLUMNS, datasets.items, "No dataset is registered."), more(datasets)),
  ];
}

const sum = (workers, field) => workers.reduce((total, worker) => total + worker[field], 0);

const REGION_COLUMNS = [
  { name: "Region", of: region => region.name },
  { name: "Agent", of: region => region.reachable
    ? element("span", { className: "good" }, "reachable") : element("span", { className: "bad" }, "away") },
  { name: "Workers", of: region => `${region.workers.filter(worker => worker.live).length} of ${region.workers.length} live` },
  { name: "In use", of: region => {
    const known = region.workers.filter(worker => worker.used_bytes !== null);
    const [used, capacity] = [sum(known, "used_bytes"), sum(known, "capacity_bytes")];
    return share(used, capacity, `${bytes(used)} of ${bytes(capacity)}`);
  } },
  { name: "Versions are below", of: region => region.mount_root },
  { name: "Problem", of: region => problem(region.problem) ?? "" },
];

const BLOCKED_COLUMNS = [
  { name: "Region", of: item => item.region },
  { name: "Dataset", of: item => datasetLink(item.dataset) },
  { name: "Version", of: item => versionLink(item.dataset, item.version) },
  { name: "Reason and remedy", of: item => problem(item.blocked) },
];

const QUEUE_COLUMNS = [
  { name: "Region", of: item => item.region },
  { name: "Position", number: true, of: item => number(item.position) },
  { name: "Dataset", of: item => datasetLink(item.dataset) },
  { name: "Version", of: item => versionLink(item.dataset, item.version) },
  { name: "Needs", number: true, of: item => bytes(item.bytes) },
  { name: "Priority", of: item => item.priority },
  { name: "Since", of: item => time(item.since) },
  { name: "Why", of: item => item.reason },
];

const DATASET_COLUMNS = [
  { name: "Dataset", of: dataset => datasetLink(`${dataset.namespace}/${dataset.name}`) },
  { name: "Source", of: dataset => dataset.source },
  { name: "Stays", of: dataset => `${duration(dataset.ttl_seconds)} after the last ${dataset.ttl_after}` },
  { name: "Registered", of: dataset => time(dataset.created_at) },
];

async function dataset(signal, namespace, name) {
  const at = path("datasets", namespace, name);
  const [itself, versions, tracking] = await Promise.all([
    get(at, signal), get(`${at}/versions?limit=${ROWS}`, signal),
    get(at + "/tracking", signal).catch(e => {
      if (e.status === 404) {
        return null;
      }
      throw e;
    }),
  ]);
  return [
    element("h1", {}, `${namespace}/${name}`),
    facts(["Source", itself.source],
      ["Include", itself.include.join(", ")], ["Exclude", itself.exclude.join(", ")], ["List of keys", itself.keys],
      ["Stays", `${duration(itself.ttl_seconds)} after the last ${itself.ttl_after}`],
      ["Deleted", itself.deleted_at && time(itself.deleted_at)],
      ["Follows its source", tracking && [`every ${duration(tracking.interval_seconds)}`, tracking.paused ? ", paused" : ""]],
      ["Last check", tracking?.last_check && [time(tracking.last_check.checked_at), " ", problem(tracking.last_check.problem)]]),
    ...titled("Versions", element("p", {}, link(`#${at}${path("versions", "latest")}`, "The latest")),
      table(VERSION_COLUMNS, versions.items, "No version was requested."), more(versions)),
  ];
}

const VERSION_COLUMNS = [
  { name: "Version", of: version => versionLink(version.dataset, version.version) },
  { name: "Objects", number: true, of: version => number(version.manifest?.objects) },
  { name: "Size", number: true, of: version => bytes(version.manifest?.bytes) },
  { name: "Regions", of: version => version.regions.map(region =>
    element("div", {}, region.region, " ", state(region), ` ${region.percent} %`)) },
  { name: "Pins", number: true, of: version => number(version.pins.length) },
];

async function version(signal, namespace, name, wanted) {
  const at = path("datasets", namespace, name);
  const shown = await get(at + path("versions", wanted), signal);
  const { manifest, origin } = shown;
  const why = { name: "", of: region =>
    link("#" + at + path("versions", shown.version, "regions", region.region), "why?") };
  return [
    element("h1", {}, datasetLink(shown.dataset), "@" + shown.version),
    facts(["Objects", manifest && number(manifest.objects)], ["Size", manifest && bytes(manifest.bytes)],
      ["Manifest", manifest?.digest], ["Source", origin?.source], ["Frozen", origin && time(origin.frozen_at)],
      ["New bytes", origin && bytes(origin.bytes_new)], ["Stays", duration(shown.ttl_seconds)],
      ["Workflow", linkOut(shown.workflow_url, shown.workflow_id)]),
    ...titled("Regions", table([...RESIDENCY_COLUMNS, why], shown.regions, "No request needs it in a region.")),
    ...titled("Pins", table(PIN_COLUMNS, shown.pins, "No pin.")),
  ];
}

async function explanation(signal, namespace, name, wanted, region) {
  const explained = await get(
    `${path("datasets", namespace, name)}/explain?${new URLSearchParams({ region, version: wanted })}`, signal);
  return [
    element("h1", {}, datasetLink(explained.dataset), "@", versionLink(explained.dataset, explained.version), ` in ${region}`),
    ...explained.sentences.map(sentence => element("p", {}, sentence)),
    ...titled("History", table([
      { name: "Time", of: event => time(event.at) },
      { name: "Event", of: event => event.kind },
      { name: "Reason or owner", of: event => [event.code, event.text].filter(Boolean).join(": ") },
      { name: "Bytes", number: true, of: event => bytes(event.bytes) },
    ], explained.history, "No history.")),
  ];
}

const RESIDENCY_COLUMNS = [
  { name: "Region", of: region => region.region },
  { name: "State", of: region => state(region) },
  { name: "Coverage", of: region => share(region.percent, 100, `${region.percent} %`) },
  { name: "Here", number: true, of: region => bytes(region.bytes_cached) },
  { name: "From the lake", number: true, of: region => bytes(region.bytes_from_lake) },
  { name: "Rate", number: true, of: region => region.bytes_per_second ? bytes(region.bytes_per_second) + "/s" : "" },
  { name: "Ready", of: region => region.cached_at ? time(region.cached_at)
    : region.eta_seconds === null ? "" : "in " + duration(region.eta_seconds) },
  { name: "Evictable", of: region => time(region.evictable_at) },
  { name: "Path", of: region => region.path ?? "" },
  { name: "Waits for", of: region => problem(region.blocked) ?? wait(region.waiting) ?? "" },
];

const PIN_COLUMNS = [
  { name: "Region", of: pin => pin.region },
  { name: "Owner", of: pin => pin.holder },
  { name: "Reason", of: pin => pin.reason ?? "" },
  { name: "Ends", of: pin => time(pin.expires_at) },
  { name: "Job", of: pin => pin.job ?? "" },
  { name: "Id", of: pin => pin.id },
];

const PIN_OF_VERSION_COLUMNS = [
  { name: "Dataset", of: pin => datasetLink(pin.dataset) },
  { name: "Version", of: pin => versionLink(pin.dataset, pin.version) },
  ...PIN_COLUMNS,
];

async function pins(signal) {
  const [all, regions] = await Promise.all([get(`/pins?limit=${ROWS}`, signal), get("/regions", signal)]);
  const leaked = await Promise.all(regions.items.map(async region => {
    const there = await getOrProblem(`/pins/leaked?${new URLSearchParams({ region: region.name })}`, signal);
    return { trouble: trouble(there, region.name + ": "), items: there.items };
  }));
  return [
    ...titled("Leaked pins", ...leaked.map(each => each.trouble), table(
      [...PIN_OF_VERSION_COLUMNS, { name: "Leak", of: pin => problem(pin.leak) ?? "" }],
      leaked.flatMap(each => each.items), noneUnless(leaked.some(each => each.trouble), "None."))),
    ...titled("Pins", table(PIN_OF_VERSION_COLUMNS, all.items, "No pins."), more(all)),
  ];
}

async function costs(signal) {
  const [bill, budgets] = await Promise.all([get(`/costs?by=namespace&limit=${ROWS}`, signal), get("/budgets", signal)]);
  const money = amount => bill.priced && amount !== null && amount !== undefined
    ? `${Number(amount).toFixed(2)} ${bill.currency ?? ""}` : "";
  const columns = [
    { name: "Namespace", of: item => item.key ?? "All" },
    { name: "From the lake", number: true, of: item => bytes(item.lake.bytes) },
    { name: "Requests", number: true, of: item => number(item.lake.requests) },
    { name: "To readers", number: true, of: item => bytes(item.readers.bytes) },
    { name: "NVMe, GB hours", number: true, of: item => Number(item.nvme_gb_hours).toFixed(1) },
    { name: "Cost", number: true, of: item => money(item.cost?.total) },
    { name: "Without the cache", number: true, of: item => money(item.cost?.without_cache) },
    { name: "Saved", number: true, of: item => money(item.cost?.saved) },
  ];
  return [
    ...titled(`From ${bill.since} until before ${bill.until}`,
      table(columns, bill.items.length > 0 ? [...bill.items, { ...bill.total, key: null }] : [], "No bytes were moved."),
      bill.priced ? null : element("p", { className: "note" }, "No prices are set: forebay.prices."), more(bill)),
    ...titled("Budgets", table([
      { name: "Namespace", of: budget => budget.namespace },
      { name: "Month", of: budget => budget.month },
      { name: "Spent", of: budget => share(Number(budget.spent), Number(budget.budget),
        `${money(budget.spent)} of ${money(budget.budget)}`) },
      { name: "Speculative fills", of: budget => budget.paused ? "wait" : "run" },
    ], budgets.items, "No budget is set.")),
  ];
}

const VIEWS = [
  [/^#?\/?$/, overview],
  [/^#\/pins$/, pins],
  [/^#\/costs$/, costs],
  [/^#\/datasets\/([^/]+)\/([^/]+)$/, dataset],
  [/^#\/datasets\/([^/]+)\/([^/]+)\/versions\/([^/]+)$/, version],
  [/^#\/datasets\/([^/]+)\/([^/]+)\/versions\/([^/]+)\/regions\/([^/]+)$/, explanation],
];

const [view, freshness, complaint, login] =
  ["view", "freshness", "problem", "login"].map(id => document.getElementById(id));

let underWay = new AbortController();
let next;

/** Replaces only what has changed, so that selection and keyboard focus stay. */
function render(content) {
  content.forEach((part, i) => {
    const there = view.childNodes[i];
    if (!there) {
      view.append(part);
    } else if (!there.isEqualNode(part)) {
      there.replaceWith(part);
    }
  });
  while (view.childNodes.length > content.length) {
    view.lastChild.remove();
  }
}

function complain(text) {
  if (complaint.textContent !== (text ?? "")) {
    complaint.textContent = text ?? "";
  }
  complaint.hidden = text === null;
}

/** @param isNewPage whether another page is shown, instead of a refresh */
async function show(isNewPage) {
  clearTimeout(next);
  underWay.abort();
  const mine = underWay = new AbortController();
  if (isNewPage) {
    view.replaceChildren();
    freshness.textContent = "…";
    document.title = ["Forebay", ...location.hash.split("/").slice(1)].join(" ");
  }
  try {
    const [match, make] = VIEWS.map(([pattern, each]) => [location.hash.match(pattern), each]).find(([found]) => found) ?? [];
    if (!match) {
      throw new Failure(404, "There is no such page.");
    }
    const content = await make(mine.signal, ...match.slice(1).map(decodeURIComponent));
    render(content.filter(part => part !== null));
    complain(null);
    login.hidden = true;
    freshness.textContent = "as of " + new Date().toLocaleTimeString();
  } catch (e) {
    if (mine.signal.aborted) {
      return;
    }
    const locked = e.status === 401;
    login.hidden = !locked;
    complain(!locked ? e.message : hasToken() ? "This is not the token of this control plane." : "This control plane requires a token.");
    if (locked) {
      view.replaceChildren();
      return;
    }
  }
  next = setTimeout(() => document.hidden || show(false), REFRESH_MS);
}

login.addEventListener("submit", event => {
  event.preventDefault();
  const input = login.querySelector("input");
  const possible = setToken(input.value);
  input.value = "";
  if (possible) {
    show(true);
  } else {
    complain("A token consists of printable ASCII characters without blanks.");
  }
});
addEventListener("hashchange", () => show(true));
document.addEventListener("visibilitychange", () => document.hidden || show(false));
show(true);
