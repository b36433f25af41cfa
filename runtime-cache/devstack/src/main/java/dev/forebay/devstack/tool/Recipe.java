package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Obtains a tool from a package registry. */
@FunctionalInterface
interface Recipe {
    /**
     * Puts the tool's files into an empty directory.
     *
     * @param machine has the programs that do the work
     * @param into the directory, which the caller removes if this fails
     * @param log receives the output of the programs
     * @throws DevstackException with what is missing, if the tool cannot be obtained
     * @throws UncheckedIOException if a file lacks or cannot be written
     */
    void obtain(Machine machine, Path into, Path log);

    /** Returns a recipe that uses another one if this one fails. */
    default Recipe orElse(Recipe other) {
        return (machine, into, log) -> {
            try {
                obtain(machine, into, log);
            } catch (DevstackException | UncheckedIOException e) {
                Trees.empty(into);
                other.obtain(machine, into, log);
            }
        };
    }
}
