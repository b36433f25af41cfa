package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static dev.forebay.system.RunningStack.KOREA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.stack.FuseMount;
import dev.forebay.devstack.stack.StackConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A region whose workers speak TLS: its agent fills them, its FUSE pod reads from them. */
class EncryptedWorkersIT {

    private static final int CHUNK = 8 << 20;

    @Test
    void aVersionIsFilledAndReadOverTls(@TempDir Path directory) throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        tree.put("large", bytes(1, 3 * CHUNK + 12_345));
        for (int i = 0; i < 200; i++) {
            tree.put("small/%03d".formatted(i), bytes(i, 1_000 + i));
        }
        try (RunningStack stack =
                RunningStack.start(
                        "encrypted",
                        (StackConfig.Builder config) ->
                                config.regions(KOREA).workersPerRegion(2).workersSpeakTls())) {
            assertThat(stack.region(KOREA).worker(0).address().getScheme()).isEqualTo("https");
            stack.lake().putAll("encrypted/", tree);
            stack.api().register("tls/data", "s3://datasets/encrypted/", Duration.ofHours(1));

            JsonNode receipt = stack.api().ensure("tls/data@v1", KOREA);

            assertThat(receipt.get("bytes_verified").asLong())
                    .isEqualTo(tree.values().stream().mapToLong(each -> each.length).sum());
            stack.readAll(KOREA, "tls/data@v1", tree);
            aPodThatDoesNotTrustThemSaysWhatToSet(stack, directory);
        }
    }

    private static void aPodThatDoesNotTrustThemSaysWhatToSet(RunningStack stack, Path directory)
            throws IOException {
        try (FuseMount stranger =
                FuseMount.another(stack.region(KOREA), directory.resolve("pod"), Map.of())) {
            Path file = stranger.mountpoint().resolve("tls/data/v1/large");

            assertThatThrownBy(() -> Files.readAllBytes(file)).isInstanceOf(IOException.class);

            Await.until(
                    "it says what to set",
                    Duration.ofSeconds(60),
                    () -> {
                        assertThatThrownBy(() -> Files.readAllBytes(file))
                                .isInstanceOf(IOException.class);
                        String log = Files.readString(stranger.log());
                        return log.contains("the certificate of https://127.0.0.1:")
                                && log.contains("--worker-ca");
                    });
        }
    }
}
