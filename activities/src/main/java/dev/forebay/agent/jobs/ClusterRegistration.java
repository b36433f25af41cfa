package dev.forebay.agent.jobs;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the registration in a MutatingWebhookConfiguration and a Secret. Both must exist, empty or
 * not. Needs the verbs {@code get} and {@code update} on the two.
 */
final class ClusterRegistration implements WebhookRegistration {

    private static final String CERTIFICATE = "tls.crt";
    private static final String KEY = "tls.key";
    private static final String AUTHORITIES = "ca.crt";

    private static final Set<Integer> CONFLICT = Set.of(409);

    private final KubernetesClient client;
    private final String namespace;
    private final String secret;
    private final String configuration;

    ClusterRegistration(
            KubernetesClient client, String namespace, String secret, String configuration) {
        this.client = client;
        this.namespace = namespace;
        this.secret = secret;
        this.configuration = configuration;
    }

    @Override
    public Optional<WebhookKey> key() {
        return key(secret());
    }

    private static Optional<WebhookKey> key(Secret secret) {
        Map<String, String> data =
                Objects.requireNonNullElse(secret.getData(), Map.<String, String>of());
        return data.keySet().containsAll(List.of(CERTIFICATE, KEY, AUTHORITIES))
                ? Optional.of(
                        new WebhookKey(
                                decoded(data.get(CERTIFICATE)),
                                decoded(data.get(KEY)),
                                decoded(data.get(AUTHORITIES))))
                : Optional.empty();
    }

    private Secret secret() {
        return require(
                "the Secret %s/%s (forebay.admission.secret)".formatted(namespace, secret),
                ApiServer.ask(
                        "show Secret " + secret,
                        () ->
                                Optional.ofNullable(
                                        client.secrets()
                                                .inNamespace(namespace)
                                                .withName(secret)
                                                .get())));
    }

    @Override
    public boolean keep(Optional<WebhookKey> before, WebhookKey key) {
        Secret there = secret();
        if (!key(there).equals(before)) {
            return false;
        }
        there.setData(
                Map.of(
                        CERTIFICATE, encoded(key.certificate()),
                        KEY, encoded(key.key()),
                        AUTHORITIES, encoded(key.authorities())));
        return updated(() -> client.resource(there).update());
    }

    @Override
    public void trust(String authorities) {
        MutatingWebhookConfiguration there =
                require(
                        "the MutatingWebhookConfiguration %s (forebay.admission.configuration)"
                                .formatted(configuration),
                        ApiServer.ask(
                                "show MutatingWebhookConfiguration " + configuration,
                                () ->
                                        Optional.ofNullable(
                                                client.admissionRegistration()
                                                        .v1()
                                                        .mutatingWebhookConfigurations()
                                                        .withName(configuration)
                                                        .get())));
        String bundle = encoded(authorities);
        List<MutatingWebhook> others =
                there.getWebhooks().stream()
                        .filter(it -> !bundle.equals(it.getClientConfig().getCaBundle()))
                        .toList();
        if (others.isEmpty()) {
            return;
        }
        others.forEach(webhook -> webhook.getClientConfig().setCaBundle(bundle));
        if (!updated(() -> client.resource(there).update())) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "another client changed MutatingWebhookConfiguration " + configuration);
        }
    }

    /** Updates an object unless it has changed since it was read, as its resource version shows. */
    private static boolean updated(Runnable update) {
        return ApiServer.tell("change the webhook", CONFLICT, update);
    }

    private static <T> T require(String what, Optional<T> found) {
        return found.orElseThrow(
                () -> new ForebayException(ErrorCode.NOT_FOUND, what + " does not exist"));
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(@Nullable String text) {
        return new String(
                Base64.getDecoder().decode(Objects.requireNonNull(text)), StandardCharsets.UTF_8);
    }
}
