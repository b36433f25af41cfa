package dev.forebay.operator;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.service.api.ForebayApi;
import dev.forebay.service.api.ForebayApi.Request;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks and steps by way of the REST API. Calls block; safe for use by many threads. */
final class Steps {

    private final ForebayApi api;
    private final Duration lease;

    /**
     * @param lease of the pins
     */
    Steps(ForebayApi api, Duration lease) {
        this.api = api;
        this.lease = lease;
    }

    /**
     * What there is of what is declared; of what is to go, whether it is registered and no more.
     *
     * @throws ForebayException {@code UNAVAILABLE} if that cannot be said, or with the code of what
     *     is wrong with what is declared
     */
    Observed look(Declared declared) {
        String dataset = "/datasets/" + declared.dataset();
        Optional<Answers.Dataset> there = api.find(dataset, Answers.Dataset.class);
        if (there.isEmpty() || declared.deletedAt() != null) {
            return new Observed(there, Optional.empty(), Optional.empty());
        }
        return new Observed(
                there,
                api.find(dataset + "/tracking", Answers.Tracking.class),
                api.find(version(declared, declared.spec().version()), Answers.Version.class));
    }

    /**
     * Takes a step, which may have been taken before.
     *
     * @throws ForebayException with the code of what it is refused for
     */
    void take(Declared declared, Step step) {
        String dataset = "/datasets/" + declared.dataset();
        switch (step) {
            case Step.Register(DatasetSpec.Source source) ->
                    api.send(Request.of("POST", "/datasets", registration(declared, source)));
            case Step.SetTtl(Long seconds, String after) ->
                    api.send(
                            Request.of(
                                    "PUT",
                                    dataset + "/ttl",
                                    given("ttl_seconds", seconds, "ttl_after", after)));
            case Step.Follow(DatasetSpec.Tracking how) ->
                    api.send(
                            Request.of(
                                    "PUT",
                                    dataset + "/tracking",
                                    given(
                                            "interval_seconds",
                                            how.intervalSeconds(),
                                            "paused",
                                            how.paused())));
            case Step.Check() -> api.send(Request.of("POST", dataset + "/tracking/check"));
            case Step.Unfollow() -> api.send(Request.of("DELETE", dataset + "/tracking"));
            case Step.Delete() -> api.send(Request.of("DELETE", dataset));
            case Step.Release(String version, String region) -> release(declared, version, region);
            case Step.Renew(String version, String region, boolean orAsk) ->
                    renew(declared, version, region, orAsk);
            case Step.Ask(String version, String region) -> ask(declared, version, region);
        }
    }

    private static Map<String, Object> registration(Declared declared, DatasetSpec.Source source) {
        Map<String, Object> body = given("keys", source.keys(), "include", source.include());
        body.put("exclude", source.exclude());
        body.put("namespace", declared.namespace());
        body.put("name", declared.name());
        body.put("source", source.uri());
        return body;
    }

    /** What was asked for is taken back, whatever it was asked with; then nobody pins it again. */
    private void release(Declared declared, String version, String region) {
        String path = version(declared, version);
        for (String priority : List.of(DatasetSpec.INTERACTIVE, DatasetSpec.SPECULATIVE)) {
            api.sendUnless(
                    Request.of(
                            "DELETE",
                            path
                                    + "/requests/"
                                    + declared.request(version, region, priority, lease)),
                    ErrorCode.NOT_FOUND);
        }
        // A region that is not of this installation any more holds nothing for it.
        api.sendUnless(
                Request.of(
                        "DELETE",
                        "%s/pins/%s?region=%s"
                                .formatted(path, declared.pin(), ForebayApi.encoded(region))),
                ErrorCode.NOT_FOUND,
                ErrorCode.UNKNOWN_REGION);
    }

    private void renew(Declared declared, String version, String region, boolean orAsk) {
        try {
            api.send(
                    Request.of(
                            "POST",
                            version(declared, version) + "/pins/" + declared.pin() + "/renew",
                            Map.of("region", region)));
        } catch (ForebayException refused) {
            if (refused.code() != ErrorCode.NOT_FOUND) {
                throw refused;
            }
            if (orAsk) {
                ask(declared, version, region);
            }
        }
    }

    private void ask(Declared declared, String version, String region) {
        String priority = declared.spec().priority();
        Map<String, Object> body = given("region", region, "priority", priority);
        body.put(
                "pin",
                Map.of(
                        "id",
                        declared.pin(),
                        "holder",
                        declared.holder(),
                        "reason",
                        "it is to be warm",
                        "lease_seconds",
                        lease.toSeconds()));
        if (declared.spec().create()) {
            body.put("create", true);
        }
        api.send(
                new Request(
                        "POST",
                        version(declared, version) + "/ensure",
                        body,
                        Map.of(
                                "Idempotency-Key",
                                declared.request(version, region, priority, lease))));
    }

    private static String version(Declared declared, String version) {
        return "/datasets/%s/versions/%s"
                .formatted(declared.dataset(), ForebayApi.encoded(version));
    }

    /** What is null stays as it is, and is not said. */
    private static Map<String, Object> given(
            String one, @Nullable Object value, String another, @Nullable Object other) {
        Map<String, Object> body = new HashMap<>();
        if (value != null) {
            body.put(one, value);
        }
        if (other != null) {
            body.put(another, other);
        }
        return body;
    }
}
