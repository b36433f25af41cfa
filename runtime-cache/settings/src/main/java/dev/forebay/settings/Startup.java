package dev.forebay.settings;

import dev.forebay.model.ForebayException;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.util.function.Supplier;

/** Ends a failed start with a one-line message that says what to change. */
public final class Startup {

    private Startup() {}

    /** Runs one step of the start. */
    public static void run(Runnable step) {
        boolean _ =
                get(
                        () -> {
                            step.run();
                            return true;
                        });
    }

    /** Runs one step of the start that has a result. */
    public static <T> T get(Supplier<T> step) {
        try {
            return step.get();
        } catch (ForebayException e) {
            // Quarkus prints this exception's message without a stack trace, if it has no cause.
            throw new ConfigurationException("Forebay does not start: " + reason(e));
        }
    }

    private static String reason(ForebayException e) {
        String what = String.valueOf(e.getMessage());
        Throwable cause = e.getCause();
        return cause == null || what.contains(String.valueOf(cause.getMessage()))
                ? what
                : "%s: %s".formatted(what, cause);
    }
}
