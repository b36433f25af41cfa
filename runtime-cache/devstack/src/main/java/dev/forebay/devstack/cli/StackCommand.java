package dev.forebay.devstack.cli;

import dev.forebay.devstack.stack.StackOnDisk;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * A command for one stack. It prints its result to standard output, and its progress to standard
 * error.
 */
abstract class StackCommand implements Callable<Integer> {
    @Mixin private final DataOption data = new DataOption();

    @SuppressWarnings("NullAway.Init") // picocli sets it
    @Spec
    private CommandSpec spec;

    final StackOnDisk stack() {
        return data.stack();
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final void say(String line) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("[devstack] " + line);
        err.flush();
    }
}
