package dev.forebay.agent.admission;

import dev.forebay.agent.jobs.WebhookKey;
import dev.forebay.agent.jobs.WebhookRegistration;
import dev.forebay.model.ForebayException;
import dev.forebay.service.Workspace;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Renews the webhook's certificate and keeps it trusted by the API server.
 *
 * <p>All agents of a region share one key. The first agent that finds none, or one that ends soon,
 * creates the next. An agent shows a new certificate one round after the API server learned to
 * trust it, unless it has no other. The API server trusts both certificates until all agents show
 * the new one. {@link #check} is for one thread.
 */
public final class WebhookKeyRenewal {

    private static final Logger LOG = Logger.getLogger(WebhookKeyRenewal.class);

    private final WebhookRegistration registration;
    private final Supplier<WebhookKeyGenerator.GeneratedKey> maker;
    private final AdmissionServer server;
    private final String name;
    private final InstantSource clock;

    private @Nullable WebhookKey shown;
    private volatile @Nullable Instant end;
    private @Nullable String trusted;

    /**
     * @param name the name of the webhook for the API server: a DNS name or an IP address
     * @param clock compared with the end of certificates
     */
    WebhookKeyRenewal(
            WebhookRegistration registration,
            Supplier<WebhookKeyGenerator.GeneratedKey> maker,
            AdmissionServer server,
            String name,
            InstantSource clock) {
        this.registration = registration;
        this.maker = maker;
        this.server = server;
        this.name = name;
        this.clock = clock;
    }

    /**
     * Returns a keeper that creates keys with the JVM's {@code keytool}.
     *
     * @param life how long a certificate is valid, in whole days; the next is created when a third
     *     is left
     */
    public static WebhookKeyRenewal of(
            WebhookRegistration registration,
            Workspace workspace,
            AdmissionServer server,
            String name,
            Duration life) {
        return new WebhookKeyRenewal(
                registration,
                () -> {
                    try (Workspace.Temporary folder = workspace.temporary("webhook")) {
                        return WebhookKeyGenerator.make(folder.path(), name, life);
                    }
                },
                server,
                name,
                InstantSource.system());
    }

    /**
     * Runs one round: checks the key, creates a new one if necessary, and shows it.
     *
     * @throws ForebayException if a request to the API server fails, or the port is in use
     */
    public void check() {
        Optional<WebhookKey> kept = registration.key();
        Optional<WebhookKey> good = kept.filter(this::isGood);
        WebhookKey key = good.orElseGet(() -> next(kept));
        if (good.isEmpty()) {
            if (!registration.keep(kept, key)) {
                return; // Another agent was faster. The next round finds its key.
            }
            LOG.infof("The webhook has a new certificate for %s", name);
        }
        registration.trust(key.authorities());
        boolean isKnown = key.authorities().equals(trusted);
        trusted = key.authorities();
        if ((isKnown || shown == null) && !key.equals(shown)) {
            server.serve(key);
            shown = key;
            end =
                    Certificates.read(key.certificate())
                            .map(it -> it.getNotAfter().toInstant())
                            .orElse(null);
        }
    }

    /**
     * Returns for how many seconds the certificate in use is still valid. NaN if there is none.
     * Safe for use by many threads.
     */
    public double secondsLeft() {
        Instant until = end;
        return until == null
                ? Double.NaN
                : (double) Duration.between(clock.instant(), until).toSeconds();
    }

    private boolean isGood(WebhookKey key) {
        return Certificates.read(key.certificate())
                .filter(certificate -> Certificates.isGood(certificate, name, clock.instant()))
                .isPresent();
    }

    private WebhookKey next(Optional<WebhookKey> before) {
        WebhookKeyGenerator.GeneratedKey made = maker.get();
        String trustedStill =
                before.map(WebhookKey::certificate)
                        .filter(
                                old ->
                                        Certificates.read(old)
                                                .filter(
                                                        it ->
                                                                Certificates.isInForce(
                                                                        it, clock.instant()))
                                                .isPresent())
                        .orElse("");
        return new WebhookKey(made.certificate(), made.key(), made.certificate() + trustedStill);
    }
}
