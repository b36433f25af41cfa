package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The program behind {@code make demo} and {@code make up} that makes everything that a stack needs
 * and lacks: targets of the Makefile, and servers. It runs from its source, before anything is
 * built, so that it can obtain servers during the build. This package has no dependencies for that
 * reason.
 *
 * <p>Its arguments are the program {@code make}, and targets as {@code NAME=SECONDS=TARGET}. With
 * {@code -Dterminal=true} it shows progress in place.
 */
final class Prepare {
    /** Tools in one queue have common parts, which two Go builds at once would compile twice. */
    private static final List<List<Tool>> TOOLS =
            List.of(
                    List.of(Tool.ETCD, Tool.VERSITYGW),
                    List.of(Tool.TEMPORAL),
                    List.of(Tool.POSTGRES),
                    List.of(Tool.LIBFUSE2));

    /** The tools that external servers replace, and the variables that name those servers. */
    private static final Map<Tool, String> REPLACED_BY =
            Map.of(
                    Tool.ETCD, "FOREBAY_ETCD_ENDPOINTS",
                    Tool.TEMPORAL, "FOREBAY_TEMPORAL_TARGET",
                    Tool.POSTGRES, "FOREBAY_POSTGRES_URL",
                    Tool.VERSITYGW, "FOREBAY_LAKE_ENDPOINT");

    private Prepare() {}

    /** Exits with 1 if an item cannot be made. */
    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) {
        Runtime.getRuntime().addShutdownHook(new Thread(Prepare::stopChildren));
        Progress progress =
                Boolean.getBoolean("terminal")
                        ? Progress.terminal(System.err)
                        : Progress.lines(System.err::println);
        try {
            Preparation preparation =
                    missing(
                            Arrays.stream(arguments)
                                    .skip(1)
                                    .map(text -> MakeTarget.parse(arguments[0], text)),
                            new Toolbox(Machine.current(), progress),
                            progress);
            if (!preparation.queues().isEmpty()) {
                progress.say(preparation.summary());
                preparation.run();
            }
        } catch (DevstackException e) {
            progress.say(String.valueOf(e.getMessage()));
            System.exit(1);
        }
    }

    private static Preparation missing(
            Stream<MakeTarget> targets, Toolbox toolbox, Progress progress) {
        Stream<List<Preparation.Item>> made =
                targets.filter(MakeTarget::isMissing)
                        .map(
                                target ->
                                        List.of(
                                                new Preparation.Item(
                                                        target.name(),
                                                        target.usually(),
                                                        () -> target.make(progress))));
        Stream<List<Preparation.Item>> obtained =
                TOOLS.stream()
                        .map(
                                queue ->
                                        queue.stream()
                                                .filter(
                                                        tool ->
                                                                isNeeded(tool)
                                                                        && toolbox.lacks(tool))
                                                .map(tool -> item(tool, toolbox))
                                                .toList());
        return new Preparation(
                Stream.concat(made, obtained).filter(queue -> !queue.isEmpty()).toList());
    }

    private static Preparation.Item item(Tool tool, Toolbox toolbox) {
        return new Preparation.Item(tool.toString(), tool.usually(), () -> toolbox.obtain(tool));
    }

    private static boolean isNeeded(Tool tool) {
        String variable = REPLACED_BY.getOrDefault(tool, "");
        return variable.isEmpty() || System.getenv().getOrDefault(variable, "").isBlank();
    }

    /** Stops the other work after a failure. */
    private static void stopChildren() {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroy);
    }
}
