package dev.forebay.transfer;

/** A worker's answer to a request to verify a chunk. */
public record VerifyAnswer(Verdict verdict) {

    /** The state of the chunk. */
    public enum Verdict {
        /** Every checksum was right. */
        INTACT,
        /** The chunk was damaged or unreadable. The worker dropped it and filled it again. */
        REPAIRED,
        /** The worker did not have the chunk. */
        ABSENT
    }
}
