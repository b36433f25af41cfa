package dev.forebay.devstack.tool;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Shows the running steps, with their elapsed and usual durations. On a terminal it shows one line
 * for each step, in place. Elsewhere it writes one line for all steps every 15 s. Thread-safe.
 */
public final class Progress {
    private static final Duration ON_TERMINAL = Duration.ofSeconds(1);
    private static final Duration ELSEWHERE = Duration.ofSeconds(15);
    private static final int WIDTH = 79;

    /** Moves up a line and clears it. */
    private static final String BACK = "\033[A\033[2K";

    private final Consumer<String> out;
    private final boolean inPlace;
    private final List<Step> running = new ArrayList<>();
    private boolean repeats;
    private int drawn;

    private Progress(Consumer<String> out, boolean inPlace) {
        this.out = out;
        this.inPlace = inPlace;
    }

    /** Returns a progress that writes lines. */
    public static Progress lines(Consumer<String> out) {
        return new Progress(out, false);
    }

    /** Returns a progress for a terminal. */
    static Progress terminal(PrintStream out) {
        return new Progress(out::println, true);
    }

    /** Writes a line. */
    public synchronized void say(String line) {
        String back = BACK.repeat(drawn);
        drawn = 0;
        out.accept(back + line);
        if (inPlace) {
            draw();
        }
    }

    /** Shows a step until it is closed. */
    public synchronized Step begin(String what, Duration usually) {
        if (!inPlace) {
            out.accept("%s: started, usually takes %s".formatted(what, inWords(usually)));
        }
        Step step = new Step(what, usually);
        running.add(step);
        if (!repeats) {
            repeats = true;
            Thread.ofVirtual().name("progress").start(this::repeat);
        }
        return step;
    }

    /** Formats a duration for people: {@code 45 s}, {@code 4 min}. */
    static String inWords(Duration duration) {
        long seconds = duration.toSeconds();
        return seconds < 100 ? seconds + " s" : Math.round(seconds / 60.0) + " min";
    }

    private synchronized void repeat() {
        long interval = (inPlace ? ON_TERMINAL : ELSEWHERE).toNanos();
        long next = System.nanoTime() + (inPlace ? 0 : interval);
        try {
            while (!running.isEmpty()) {
                long left = next - System.nanoTime();
                if (left > 0) {
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                } else {
                    draw();
                    next += interval;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            repeats = false;
        }
    }

    private void draw() {
        if (inPlace) {
            String back = BACK.repeat(drawn);
            drawn = running.size();
            if (drawn > 0) {
                out.accept(
                        back
                                + running.stream()
                                        .map(step -> "  " + cut(step.toString()))
                                        .collect(Collectors.joining("\n")));
            }
        } else {
            out.accept(
                    "waiting for "
                            + running.stream()
                                    .map(Step::toString)
                                    .collect(Collectors.joining("; ")));
        }
    }

    private static String cut(String line) {
        return line.length() <= WIDTH - 2 ? line : line.substring(0, WIDTH - 2);
    }

    private synchronized void end(Step step) {
        running.remove(step);
        notifyAll();
    }

    /** A step that takes a while. */
    public final class Step implements AutoCloseable {
        private final String what;
        private final Duration usually;
        private final long began = System.nanoTime();
        private volatile String detail = "";

        private Step(String what, Duration usually) {
            this.what = what;
            this.usually = usually;
        }

        /** Sets the text about the step's current work. */
        public void at(String what) {
            detail = what.strip();
        }

        /** Returns the time since the step began. */
        Duration elapsed() {
            return Duration.ofNanos(System.nanoTime() - began);
        }

        /** Ends the step and reports its success. */
        public void done() {
            close();
            say("%s: done in %s".formatted(what, inWords(elapsed())));
        }

        @Override
        public void close() {
            end(this);
        }

        @Override
        public String toString() {
            String line =
                    "%s: %s, usually %s".formatted(what, inWords(elapsed()), inWords(usually));
            return detail.isEmpty() ? line : line + " (" + detail + ")";
        }
    }
}
