package dev.forebay.workflows.message;

import dev.forebay.model.ErrorCode;

/** Why something does not go on, and what to do about it. */
public record Problem(ErrorCode code, String message) {}
