package dev.forebay.workflows.fill;

import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.input.PrewarmInput.Cursor;
import java.util.Locale;

/**
 * Formats the progress of a fill for people, for Temporal's UI. The number of chunks never
 * decreases: later rounds, which fill lost chunks again, show none.
 */
final class FillDetails {

    private FillDetails() {}

    /** Returns the text before the region's workers have confirmed that they hold everything. */
    static String filling(ManifestRef manifest, Cursor cursor) {
        return cursor.round() == 0
                ? String.format(
                        Locale.ROOT,
                        "Filled: %,d of %,d chunks, %,d of %,d objects, %,d of %,d bytes; %,d "
                                + "bytes from the lake. Not confirmed by the workers yet.",
                        cursor.next(),
                        manifest.chunks(),
                        cursor.objects(),
                        manifest.objects(),
                        cursor.bytesVerified(),
                        manifest.bytes(),
                        cursor.bytesFromLake())
                : String.format(
                        Locale.ROOT,
                        "Round %d: filling chunks that workers lost meanwhile; %,d bytes from "
                                + "the lake. Not confirmed by the workers yet.",
                        cursor.round() + 1,
                        cursor.bytesFromLake());
    }

    /** Returns the text after the confirmation. */
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
