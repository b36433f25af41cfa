package dev.forebay.devstack.program;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds the command line that starts one of Forebay's programs on the JDK of this process. Every
 * start of a program, in a stack or in a test, uses this class: a start uses its AOT cache only if
 * its options for modules equal those of the training run.
 */
public final class JavaCommand {
    private static final Path JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toAbsolutePath();

    private final Path jar;
    private final AotCache cache;
    private final List<String> options = new ArrayList<>();
    private List<String> aot;
    private Duration endsWithin = Duration.ofSeconds(15);

    private JavaCommand(Program program, Path jar) {
        this.jar = jar.toAbsolutePath();
        this.cache = AotCache.of(program, jar);
        this.aot = cache.options(AotCache.Mode.ofEnvironment());
    }

    /** Starts a command line for a program. */
    public static JavaCommand of(Program program, Path jar) {
        return new JavaCommand(program, jar);
    }

    /** Adds options of the JVM, such as {@code -Xmx256m} and system properties. */
    public JavaCommand options(List<String> more) {
        options.addAll(more);
        return this;
    }

    /** Adds options of the JVM, such as {@code -Xmx256m} and system properties. */
    public JavaCommand options(String... more) {
        return options(List.of(more));
    }

    /**
     * Leaves out the second compiler, which takes more processor time in the first minutes than it
     * saves. The first compiler does not use the processor's instructions for AES, so TLS is slow.
     */
    public JavaCommand withoutSecondCompiler() {
        return options("-XX:TieredStopAtLevel=1");
    }

    /** Uses the cache as the mode says, and ignores the environment. */
    public JavaCommand cache(AotCache.Mode mode) {
        aot = cache.options(mode);
        return this;
    }

    /** Records a training run for the program's AOT cache instead of using the cache. */
    public JavaCommand recording() {
        aot = cache.recording();
        endsWithin = Duration.ofMinutes(3);
        return this;
    }

    /** Returns the command line; the program's arguments follow it. */
    public List<String> build() {
        List<String> command = new ArrayList<>();
        command.add(JAVA.toString());
        command.addAll(aot);
        // A stack is a dozen JVMs on few cores, where one GC thread is enough for each.
        command.add("-XX:+UseSerialGC");
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.addAll(options);
        command.add("-jar");
        command.add(jar.toString());
        return command;
    }

    /**
     * Returns the time limit for the end after SIGTERM, during which a training run writes its
     * record.
     */
    public Duration endsWithin() {
        return endsWithin;
    }

    /** Returns the command line that writes the cache from the record of a training run. */
    public List<String> creatingCache() {
        aot = cache.creating();
        return build();
    }
}
