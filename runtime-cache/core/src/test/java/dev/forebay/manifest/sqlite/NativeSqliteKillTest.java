package dev.forebay.manifest.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.VictimProcess;
import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.write.ManifestWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A killed process that had manifests open leaves no files in the temporary directory. */
class NativeSqliteKillTest {

    @TempDir Path directory;

    /** The process that is killed. */
    static final class Victim {
        public static void main(String[] arguments) throws InterruptedException {
            System.setProperty("java.io.tmpdir", arguments[0]);
            Path file = Path.of(arguments[1]);
            try (ManifestWriter writer =
                    new ManifestWriter(file, "b", "", ManifestWriter.DEFAULT_PACK_BYTES, null)) {
                writer.add(new LakeObject("a", 1, Instant.EPOCH, "e", null));
                writer.finish();
            }
            try (SqliteManifest manifest = SqliteManifest.open(file)) {
                if (manifest.objects() == 1) {
                    VictimProcess.ready();
                }
                Thread.sleep(Long.MAX_VALUE);
            }
        }
    }

    @Test
    void aKilledProcessLeavesNoSqliteLibrary() throws Exception {
        Path temporary = Files.createDirectory(directory.resolve("tmp"));
        Path old = Files.createDirectory(temporary.resolve("forebay-sqlite-1"));
        Files.writeString(old.resolve("library"), "x");
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofHours(2))));

        VictimProcess.killAfter(
                Duration.ZERO,
                Victim.class,
                temporary.toString(),
                directory.resolve("m").toString());

        assertThat(temporary).isEmptyDirectory();
    }
}
