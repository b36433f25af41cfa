package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.membership.etcd.EtcdRegionState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.placement.WorkerNode;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnknownRegionIT {

    private static final RegionName MISTYPED = new RegionName("us-eats-1");

    @TempDir private Path directory;

    private static RegionState connect(EtcdServer etcd, RegionName region) {
        return EtcdRegionState.connect(
                EtcdConfig.of(List.of(etcd.endpoint())).withRequestTimeout(Duration.ofSeconds(30)),
                region);
    }

    private static void mount(EtcdServer etcd, String region) {
        try (RegionState state = connect(etcd, new RegionName(region))) {
            Digest digest = new Digest("a".repeat(64));
            state.mount(
                    DatasetVersion.of("vision", "digits", "v1"),
                    new ManifestRef("s3://m/" + digest + ".sqlite", digest, 3, 30, 1));
        }
    }

    private static Optional<String> warning(EtcdServer etcd, RegionName region) {
        try (RegionState state = connect(etcd, region)) {
            return UnknownRegion.warning(state, region);
        }
    }

    @Test
    void theWarningNamesTheRegionsThatEtcdHas() {
        try (EtcdServer etcd = EtcdServer.start(directory)) {
            assertThat(warning(etcd, MISTYPED))
                    .hasValueSatisfying(
                            text ->
                                    assertThat(text)
                                            .contains("--region us-eats-1,")
                                            .endsWith("; etcd has no region at all"));

            mount(etcd, "us-east-1");
            mount(etcd, "us-east");
            assertThat(warning(etcd, MISTYPED))
                    .hasValueSatisfying(
                            text -> assertThat(text).endsWith("; it knows us-east-1, us-east"));
            assertThat(warning(etcd, new RegionName("us-east-1"))).isEmpty();

            for (int i = 0; i < 9; i++) {
                mount(etcd, "a" + i);
            }
            assertThat(warning(etcd, MISTYPED))
                    .hasValueSatisfying(
                            text ->
                                    assertThat(text)
                                            .endsWith(
                                                    "; it knows a0, a1, a2, a3, a4, a5, a6, a7,"
                                                            + " a8, us-east-1 and more"));
        }
    }

    @Test
    void aRegionWithWorkersAndNoMountsIsKnown() throws Exception {
        try (EtcdServer etcd = EtcdServer.start(directory);
                RegionState state = connect(etcd, MISTYPED);
                AutoCloseable _ =
                        state.join(new WorkerNode("w1", URI.create("http://127.0.0.1:1"), 10))) {
            state.catchUp();
            assertThat(UnknownRegion.warning(state, MISTYPED)).isEmpty();
        }
    }

    @Test
    void anUnreachableEtcdCausesNoWarning() {
        EtcdConfig away =
                new EtcdConfig(
                        List.of(URI.create("http://127.0.0.1:1")),
                        Duration.ofMillis(500),
                        Duration.ofSeconds(3),
                        Duration.ofMillis(500),
                        Duration.ofMillis(500));
        try (RegionState state = EtcdRegionState.connect(away, MISTYPED)) {
            assertThat(UnknownRegion.warning(state, MISTYPED)).isEmpty();
        }
    }
}
