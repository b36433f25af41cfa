package dev.forebay.fuse.read;

/** Counts events of the read path. */
@FunctionalInterface
public interface ReadMeter {

    /** Counts nothing. */
    ReadMeter NONE = _ -> {};

    /** Records a read of a piece: a hit if it was in memory or already being loaded. */
    void pieceRead(boolean hit);
}
