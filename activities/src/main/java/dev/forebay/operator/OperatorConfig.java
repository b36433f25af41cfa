package dev.forebay.operator;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.time.Duration;

/** The settings of what looks after custom resources. */
@ConfigMapping(prefix = "forebay.datasets")
public interface OperatorConfig {

    /**
     * Whether this control plane looks after the Datasets of the cluster that it is in, or that
     * {@code KUBECONFIG} names.
     */
    @WithDefault("false")
    boolean watch();

    /** The address of the API, without {@code /api/v1}. */
    @WithDefault("http://127.0.0.1:${quarkus.http.port:8080}")
    URI api();

    /** How long the API may take to answer. */
    @WithDefault("30S")
    Duration timeout();

    /** How often each is looked at, and its pins are renewed, though nothing has changed. */
    @WithDefault("1M")
    Duration interval();

    /** How long what is kept warm is held when nobody looks any more. */
    @WithDefault("1H")
    Duration lease();

    /** How long it is tried to let go of what one holds that is deleted, before it goes anyway. */
    @WithDefault("5M")
    Duration releaseTimeout();

    /** How many are looked at at once. */
    @WithDefault("8")
    int concurrency();
}
