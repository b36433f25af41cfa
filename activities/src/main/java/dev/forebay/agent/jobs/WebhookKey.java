package dev.forebay.agent.jobs;

/**
 * The webhook's key and certificates, in PEM.
 *
 * @param certificate signed with its own key
 * @param authorities the certificates that the API server must trust: this one, and an older one
 *     that other agents may still show
 */
public record WebhookKey(String certificate, String key, String authorities) {

    /** Leaves out the private key. */
    @Override
    public String toString() {
        return "WebhookKey[%s]".formatted(certificate);
    }
}
