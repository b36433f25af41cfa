package dev.forebay.transfer;

/**
 * What a worker answered to a read, after verification.
 *
 * @param bytes how many bytes were put into the target, at least 1
 */
public record ReadAnswer(int bytes, Source source) {}
