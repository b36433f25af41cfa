package dev.forebay.transfer;

/** What a worker dropped. */
public record DropAnswer(long chunksDropped, long bytesDropped) {}
