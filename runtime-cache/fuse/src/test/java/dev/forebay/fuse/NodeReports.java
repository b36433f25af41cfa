package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.membership.NodeReport;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.NodeName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the report in etcd of what a node holds, by whole pods over a separate region each time.
 */
@SuppressWarnings("NullAway.Init") // started before each
abstract class NodeReports {

    static final String NODE = "--node-name=gpu-1";
    static final String OFTEN = "--node-interval=1";

    static final NodeReport HELD = report(HeldMountFixture.VERSION);
    static final NodeReport NOTHING = report();

    @TempDir Path directory;
    HeldMountFixture region;
    Running holder;

    @BeforeEach
    void hold() throws Exception {
        region = new HeldMountFixture(directory);
        holder = region.holder();
    }

    @AfterEach
    void endAll() throws Exception {
        region.close();
    }

    private static NodeReport report(DatasetVersion... versions) {
        return new NodeReport(new NodeName("gpu-1"), List.of(versions));
    }

    void readAll() {
        TestDataset.assertShows(region.root(), CheckingReader.objects());
    }

    void awaitSaid(NodeReport... wanted) {
        long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!region.nodes().equals(List.of(wanted))) {
            assertThat(System.nanoTime()).as("%s", region.nodes()).isLessThan(deadline);
            LockSupport.parkNanos(20_000_000);
        }
    }
}
