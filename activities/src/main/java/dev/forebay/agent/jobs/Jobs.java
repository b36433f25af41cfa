package dev.forebay.agent.jobs;

import dev.forebay.membership.Pin;
import dev.forebay.model.ForebayException;
import java.util.Collection;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What runs in a cluster and holds pins: Kubernetes Jobs, what owns several of them, single pods.
 * Safe for use by many threads.
 */
public interface Jobs extends AutoCloseable {

    /**
     * Which of the Jobs of these pins are over: they have succeeded or failed for good, or are not
     * there any more. By an answer to a question that was asked after this call began, never by
     * what was seen before.
     *
     * @param pins which name Jobs that were there before this call
     * @return their uids
     * @throws ForebayException {@code UNAVAILABLE} if there is no complete answer; nothing is known
     *     then
     */
    Set<String> over(Collection<Pin> pins);

    /**
     * Whether {@link #over} asks for what has this pin. Of what it does not ask for it knows
     * nothing.
     */
    boolean asksFor(Pin pin);

    /**
     * From now on calls {@code listener} with the uid of each Job that is seen to succeed, fail or
     * go. That may be missed: it is a reason to ask, and no answer.
     */
    void onEnd(Consumer<String> listener);

    @Override
    void close();
}
