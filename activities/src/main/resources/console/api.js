// Requests to the REST API. A token, if the server needs one, is kept for this tab only.

const TOKEN = "forebay.token";

/** Longer than any response of a running server takes. */
const TIMEOUT_MS = 20_000;

/** A failed request: a problem of RFC 9457, or a server that does not answer. */
export class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Returns false if the token has characters that a header cannot contain. */
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

/** Returns a path of names, which may have any characters. */
export function path(...names) {
  return names.map(name => "/" + encodeURIComponent(name)).join("");
}

/**
 * @param where below /api/v1, with its query
 * @param signal cancels the request
 */
export async function get(where, signal) {
  const token = sessionStorage.getItem(TOKEN);
  let answer, body;
  try {
    answer = await fetch("/api/v1" + where, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
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

/** Returns the response, or the problem, so that one failed part does not hide a page. */
export function getOrProblem(where, signal) {
  return get(where, signal).catch(e => {
    if (e instanceof Failure && e.status !== 401) {
      return { items: [], problem: e.message };
    }
    throw e;
  });
}
