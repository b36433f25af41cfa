package dev.forebay.chunkstore;

/** The result of a deletion: the number of chunks removed, and their length in bytes. */
public record Dropped(long chunks, long bytes) {

    /** The result of a deletion that removed nothing. */
    public static final Dropped NONE = new Dropped(0, 0);

    /** Returns the sum of two results. */
    public Dropped plus(Dropped other) {
        return new Dropped(chunks + other.chunks, bytes + other.bytes);
    }
}
