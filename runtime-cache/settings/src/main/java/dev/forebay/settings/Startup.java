package dev.forebay.service;

import dev.forebay.model.ForebayException;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.util.function.Supplier;

/** Ends a start that cannot succeed, with one line that says what to change. */
public final class Startup {

    private Startup() {}

    /** Runs a step of the start. */
    public static void run(Runnable step) {
        get(
                () -> {
                    step.run();
                    return true;
                });
    }

    /** Runs a step of the start that has a result. */
    public static <T> T get(Supplier<T> step) {
        try {
            return step.get();
        } catch (ForebayException e) {
            // Quarkus prints the message of this exception without a stack trace, if it has no
            // cause.
            throw new ConfigurationException("Forebay does not start: " + e.getMessage());
        }
    }
}
