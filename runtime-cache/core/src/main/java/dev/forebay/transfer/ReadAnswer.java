package dev.forebay.transfer;

/**
 * A worker's answer to a read, after verification.
 *
 * @param bytes number of bytes put into the target, at least 1
 */
public record ReadAnswer(int bytes, Source source) {}
