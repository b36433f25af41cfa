package dev.forebay.workflows;

import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.PrewarmInput.Cursor;
import java.util.Locale;

/**
 * What people read of a filling in Temporal's UI. It never becomes less: later rounds, which fill
 * again what workers lost, tell of no chunks.
 */
final class FillDetails {

    private FillDetails() {}

    /** Until the region's workers have confirmed that they hold everything. */
    static String filling(ManifestRef manifest, Cursor cursor) {
        return cursor.round() == 0
                ? String.format(
                        Locale.ROOT,
                        "Filling: %,d of %,d chunks, %,d of %,d objects, %,d of %,d bytes; %,d bytes from the lake. Not confirmed by the workers yet.",
                        cursor.next(),
                        manifest.chunks(),
                        cursor.objects(),
                        manifest.objects(),
                        cursor.bytesVerified(),
                        manifest.bytes(),
                        cursor.bytesFromLake())
                : String.format(
                        Locale.ROOT,
                        "Round %d: what workers came to lack is filled again; %,d bytes from the lake. Not confirmed by the workers yet.",
                        cursor.round() + 1,
                        cursor.bytesFromLake());
    }

    /** From then on. */
    static String confirmed(ManifestRef manifest, long bytesFromLake) {
        return String.format(
                Locale.ROOT,
                "Confirmed by the workers: all of %,d chunks, %,d objects, %,d bytes; %,d bytes from the lake.",
                manifest.chunks(),
                manifest.objects(),
                manifest.bytes(),
                bytesFromLake);
    }
}
