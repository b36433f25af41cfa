package dev.forebay.workflows.message;

/**
 * Request to cancel an earlier request, which is then answered with CANCELLED. Does nothing if it
 * has been answered already.
 *
 * @param updateId the id of the {@code ensureCached} update that carries the request
 */
public record CancelRequest(String updateId) {}
