package dev.forebay.control.api;

import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.message.Problem;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Why something makes no progress, in a response body. */
@Schema(name = "Cause", description = "The reason why an operation waits or has stopped")
public record CauseView(ErrorCode code, String message) {

    public static @Nullable CauseView of(@Nullable Problem problem) {
        return problem == null ? null : new CauseView(problem.code(), problem.message());
    }
}
