package dev.forebay.agent.jobs;

import dev.forebay.membership.Pin;
import dev.forebay.model.ForebayException;
import java.util.Collection;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The objects of a cluster that hold pins: Kubernetes Jobs, their owners, and single pods. Safe for
 * use by many threads.
 */
public interface Jobs extends AutoCloseable {

    /**
     * Returns which Jobs of these pins are over: they have succeeded or finally failed, or no
     * longer exist. Uses only answers to requests that it sends itself, never earlier ones.
     *
     * @param pins naming Jobs that existed before this call
     * @return their uids
     * @throws ForebayException {@code UNAVAILABLE} if there is no complete answer; nothing is known
     *     then
     */
    Set<String> over(Collection<Pin> pins);

    /**
     * Returns whether {@link #over} checks the kind of object that has this pin. It knows nothing
     * of other kinds.
     */
    boolean asksFor(Pin pin);

    /**
     * Calls {@code listener} with the uid of each Job that succeeds, fails or disappears from now
     * on. Events may be missed, so they are a reason to check and no proof.
     */
    void onEnd(Consumer<String> listener);

    @Override
    void close();
}
