package dev.forebay.agent.admission;

import dev.forebay.agent.jobs.Registration;
import dev.forebay.agent.jobs.WebhookKey;
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
 * Keeps the webhook's certificate in force, and in the API server's trust.
 *
 * <p>The key is kept for all agents of a region; the first that finds none, or one that will end,
 * makes the next. Nobody shows a certificate that the API server was only told of just now, if
 * there is another to show: until all agents show the next, the API server trusts both. {@link
 * #look} is for one thread.
 */
public final class KeyKeeper {

    private static final Logger LOG = Logger.getLogger(KeyKeeper.class);

    private final Registration registration;
    private final Supplier<KeyMaker.Made> maker;
    private final AdmissionServer server;
    private final String name;
    private final InstantSource clock;

    private @Nullable WebhookKey shown;
    private volatile @Nullable Instant end;
    private @Nullable String trusted;

    /**
     * @param name what the API server calls the webhook, a DNS name or an IP address
     * @param clock certificates have an end, by the clock of whoever looks at them
     */
    KeyKeeper(
            Registration registration,
            Supplier<KeyMaker.Made> maker,
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
     * Of keys that the JVM makes.
     *
     * @param life how long a certificate is valid, whole days; the next is made when a third is
     *     left
     */
    public static KeyKeeper of(
            Registration registration,
            Workspace workspace,
            AdmissionServer server,
            String name,
            Duration life) {
        return new KeyKeeper(
                registration,
                () -> {
                    try (Workspace.Temporary folder = workspace.temporary("webhook")) {
                        return KeyMaker.make(folder.path(), name, life);
                    }
                },
                server,
                name,
                InstantSource.system());
    }

    /**
     * Sees to it once.
     *
     * @throws ForebayException if the API server does not do its part, or the port is taken
     */
    public void look() {
        Optional<WebhookKey> kept = registration.key();
        Optional<WebhookKey> good = kept.filter(this::isGood);
        WebhookKey key = good.orElseGet(() -> next(kept));
        if (good.isEmpty()) {
            if (!registration.keep(kept, key)) {
                return; // Another agent was quicker; its key is there the next time.
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
     * For how many seconds the certificate that is shown is still valid; not a number if none is.
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
        KeyMaker.Made made = maker.get();
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
