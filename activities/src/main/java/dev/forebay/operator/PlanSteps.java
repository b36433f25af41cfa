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

/**
 * Observes datasets and executes steps through the REST API. Calls block. Safe for use by many
 * threads.
 */
final class PlanSteps {

    private final ForebayApi api;
    private final Duration lease;

    /**
     * @param lease of the pins
     */
    PlanSteps(ForebayApi api, Duration lease) {
        this.api = api;
        this.lease = lease;
    }

    /**
     * Returns the control plane's state of a declared dataset. Reads only the registration if the
     * resource is being deleted.
     *
     * @throws ForebayException {@code UNAVAILABLE} if that cannot be read, or the code of an error
     *     in the declaration
     */
    ObservedDataset observe(DeclaredDataset declared) {
        String dataset = "/datasets/" + declared.dataset();
        Optional<DatasetAnswers.Dataset> there = api.find(dataset, DatasetAnswers.Dataset.class);
        if (there.isEmpty() || declared.deletedAt() != null) {
            return new ObservedDataset(there, Optional.empty(), Optional.empty());
        }
        return new ObservedDataset(
                there,
                api.find(dataset + "/tracking", DatasetAnswers.Tracking.class),
                api.find(
                        version(declared, declared.spec().version()),
                        DatasetAnswers.Version.class));
    }

    /**
     * Executes a step, which may have been executed before.
     *
     * @throws ForebayException with the code of the refusal
     */
    void take(DeclaredDataset declared, PlanStep step) {
        String dataset = "/datasets/" + declared.dataset();
        switch (step) {
            case PlanStep.Register(DatasetSpec.Source source) ->
                    api.send(Request.of("POST", "/datasets", registration(declared, source)));
            case PlanStep.SetTtl(Long seconds, String after) ->
                    api.send(
                            Request.of(
                                    "PUT",
                                    dataset + "/ttl",
                                    given("ttl_seconds", seconds, "ttl_after", after)));
            case PlanStep.Follow(DatasetSpec.Tracking how) ->
                    api.send(
                            Request.of(
                                    "PUT",
                                    dataset + "/tracking",
                                    given(
                                            "interval_seconds",
                                            how.intervalSeconds(),
                                            "paused",
                                            how.paused())));
            case PlanStep.Check() -> api.send(Request.of("POST", dataset + "/tracking/check"));
            case PlanStep.Unfollow() -> api.send(Request.of("DELETE", dataset + "/tracking"));
            case PlanStep.Delete() -> api.send(Request.of("DELETE", dataset));
            case PlanStep.Release(String version, String region) ->
                    release(declared, version, region);
            case PlanStep.Renew(String version, String region, boolean orAsk) ->
                    renew(declared, version, region, orAsk);
            case PlanStep.Ask(String version, String region) -> ask(declared, version, region);
        }
    }

    private static Map<String, Object> registration(
            DeclaredDataset declared, DatasetSpec.Source source) {
        Map<String, Object> body = given("keys", source.keys(), "include", source.include());
        body.put("exclude", source.exclude());
        body.put("namespace", declared.namespace());
        body.put("name", declared.name());
        body.put("source", source.uri());
        return body;
    }

    /** Cancels the requests of both priorities, so that none of them takes the pin again. */
    private void release(DeclaredDataset declared, String version, String region) {
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
        // A region that is no longer part of this installation holds nothing.
        api.sendUnless(
                Request.of(
                        "DELETE",
                        "%s/pins/%s?region=%s"
                                .formatted(path, declared.pin(), ForebayApi.encoded(region))),
                ErrorCode.NOT_FOUND,
                ErrorCode.UNKNOWN_REGION);
    }

    private void renew(DeclaredDataset declared, String version, String region, boolean orAsk) {
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

    private void ask(DeclaredDataset declared, String version, String region) {
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
                        "declared warm by its Dataset",
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

    private static String version(DeclaredDataset declared, String version) {
        return "/datasets/%s/versions/%s"
                .formatted(declared.dataset(), ForebayApi.encoded(version));
    }

    /** Null values are left out, because they mean no change. */
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
