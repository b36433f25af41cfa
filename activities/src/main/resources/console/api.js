// What the console asks of the REST API. A token, where one is wanted, is kept for this tab only.

const TOKEN = "forebay.token";

/** An answer that is not what was asked for: a problem of RFC 9457, or nobody there. */
export class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function setToken(token) {
  sessionStorage.setItem(TOKEN, token);
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
  let answer;
  try {
    answer = await fetch("/api/v1" + where, {
      signal, cache: "no-store", headers: token ? { Authorization: "Bearer " + token } : {},
    });
  } catch (e) {
    if (e.name === "AbortError") {
      throw e;
    }
    throw new Failure(0, "The control plane does not answer.");
  }
  const body = await answer.json().catch(() => null);
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
