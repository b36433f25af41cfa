package dev.forebay.chunkstore.eviction;

import java.util.Optional;
import java.util.function.Predicate;

/**
 * Remembers what was used and chooses what goes.
 *
 * <p>The keeper of a key keeps its ticket too; so a policy needs no index of its own. Safe for use
 * by many threads.
 *
 * @param <K> what is evicted
 */
public interface EvictionPolicy<K> {

    /** Enters a key, once. */
    Ticket add(K key);

    /**
     * The key to evict next among those that may be evicted, or empty if none may. The key stays
     * entered until its ticket is removed.
     */
    Optional<K> victim(Predicate<K> evictable);

    /** A key's place in the policy. */
    interface Ticket {

        /** Says that the key was used. Cheap: called on every read. */
        void touch();

        /** Takes the key out; does nothing if it is out. */
        void remove();
    }
}
