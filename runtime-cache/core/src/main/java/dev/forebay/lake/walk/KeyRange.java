package dev.forebay.lake.walk;

import dev.forebay.lake.KeyOrder;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A part of a listing: the keys after one text, up to and including another. Guarded by the {@link
 * Ranges} that contains it.
 */
final class KeyRange {

    /** Replaces a key where none exists, because no key is empty. */
    static final String NOTHING = "";

    /** Orders ranges by their keys. */
    static final Comparator<KeyRange> ORDER =
            Comparator.comparing(
                    (KeyRange range) -> range.from == null ? "" : range.from, KeyOrder.UTF8);

    enum State {
        WAITING,
        ACTIVE,
        DONE
    }

    /** The name of the range's file. */
    final int id;

    /** Null starts at the first key. */
    final @Nullable String from;

    /** Null ends at the last key. A split moves it to an earlier key. */
    @Nullable String upTo;

    /** The last position that was listed; null before the first page. */
    @Nullable String cursor;

    /** The position from which the last page was requested. */
    @Nullable String before;

    /**
     * The first key that was listed, even if it belongs to another range; null before the first
     * key.
     */
    @Nullable String first;

    /**
     * The first key that was listed after the range's end, or {@link #NOTHING}; null if unknown.
     */
    @Nullable String beyond;

    State state = State.WAITING;

    /**
     * Pages since the range was created or last split. A range that makes progress may be worth
     * another worker.
     */
    int pages;

    KeyRange(int id, @Nullable String from, @Nullable String upTo) {
        this.id = id;
        this.from = from;
        this.upTo = upTo;
        this.cursor = from;
    }

    /** Records a page in the fields. */
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
