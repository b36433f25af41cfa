package dev.forebay.fuse.read;

/** Counts what the read path does. */
@FunctionalInterface
public interface ReadMeter {

    /** Counts nothing. */
    ReadMeter NONE = _ -> {};

    /** A read found its piece in memory, or on its way; or had to fetch it. */
    void pieceRead(boolean hit);
}
