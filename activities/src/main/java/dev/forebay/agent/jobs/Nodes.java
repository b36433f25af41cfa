package dev.forebay.agent.jobs;

import dev.forebay.model.ForebayException;
import java.util.Map;
import java.util.Optional;

/**
 * The nodes of a cluster and their labels. Safe for use by many threads. Both methods throw {@link
 * ForebayException} {@code UNAVAILABLE} if the API server does not answer.
 */
public interface Nodes {

    /**
     * Returns all nodes by name, including those without such labels.
     *
     * @param prefix the prefix of the keys to return
     * @return for each node its labels with this prefix
     */
    Map<String, Map<String, String>> labels(String prefix);

    /**
     * Changes labels of a node and keeps all others. Does nothing if the node is gone.
     *
     * @param labels the new values by key; empty to remove a label
     */
    void change(String node, Map<String, Optional<String>> labels);
}
