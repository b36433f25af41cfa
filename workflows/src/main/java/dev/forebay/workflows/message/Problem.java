package dev.forebay.workflows.message;

import dev.forebay.model.ErrorCode;

/** An error that stops some work, with a message that says what to do about it. */
public record Problem(ErrorCode code, String message) {}
