// What the console asks of the REST API. A token, where one is wanted, is kept for this tab only.

const TOKEN = "forebay.token";

/** Longer than any answer takes whose server is there. */
const PATIENCE_MS = 20_000;

/** An answer that is not what was asked for: a problem of RFC 9457, or nobody there. */
export class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** False if no server can have such a token: it could not even be sent. */
export function setToken(token) {
  const possible = /^[\x21-\x7e]+$/.test(token);
  if (possible) {
    sessionStorage.setItem(TOKEN, token);
  }
  return possible;
}

export function hasToken() {
  return sessionStorage.getItem(TOKEN) !== null;
}

/** The address of something by its names, each of which may be anything. */
export function path(...names) {
  return names.map(name => "/" + encodeURIComponent(name)).join("");
}

/**
 * @param where below /api/v1, with its query
 * @param signal ends it when nobody wants to know any more
 */
export async function get(where, signal) {
  const token = sessionStorage.getItem(TOKEN);
  let answer, body;
  try {
    answer = await fetch("/api/v1" + where, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
      cache: "no-store", headers: token ? { Authorization: "Bearer " + token } : {},
    });
    body = await (answer.ok ? answer.json() : answer.json().catch(() => null));
  } catch (e) {
    signal.throwIfAborted();
    throw new Failure(0, "The control plane does not answer.");
  }
  if (!answer.ok) {
    throw new Failure(answer.status, body?.detail ?? body?.title ?? "HTTP " + answer.status);
  }
  return body;
}

/** What was asked for, or why it cannot be told: one part that is away does not take a page with it. */
export function getOrProblem(where, signal) {
  return get(where, signal).catch(e => {
    if (e instanceof Failure && e.status !== 401) {
      return { items: [], problem: e.message };
    }
    throw e;
  });
}
