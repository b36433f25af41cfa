package dev.forebay.agent.gate;

import dev.forebay.agent.admission.PodVersionRequest;
import dev.forebay.agent.jobs.VersionNotice;
import dev.forebay.model.RegionName;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The decision for waiting pods, with a notice for them. */
sealed interface GateDecision {

    VersionNotice notice();

    /** The pods keep waiting. */
    record Wait(VersionNotice notice) implements GateDecision {}

    /** The gate opens. */
    record Open(VersionNotice notice) implements GateDecision {}

    /** The pods fail. */
    record Fail(VersionNotice notice) implements GateDecision {}

    /**
     * Decides by an answer of the control plane.
     *
     * @param isLate whether the deadline has passed, even if the control plane does not report
     *     that: it may not answer, or may have got the request late
     */
    static GateDecision of(
            RequestAnswer answer,
            PodVersionRequest versionRequest,
            RegionName region,
            boolean isLate) {
        String what = "%s in %s".formatted(versionRequest.version(), region);
        return switch (answer) {
            case RequestAnswer.Warm warm ->
                    new Open(
                            new VersionNotice(
                                    true, "Warm", "%s is at %s".formatted(what, warm.path())));
            case RequestAnswer.Cold cold ->
                    new Open(new VersionNotice(false, "RunsCold", cold.why()));
            case RequestAnswer.Refused late
                    when late.code().equals(RequestAnswer.DEADLINE_EXCEEDED)
                            && mayFail(versionRequest) ->
                    new Fail(new VersionNotice(false, "DeadlineExceeded", late.why()));
            case RequestAnswer.Coming coming when !isLate -> new Wait(waiting(what, coming));
            case RequestAnswer.Refused refused when !isLate ->
                    new Wait(
                            new VersionNotice(
                                    false,
                                    camelCase(refused.code()),
                                    "%s: %s".formatted(what, refused.why())));
            case RequestAnswer.Coming coming ->
                    late(versionRequest, waiting(what, coming).message());
            case RequestAnswer.Refused refused ->
                    late(versionRequest, "%s: %s".formatted(what, refused.why()));
        };
    }

    /**
     * Combines the verdicts on several versions. The pods fail if one version fails, and wait for
     * the last one.
     *
     * @param all one for each version, at least one
     */
    static GateDecision ofAll(List<GateDecision> all) {
        List<GateDecision> waits = all.stream().filter(Wait.class::isInstance).toList();
        return all.stream()
                .filter(Fail.class::isInstance)
                .findFirst()
                .orElseGet(
                        () ->
                                waits.isEmpty()
                                        ? new Open(together(all))
                                        : new Wait(together(waits)));
    }

    private static VersionNotice together(List<GateDecision> verdicts) {
        List<VersionNotice> notices = verdicts.stream().map(GateDecision::notice).toList();
        return new VersionNotice(
                notices.stream().allMatch(VersionNotice::warm),
                notices.getFirst().reason(),
                notices.stream().map(VersionNotice::message).collect(Collectors.joining("; ")));
    }

    private static boolean mayFail(PodVersionRequest versionRequest) {
        return versionRequest.deadline().isPresent() && !versionRequest.runsCold();
    }

    private static GateDecision late(PodVersionRequest versionRequest, String how) {
        String why =
                "not present within %d s: %s"
                        .formatted(
                                versionRequest.deadline().map(Duration::toSeconds).orElse(0L), how);
        return versionRequest.runsCold()
                ? new Open(new VersionNotice(false, "RunsCold", why))
                : new Fail(new VersionNotice(false, "DeadlineExceeded", why));
    }

    /** Rounds the progress, so that pods do not get a new notice each time. */
    private static VersionNotice waiting(String what, RequestAnswer.Coming coming) {
        String progress =
                "%s is filled to %d %%%s"
                        .formatted(
                                what,
                                coming.percent() / 10 * 10,
                                coming.left().map(left -> ", " + about(left) + " left").orElse(""));
        return coming.obstacle()
                .map(why -> new VersionNotice(false, "Waiting", "%s; %s".formatted(progress, why)))
                .orElseGet(() -> new VersionNotice(false, VersionNotice.WARMING, progress));
    }

    /** Rounds up by less than a quarter. */
    private static String about(Duration time) {
        long seconds = time.toSeconds();
        if (seconds <= 60) {
            return "1 min";
        }
        if (seconds < 4 * 3600) {
            long minutes = Math.ceilDiv(seconds, 60L);
            return minutes <= 10 ? minutes + " min" : Math.ceilDiv(minutes, 5L) * 5 + " min";
        }
        return Math.ceilDiv(seconds, 3600L) + " h";
    }

    /**
     * Converts a code to the form of reasons in conditions and events: {@code NOT_FOUND} becomes
     * {@code NotFound}.
     */
    private static String camelCase(String code) {
        return Arrays.stream(code.split("_", -1))
                .filter(word -> !word.isEmpty())
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
    }
}
