package dev.forebay.agent.jobs;

/**
 * What a webhook shows to the API server, in PEM.
 *
 * @param certificate signed with its own key
 * @param authorities the certificates that the API server is to trust: this one, and one that other
 *     agents may still show
 */
public record WebhookKey(String certificate, String key, String authorities) {

    /** Without the key. */
    @Override
    public String toString() {
        return "WebhookKey[%s]".formatted(certificate);
    }
}
