package dev.forebay.transfer;

/** The chunks that a worker dropped, and their bytes. */
public record DropAnswer(long chunksDropped, long bytesDropped) {}
