package dev.forebay.lake.walk;

import dev.forebay.lake.KeyOrder;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A part of a listing: the keys behind one text, up to and with another. Guarded by the {@link
 * Ranges} that it is one of.
 */
final class KeyRange {

    /** Stands for a key where there is none; no key is empty. */
    static final String NOTHING = "";

    /** The order of the keys in them. */
    static final Comparator<KeyRange> ORDER =
            Comparator.comparing(
                    (KeyRange range) -> range.from == null ? "" : range.from, KeyOrder.UTF8);

    enum State {
        WAITING,
        ACTIVE,
        DONE
    }

    /** Names its file. */
    final int id;

    /** Null: from the first key. */
    final @Nullable String from;

    /** Null: to the last key. Becomes less when the range is split. */
    @Nullable String upTo;

    /** What is listed of it: null before the first page. */
    @Nullable String cursor;

    /** Where its last page was asked for. */
    @Nullable String before;

    /** The first key that was listed, though it be another range's; null if there was none yet. */
    @Nullable String first;

    /**
     * The first key that was listed behind its end, or {@link #NOTHING}; null if that is not known.
     */
    @Nullable String beyond;

    State state = State.WAITING;

    /** Pages since it was split off or split: one that gets on may be worth another worker. */
    int pages;

    KeyRange(int id, @Nullable String from, @Nullable String upTo) {
        this.id = id;
        this.from = from;
        this.upTo = upTo;
        this.cursor = from;
    }

    /** Takes note of a page: see the fields. */
    void listed(@Nullable String firstOfPage, @Nullable String behind, @Nullable String next) {
        if (first == null) {
            first = firstOfPage;
        }
        beyond = behind;
        before = cursor;
        cursor = next;
    }

    boolean has(String key) {
        return upTo == null || KeyOrder.UTF8.compare(key, upTo) <= 0;
    }
}
