package dev.forebay.chunkstore;

/** What a deletion removed: chunks, and the bytes of packs they held. */
public record Dropped(long chunks, long bytes) {

    /** Nothing. */
    public static final Dropped NONE = new Dropped(0, 0);

    /** Both together. */
    public Dropped plus(Dropped other) {
        return new Dropped(chunks + other.chunks, bytes + other.bytes);
    }
}
