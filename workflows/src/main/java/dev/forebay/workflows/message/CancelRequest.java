package dev.forebay.workflows.message;

/**
 * Take a request back, whose caller is then answered with CANCELLED; does nothing if it was
 * answered already.
 *
 * @param updateId of the {@code ensureCached} that carries it
 */
public record CancelRequest(String updateId) {}
