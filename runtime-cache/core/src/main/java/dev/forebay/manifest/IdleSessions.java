package dev.forebay.manifest;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The sessions that nobody uses just now, of all manifests that are open: each keeps pages in
 * memory, so there is a bound to what they keep together. Safe for use by many threads.
 */
final class IdleSessions {

    /** With {@value ManifestSchema#READER_CACHE_KIB} KiB each. */
    static final int MOST = 32;

    static final IdleSessions OF_THIS_PROCESS = new IdleSessions(MOST);

    private final int most;

    // Guarded by this.
    private final Map<ReadSessions, Deque<ReadSession>> byOwner = new HashMap<>();

    /** Whose a session is, in order of last use. */
    private final Map<ReadSession, ReadSessions> owners = new LinkedHashMap<>();

    /**
     * @param most how many sessions to keep, at least 1
     */
    IdleSessions(int most) {
        this.most = most;
    }

    /** The one of an owner that was used last, if there is any. */
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
     * Keeps a session for its owner.
     *
     * @return one, maybe of another owner, that has to be closed for it
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

    /** Forgets an owner; what is returned has to be closed. */
    synchronized List<ReadSession> takeAll(ReadSessions owner) {
        Deque<ReadSession> sessions = byOwner.remove(owner);
        if (sessions == null) {
            return List.of();
        }
        sessions.forEach(owners::remove);
        return List.copyOf(sessions);
    }
}
