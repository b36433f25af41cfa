package dev.forebay.operator;

import dev.forebay.settings.InRange;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.time.Duration;

/** The settings of the operator. */
@ConfigMapping(prefix = "forebay.datasets")
public interface OperatorConfig {

    /**
     * Whether this control plane reconciles the Datasets of its own cluster, or of the one that
     * {@code KUBECONFIG} names.
     */
    @WithDefault("false")
    boolean watch();

    /** The address of the API, without {@code /api/v1}. */
    @WithDefault("http://127.0.0.1:${quarkus.http.port:8080}")
    URI api();

    /** The timeout of a request to the API. */
    @WithDefault("30S")
    @InRange(min = "1ms")
    Duration timeout();

    /** How often each resource is reconciled, and its pins are renewed, without a change. */
    @WithDefault("1M")
    @InRange(min = "1s")
    Duration interval();

    /** How long versions stay pinned when no operator renews their pins. */
    @WithDefault("1H")
    @InRange(min = "5s", max = "7d")
    Duration lease();

    /**
     * How long the operator tries to release what a deleted resource holds, before it removes the
     * finalizer anyway.
     */
    @WithDefault("5M")
    @InRange(min = "0s")
    Duration releaseTimeout();

    /** How many resources are reconciled at once. */
    @WithDefault("8")
    @InRange(min = "1")
    int concurrency();
}
