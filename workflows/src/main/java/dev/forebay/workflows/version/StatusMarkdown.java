package dev.forebay.workflows.version;

import dev.forebay.lifecycle.FillEstimate;
import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.VersionStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Formats the status of a version for people, as Markdown of bounded length. */
final class StatusMarkdown {

    private static final int MOST_ROWS = 20;

    private StatusMarkdown() {}

    static String of(VersionStatus status, Instant now) {
        return Stream.of(head(status), regions(status, now), problems(status), pins(status))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("\n\n"));
    }

    /** Returns the name of a region's state, or EXPIRED if it is CACHED and its TTL has ended. */
    static String shownState(VersionStatus status, Residency residency, Instant now) {
        return Lifecycle.isExpired(status, residency.region(), now)
                ? "EXPIRED"
                : residency.state().name();
    }

    private static String head(VersionStatus status) {
        ManifestRef manifest = status.manifest();
        String size =
                manifest == null
                        ? "not ingested yet"
                        : String.format(
                                Locale.ROOT,
                                "%,d objects, %,d bytes, manifest `%s`",
                                manifest.objects(),
                                manifest.bytes(),
                                manifest.digest().abbreviated());
        return String.format(
                Locale.ROOT,
                "**%s**: %s; kept for %s after the last pin",
                status.version(),
                size,
                status.ttl().toString().substring(2).toLowerCase(Locale.ROOT));
    }

    private static String regions(VersionStatus status, Instant now) {
        if (status.regions().isEmpty()) {
            return "";
        }
        return table(
                "| region | state | coverage | bytes | objects | from the lake | rate | "
                        + "evictable at |\n|---|---|---|---|---|---|---|---|",
                status.regions(),
                residency ->
                        String.format(
                                Locale.ROOT,
                                "| %s | %s | %s | %,d | %,d | %,d | %s | %s |",
                                residency.region(),
                                shownState(status, residency, now),
                                coverage(status.manifest(), residency),
                                residency.bytesCached(),
                                residency.objectsCached(),
                                residency.bytesFromLake(),
                                pace(status.manifest(), residency, now),
                                instant(residency.evictableAt())));
    }

    private static String pins(VersionStatus status) {
        if (status.pins().isEmpty()) {
            return "";
        }
        return table(
                "| pin | region | owner | reason | ends not before |\n|---|---|---|---|---|",
                status.pins(),
                (PinGrant pin) ->
                        String.format(
                                Locale.ROOT,
                                "| %s | %s | %s | %s | %s |",
                                pin.id(),
                                pin.region(),
                                escaped(pin.holder()),
                                escaped(pin.reason()),
                                instant(pin.expiresAt())));
    }

    private static String problems(VersionStatus status) {
        return status.regions().stream()
                .filter(residency -> residency.blocked() != null)
                .limit(MOST_ROWS)
                .map(StatusMarkdown::problem)
                .collect(Collectors.joining("\n\n"));
    }

    private static String problem(Residency residency) {
        var blocked = residency.blocked();
        return blocked == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        "**%s is blocked** by %s: %s",
                        residency.region(),
                        blocked.code(),
                        escaped(blocked.message()));
    }

    private static <T> String table(String head, List<T> items, Function<T, String> row) {
        String rows = items.stream().limit(MOST_ROWS).map(row).collect(Collectors.joining("\n"));
        String more =
                items.size() <= MOST_ROWS
                        ? ""
                        : String.format(Locale.ROOT, "\n\nand %,d more", items.size() - MOST_ROWS);
        return head + "\n" + rows + more;
    }

    private static String coverage(@Nullable ManifestRef manifest, Residency residency) {
        return switch (residency.state()) {
            case CACHED -> "100 %";
            case ABSENT -> "0 %";
            case WARMING, EVICTING, BLOCKED ->
                    manifest == null || manifest.bytes() == 0
                            ? "0 %"
                            : Math.min(99, 100 * residency.bytesCached() / manifest.bytes()) + " %";
        };
    }

    private static String pace(@Nullable ManifestRef manifest, Residency residency, Instant now) {
        return FillEstimate.of(residency, manifest, residency.bytesCached(), now)
                .map(
                        pace ->
                                String.format(
                                        Locale.ROOT,
                                        "%,d bytes/s, %,d s left",
                                        pace.bytesPerSecond(),
                                        pace.left().toSeconds()))
                .orElse("");
    }

    private static String instant(@Nullable Instant at) {
        return at == null ? "" : at.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String escaped(String text) {
        String line = text.replaceAll("\\s+", " ").replaceAll("([\\\\`*_\\[\\]<>|#])", "\\\\$1");
        return line.length() <= 500 ? line : line.substring(0, 500) + "…";
    }
}
