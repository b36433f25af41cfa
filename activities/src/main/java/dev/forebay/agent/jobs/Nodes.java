package dev.forebay.agent.jobs;

import dev.forebay.model.ForebayException;
import java.util.Map;
import java.util.Optional;

/**
 * The nodes of a cluster and their labels. Safe for use by many threads; both throw {@link
 * ForebayException} {@code UNAVAILABLE} if the API server does not do it.
 */
public interface Nodes {

    /**
     * All nodes by name, also those without such labels.
     *
     * @param prefix of the labels that are of interest
     * @return of each node those of its labels whose keys begin so
     */
    Map<String, Map<String, String>> labels(String prefix);

    /**
     * Changes labels of a node and leaves all others alone; does nothing if the node is gone.
     *
     * @param labels the new values by key; empty for one that is to go
     */
    void change(String node, Map<String, Optional<String>> labels);
}
