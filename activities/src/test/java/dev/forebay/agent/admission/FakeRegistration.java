package dev.forebay.agent.admission;

import dev.forebay.agent.jobs.WebhookKey;
import dev.forebay.agent.jobs.WebhookRegistration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The registration that all agents of a region share, in memory. */
final class FakeRegistration implements WebhookRegistration {

    private Optional<WebhookKey> kept = Optional.empty();
    private @Nullable WebhookKey quicker;
    String trusted = "";

    /** Makes another agent store this key just before the next call of {@link #keep}. */
    void anotherIsQuicker(WebhookKey with) {
        quicker = with;
    }

    @Override
    public Optional<WebhookKey> key() {
        return kept;
    }

    @Override
    public boolean keep(Optional<WebhookKey> before, WebhookKey key) {
        if (quicker != null) {
            kept = Optional.of(quicker);
            quicker = null;
        }
        boolean same = kept.equals(before);
        if (same) {
            kept = Optional.of(key);
        }
        return same;
    }

    @Override
    public void trust(String authorities) {
        trusted = authorities;
    }
}
