package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A target of the Makefile in the current directory.
 *
 * @param make the program
 * @param name for people
 * @param usually the usual duration on two cores
 * @param target the target
 */
record MakeTarget(String make, String name, Duration usually, String target) {

    /** Parses {@code NAME=SECONDS=TARGET}. */
    static MakeTarget parse(String make, String text) {
        String[] parts = text.split("=", 3);
        return new MakeTarget(
                make, parts[0], Duration.ofSeconds(Long.parseLong(parts[1])), parts[2]);
    }

    /** Returns whether make has to build it. */
    boolean isMissing() {
        try {
            return process("-q").redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor()
                    != 0;
        } catch (IOException e) {
            throw new DevstackException("cannot run " + make, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DevstackException("interrupted", e);
        }
    }

    /** Builds the target, and shows the last line of output meanwhile. */
    void make(Progress progress) {
        List<String> printed = new ArrayList<>();
        try (Progress.Step step = progress.begin(name, usually)) {
            Process process = process("--no-print-directory").start();
            try (BufferedReader lines = process.inputReader()) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    printed.add(line);
                    step.at(line);
                }
            }
            if (process.waitFor() != 0) {
                throw new DevstackException(
                        "make %s failed:%n%s".formatted(target, String.join("\n", printed)));
            }
            step.done();
        } catch (IOException e) {
            throw new DevstackException("cannot run " + make, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DevstackException("interrupted", e);
        }
    }

    private ProcessBuilder process(String option) {
        ProcessBuilder builder = new ProcessBuilder(make, option, target).redirectErrorStream(true);
        // The descriptors of a job server are not inherited.
        builder.environment().keySet().removeAll(List.of("MAKEFLAGS", "MFLAGS"));
        return builder;
    }
}
