package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.tool.Toolbox;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * "Reading" in docs/semantics.md: a version with one file of blocks that carry checksums. The tool
 * fio, which is independent of Forebay, writes the file and verifies it through a mount.
 */
final class FioFile {

    private static final DatasetVersion VERSION = DatasetVersion.of("fio", "file", "v1");
    private static final int BYTES = 12 << 20;

    private static final List<List<String>> WAYS =
            List.of(
                    List.of("--rw=read"),
                    List.of("--rw=randread"),
                    List.of("--rw=randread", "--bs=128k", "--verify_interval=4k"),
                    List.of("--rw=randread", "--ioengine=mmap"),
                    List.of("--rw=randread", "--direct=1"));

    private static @Nullable FioFile shared;

    private final Path fio = Toolbox.ofThisMachine().fio();
    private final Path directory;

    private FioFile(ModelRegion region) throws Exception {
        directory = Files.createDirectories(region.directory.resolve("fio"));
        Path file = directory.resolve("file");
        assertThat(fio(file, "--rw=randwrite", "--do_verify=0")).isZero();
        ManifestRef manifest =
                region.freeze(
                        "fio/",
                        Map.of("file", Files.readAllBytes(file)),
                        directory.resolve("fio.sqlite"));
        region.mount(VERSION, manifest);
        assertThat(fio(file, "--rw=randread", "--readonly")).isZero();
        try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw")) {
            raw.seek(BYTES / 2 + 100);
            raw.write(raw.read() ^ 1);
        }
        assertThat(fio(file, "--rw=randread", "--readonly"))
                .as("fio notices a flipped bit")
                .isNotZero();
    }

    /** Returns the file of the shared region. The first call creates it. */
    static synchronized FioFile in(ModelRegion region) throws Exception {
        FioFile file = shared;
        if (file == null) {
            file = new FioFile(region);
            shared = file;
        }
        return file;
    }

    private int fio(Path file, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(fio.toString(), "--name=verify"));
        command.addAll(List.of("--filename=" + file, "--size=" + BYTES, "--bs=4k"));
        command.addAll(
                List.of(
                        "--verify=crc32c",
                        "--verify_fatal=1",
                        "--verify_state_save=0",
                        "--ioengine=psync"));
        command.addAll(List.of(options));
        return new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("fio.log").toFile())
                .start()
                .waitFor();
    }

    /**
     * Reads the file through a mount in every way. Fails unless all blocks are as fio wrote them.
     */
    void verify(ModelMount mount) throws Exception {
        Path file = mount.mountpoint().resolve(VERSION.path()).resolve("file");
        Await.until(
                VERSION + " is shown",
                Duration.ofSeconds(60),
                () -> Files.readAllBytes(file).length == BYTES && mount.shows(VERSION));
        for (List<String> way : WAYS) {
            if (mount.setup().readsDirectly() || !way.contains("--direct=1")) {
                List<String> options = new ArrayList<>(way);
                options.addAll(List.of("--readonly", "--numjobs=2", "--thread"));
                assertThat(fio(file, options.toArray(String[]::new)))
                        .as(() -> way + ": " + printed())
                        .isZero();
            }
        }
    }

    private String printed() {
        try {
            return Files.readString(directory.resolve("fio.log"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
