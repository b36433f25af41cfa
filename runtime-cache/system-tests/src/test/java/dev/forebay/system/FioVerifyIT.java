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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * fio writes a file of blocks with checksums to a local disk; in the lake, and read through a
 * mount, all blocks are what it wrote: "Reading", by somebody who knows nothing of us.
 */
class FioVerifyIT {

    private static final DatasetVersion VERSION = DatasetVersion.of("fio", "file", "v1");
    private static final int BYTES = 12 << 20;

    @TempDir private static Path directory;
    private static ModelRegion region;
    private static Path fio;

    @BeforeAll
    static void prepare() throws Exception {
        fio = Toolbox.ofThisMachine().fio();
        Path file = directory.resolve("file");
        assertThat(fio(file, "--rw=randwrite", "--do_verify=0")).isZero();
        region = new ModelRegion(directory);
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
        assertThat(fio(file, "--rw=randread", "--readonly")).as("fio notices").isNotZero();
    }

    @AfterAll
    static void stopRegion() {
        region.close();
    }

    private static int fio(Path file, String... options) throws Exception {
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

    @ParameterizedTest
    @EnumSource
    void theBlocksAreWhatFioWrote(ModelSetup setup) throws Exception {
        try (ModelMount mount = new ModelMount(region, setup)) {
            Path file = mount.mountpoint().resolve(VERSION.path()).resolve("file");
            Await.until(
                    "it is shown",
                    Duration.ofSeconds(60),
                    () -> Files.readAllBytes(file).length == BYTES && mount.shows(VERSION));
            List<List<String>> ways =
                    List.of(
                            List.of("--rw=read"),
                            List.of("--rw=randread"),
                            List.of("--rw=randread", "--bs=128k", "--verify_interval=4k"),
                            List.of("--rw=randread", "--ioengine=mmap"),
                            List.of("--rw=randread", "--direct=1"));
            for (List<String> way : ways) {
                if (setup.readsDirectly() || !way.contains("--direct=1")) {
                    List<String> options = new ArrayList<>(way);
                    options.addAll(List.of("--readonly", "--numjobs=2", "--thread"));
                    assertThat(fio(file, options.toArray(String[]::new)))
                            .as(() -> way + ": " + printed())
                            .isZero();
                }
            }
        }
    }

    private static String printed() {
        try {
            return Files.readString(directory.resolve("fio.log"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
