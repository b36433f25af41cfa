package dev.forebay.manifest.sqlite;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pool of idle sessions of all open manifests. Each session keeps pages in memory, so the pool
 * limits their total. Thread-safe.
 */
public final class IdleSessions {

    /** Each has a cache of {@value ManifestSchema#READER_CACHE_KIB} KiB. */
    public static final int MOST = 32;

    static final IdleSessions OF_THIS_PROCESS = new IdleSessions(MOST);

    private final int most;

    // Guarded by this.
    private final Map<ReadSessions, Deque<ReadSession>> byOwner = new HashMap<>();

    /** The owner of each session, in order of last use. */
    private final Map<ReadSession, ReadSessions> owners = new LinkedHashMap<>();

    /**
     * @param most how many sessions to keep, at least 1
     */
    IdleSessions(int most) {
        this.most = most;
    }

    /** Takes the most recently used session of an owner, if there is one. */
    synchronized Optional<ReadSession> take(ReadSessions owner) {
        Deque<ReadSession> sessions = byOwner.get(owner);
        if (sessions == null || sessions.isEmpty()) {
            return Optional.empty();
        }
        ReadSession session = sessions.pop();
        owners.remove(session);
        return Optional.of(session);
    }

    /**
     * Adds a session of its owner to the pool.
     *
     * @return a session to close in exchange, possibly of another owner
     */
    synchronized Optional<ReadSession> give(ReadSessions owner, ReadSession session) {
        byOwner.computeIfAbsent(owner, _ -> new ArrayDeque<>()).push(session);
        owners.put(session, owner);
        if (owners.size() <= most) {
            return Optional.empty();
        }
        ReadSession eldest = owners.keySet().iterator().next();
        Deque<ReadSession> others = byOwner.get(owners.remove(eldest));
        if (others != null) {
            others.remove(eldest);
        }
        return Optional.of(eldest);
    }

    /** Removes an owner. The caller must close the returned sessions. */
    synchronized List<ReadSession> takeAll(ReadSessions owner) {
        Deque<ReadSession> sessions = byOwner.remove(owner);
        if (sessions == null) {
            return List.of();
        }
        sessions.forEach(owners::remove);
        return List.copyOf(sessions);
    }
}
