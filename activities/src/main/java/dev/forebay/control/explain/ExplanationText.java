package dev.forebay.control.explain;

import dev.forebay.control.catalogue.tracking.Tracking.LastCheck;
import dev.forebay.control.progress.RegionProgress;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.HistoryEntry.Kind;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes an {@link Explanation} as sentences for users. */
final class ExplanationText {

    private static final int MOST_NAMED = 3;

    private final Explanation of;
    private final Residency residency;
    private final List<String> sentences = new ArrayList<>();

    ExplanationText(Explanation of) {
        this.of = of;
        this.residency = of.progress().residency();
    }

    List<String> sentences() {
        switch (residency.state()) {
            case CACHED -> cached();
            case WARMING -> warming();
            case EVICTING -> evicting();
            case BLOCKED -> blocked();
            case ABSENT -> absent();
        }
        beside();
        if (of.lastCheck() != null) {
            checked(of.lastCheck());
        }
        return sentences;
    }

    private void cached() {
        say(
                "%s is warm in %s: all its %,d bytes are present and verified since %s.",
                of.version(), of.region(), residency.bytesCached(), at(residency.cachedAt()));
        of.last(Kind.LOST)
                .ifPresent(
                        lost ->
                                say(
                                        "It was complete before. At %s workers lacked some of "
                                                + "its chunks, which were filled again.",
                                        at(lost.at())));
        if (of.pins().isEmpty()) {
            say("It has no pin and can be evicted from %s on.", at(residency.evictableAt()));
        } else {
            say("It stays while it is pinned by %s.", holders());
        }
    }

    private void warming() {
        RegionProgress progress = of.progress();
        ManifestRef manifest = progress.manifest();
        if (manifest == null) {
            say("%s is cold in %s: Forebay is listing the lake.", of.version(), of.region());
        } else {
            say(
                    "%s is cold in %s: it is being filled, and %d %% of its %,d bytes are "
                            + "present%s.",
                    of.version(),
                    of.region(),
                    progress.percent(),
                    manifest.bytes(),
                    progress.pace()
                            .map(pace -> ", about %d s remain".formatted(pace.left().toSeconds()))
                            .orElse(""));
        }
        Problem waiting = progress.work().waiting();
        if (waiting != null) {
            say("It waits: %s: %s", waiting.code(), stopped(waiting.message()));
        }
        of.last(Kind.ASKED_FOR, Kind.LOST)
                .ifPresent(
                        begun -> {
                            say("The fill started at %s.", at(begun.at()));
                            if (begun.kind() == Kind.LOST) {
                                say(
                                        "It was complete before. Then workers lacked some of its "
                                                + "chunks, because a disk or worker was lost, or chunks "
                                                + "were evicted for space.");
                            } else {
                                before(begun);
                            }
                        });
    }

    private void before(HistoryEntry begun) {
        of.lastBefore(begun, Kind.EVICTED, Kind.BLOCKED, Kind.CACHED)
                .ifPresentOrElse(
                        last -> {
                            switch (last.kind()) {
                                case EVICTED ->
                                        say(
                                                "It was there before, and was evicted at %s%s.",
                                                at(last.at()), because(last.text()));
                                case BLOCKED ->
                                        say(
                                                "An earlier fill stopped at %s: %s: %s",
                                                at(last.at()),
                                                String.valueOf(last.code()),
                                                stopped(last.text()));
                                default -> {}
                            }
                        },
                        () -> say("Its history does not show that it was there before."));
    }

    private void evicting() {
        String why =
                of.last(Kind.EVICTING)
                        .map(begun -> " since " + at(begun.at()) + because(begun.text()))
                        .orElse("");
        say("%s is cold in %s: it is being evicted%s.", of.version(), of.region(), why);
        Problem waiting = of.progress().work().waiting();
        if (waiting != null) {
            say("The eviction waits: %s: %s", waiting.code(), stopped(waiting.message()));
        }
        unpinned();
    }

    private void blocked() {
        Problem problem = residency.blocked();
        String since = of.last(Kind.BLOCKED).map(given -> " at " + at(given.at())).orElse("");
        say(
                "%s is cold in %s: its fill stopped%s: %s",
                of.version(),
                of.region(),
                since,
                problem == null
                        ? "the reason is unknown."
                        : problem.code() + ": " + stopped(problem.message()));
        if (problem != null && problem.code() == ErrorCode.LAKE_OBJECT_CHANGED) {
            say("The lake has changed: its objects differ from the frozen version.");
        }
        say("%,d of its bytes are present and kept for the next attempt.", residency.bytesCached());
    }

    private void absent() {
        of.last(Kind.EVICTED)
                .ifPresentOrElse(
                        gone -> {
                            say(
                                    "%s is cold in %s: it was evicted at %s%s.",
                                    of.version(), of.region(), at(gone.at()), because(gone.text()));
                            of.lastBefore(gone, Kind.CACHED)
                                    .ifPresent(
                                            filled ->
                                                    say(
                                                            "It had been complete since %s.",
                                                            at(filled.at())));
                            unpinned();
                        },
                        () ->
                                say(
                                        "%s is cold in %s: its history has no request for it "
                                                + "there.",
                                        of.version(), of.region()));
    }

    private void unpinned() {
        of.last(Kind.RELEASED)
                .ifPresent(
                        last ->
                                say(
                                        "Its last pin, of %s, ended at %s.",
                                        last.text().isEmpty() ? "an unknown owner" : last.text(),
                                        at(last.at())));
    }

    private void beside() {
        if (!of.newest().equals(of.version())) {
            say("It is not the newest version: 'latest' is %s.", of.newest().version());
        }
        if (residency.state() != Residency.State.CACHED && !of.others().isEmpty()) {
            say(
                    "Complete there: %s. Unchanged chunks are shared between versions and are "
                            + "not fetched again.",
                    named(of.others().stream().map(other -> other.version()).toList()));
        }
    }

    private void checked(LastCheck check) {
        Problem problem = check.problem();
        DatasetVersion made = check.found().made();
        if (problem != null) {
            say(
                    "The last check of the lake, at %s, failed: %s: %s",
                    at(check.at()), problem.code(), stopped(problem.message()));
        } else if (made != null) {
            say(
                    "The last check of the lake, at %s, created %s: since the previous version, "
                            + "%,d objects were changed, %,d added and %,d removed.",
                    at(check.at()),
                    made.version(),
                    check.found().changed(),
                    check.found().added(),
                    check.found().removed());
        } else {
            say(
                    "The last check of the lake, at %s, found no change since the newest version.",
                    at(check.at()));
        }
    }

    private String holders() {
        return named(of.pins().stream().map(PinGrant::holder).distinct().toList());
    }

    private static String named(List<String> names) {
        String first = String.join(", ", names.subList(0, Math.min(MOST_NAMED, names.size())));
        return names.size() <= MOST_NAMED
                ? first
                : "%s and %d more".formatted(first, names.size() - MOST_NAMED);
    }

    private static String because(String reason) {
        return reason.isEmpty() ? ", for an unknown reason" : ", because " + reason;
    }

    private static String stopped(String message) {
        return message.endsWith(".") ? message : message + ".";
    }

    private static String at(@Nullable Instant instant) {
        return instant == null
                ? "a moment ago"
                : instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** Error Prone cannot check {@code format}, but every call passes a literal. */
    @SuppressWarnings("AnnotateFormatMethod")
    private void say(String format, Object... values) {
        sentences.add(String.format(Locale.ROOT, format, values));
    }
}
