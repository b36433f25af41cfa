package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.placement.WorkerNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** The {@link ModelReader}s of a mount, one process for each way of reading. */
final class ModelReaders implements AutoCloseable {

    /** Includes the retry after one minute for a version that could not be brought to the node. */
    static final Duration SHOWN_WITHIN = Duration.ofMinutes(3);

    private record Reader(Process process, Path output) {}

    private final List<Reader> readers = new ArrayList<>();
    private final ModelRegion region;
    private final ModelMount mount;
    private final long seed;
    private final Path boardFile;
    private final ModelBoard board;

    ModelReaders(ModelRegion region, ModelMount mount, long seed) throws IOException {
        this.region = region;
        this.mount = mount;
        this.seed = seed;
        boardFile = Files.createTempFile(region.directory, mount.setup() + "-", ".board");
        board = ModelBoard.open(boardFile);
    }

    /**
     * Waits until all versions are shown in the view of the setup, and starts the readers. The
     * version with the changed object is an exception: it is never complete on the node.
     */
    void start() throws IOException {
        for (ModelVersion version : ModelVersion.all()) {
            Await.until(
                    version.name() + " is shown",
                    SHOWN_WITHIN,
                    () ->
                            mount.reads(version)
                                    && (version.files().containsKey(ModelVersion.CHANGED)
                                            || mount.shows(version.name())));
            comesOrGoes(version);
        }
        for (FileReads.Way way : FileReads.Way.values()) {
            if (way != FileReads.Way.DIRECT || mount.setup().readsDirectly()) {
                readers.add(start(way));
            }
        }
    }

    private Reader start(FileReads.Way way) throws IOException {
        Path output = region.directory.resolve("%s-%s.txt".formatted(mount.setup(), way));
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-Dforebay.model.pause=" + ModelReader.PAUSE_MILLIS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(
                List.of(
                        ModelReader.class.getName(),
                        way.name(),
                        Long.toString(seed),
                        Integer.toString(readers.size()),
                        boardFile.toString(),
                        mount.mountpoint().toString(),
                        region.directory.toString()));
        for (WorkerNode node : region.nodes()) {
            command.add("%s %s %d".formatted(node.id(), node.address(), node.capacityBytes()));
        }
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        return new Reader(process, output);
    }

    /** Records that a version may be unmounted from now on, or is certainly mounted again. */
    void comesOrGoes(ModelVersion version) {
        board.change(version.index());
    }

    /**
     * Records that bytes of a version may be wrong from now on, or are right again in files opened
     * from now on.
     */
    void rotsOrIsMended(ModelVersion version) {
        board.rot(version.index());
    }

    /** Returns the number of reads that were compared. */
    long reads() {
        long reads = 0;
        for (int reader = 0; reader < readers.size(); reader++) {
            reads += board.reads(reader);
        }
        return reads;
    }

    /** Waits until this many more reads were compared and a condition holds. */
    void awaitMore(int more, String state, Callable<Boolean> condition) throws Exception {
        Instant deadline = Instant.now().plus(SHOWN_WITHIN);
        long until = reads() + more;
        while (reads() < until || !condition.call()) {
            assertRight(() -> state);
            assertThat(Instant.now()).as(state).isBefore(deadline);
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** Checks that no reader has found a wrong answer so far. */
    void assertRight(Supplier<String> events) {
        for (Reader reader : readers) {
            assertThat(reader.process().isAlive()).as(() -> story(reader, events)).isTrue();
        }
    }

    /** Ends the readers and checks their results. */
    void end(Supplier<String> events) throws Exception {
        for (Reader reader : readers) {
            reader.process().getOutputStream().close();
        }
        for (Reader reader : readers) {
            boolean ended = reader.process().waitFor(60, TimeUnit.SECONDS);
            String doing = ended ? "" : ProcessFigures.threads(reader.process().pid());
            assertThat(ended).as(() -> "ends in time: " + story(reader, events) + doing).isTrue();
            assertThat(reader.process().exitValue()).as(() -> story(reader, events)).isZero();
        }
    }

    private String story(Reader reader, Supplier<String> events) {
        try {
            return "seed %d, %s: %s after %s"
                    .formatted(
                            seed, mount.setup(), Files.readString(reader.output()), events.get());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        readers.forEach(reader -> reader.process().destroyForcibly());
    }
}
