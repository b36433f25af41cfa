package dev.forebay.transfer;

/** What a worker found when it was asked to verify a chunk. */
public record VerifyAnswer(Verdict verdict) {

    /** How the chunk was. */
    public enum Verdict {
        /** Every checksum was right. */
        INTACT,
        /** It was damaged or could not be read; it was dropped and filled anew. */
        MENDED,
        /** It was not there. */
        ABSENT
    }
}
