package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.nio.file.Path;

/** How a tool is obtained from a package registry. */
@FunctionalInterface
interface Recipe {
    /**
     * Puts the tool's files into an empty directory.
     *
     * @param machine where the programs that do the work are
     * @param into the directory, which is removed if this fails
     * @param log what the programs print goes here
     * @throws DevstackException when it cannot be done, with what is missing
     */
    void obtain(Machine machine, Path into, Path log);

    /** Returns a recipe that follows another one if this one fails. */
    default Recipe orElse(Recipe other) {
        return (machine, into, log) -> {
            try {
                obtain(machine, into, log);
            } catch (DevstackException e) {
                Trees.empty(into);
                other.obtain(machine, into, log);
            }
        };
    }
}
