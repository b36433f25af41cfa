package dev.forebay.worker.handover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.ManifestCache;
import dev.forebay.membership.Membership;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import dev.forebay.worker.handover.Drain.State;
import dev.forebay.worker.retention.MountedVersions;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of a worker that holds nothing, and whose etcd goes away in the middle. */
@SuppressWarnings("NullAway.Init") // made before each
class DrainTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String SELF = "self";

    @TempDir private Path directory;
    private final FailingMembership membership = new FailingMembership();
    private final WorkerClient client = new WorkerClient(WorkerClientConfig.defaults());
    private MountedVersions versions;
    private Drain drain;

    @BeforeEach
    void besideAnotherWorker() {
        versions =
                new MountedVersions(
                        new ManifestCache(
                                directory,
                                1,
                                (ref, _) -> {
                                    throw new ForebayException(ErrorCode.NOT_FOUND, ref.uri());
                                }),
                        1);
        WorkerNode self = new WorkerNode(SELF, URI.create("http://127.0.0.1:1"), 10);
        WorkerNode other = new WorkerNode("other", URI.create("http://127.0.0.1:2"), 10);
        versions.update(
                new RegionView(
                        List.of(self.drained(), other),
                        Set.of(SELF, "other"),
                        List.of(),
                        List.of()));
        drain = new Drain(SELF, membership, versions, (_, _) -> false, client, PATIENCE, 1L << 30);
    }

    @AfterEach
    void close() {
        drain.close();
        versions.close();
        client.close();
    }

    private State started() throws InterruptedException {
        assertThat(drain.start().state()).isNotEqualTo(State.SERVING);
        drain.await(PATIENCE);
        return drain.progress().state();
    }

    @Test
    void oneThatFailedCanBeStartedAgain() throws Exception {
        membership.removal =
                () -> {
                    throw new ForebayException(ErrorCode.UNAVAILABLE, "etcd is away");
                };
        assertThat(started()).isEqualTo(State.DRAINING);
        membership.removal =
                () -> {
                    throw new OutOfMemoryError("simulated");
                };
        assertThat(started()).isEqualTo(State.DRAINING);

        membership.removal = () -> {};
        assertThat(started()).isEqualTo(State.DRAINED);
        assertThat(started()).as("once is enough").isEqualTo(State.DRAINED);
        assertThat(membership.drains).isEqualTo(3);
    }

    private static final class FailingMembership implements Membership {
        private volatile Runnable removal = () -> {};
        private int drains;

        @Override
        public long epoch() {
            return 1;
        }

        @Override
        public boolean valid() {
            return true;
        }

        @Override
        public boolean superseded() {
            return false;
        }

        @Override
        public void drain() {
            drains++;
        }

        @Override
        public void remove() {
            removal.run();
        }

        @Override
        public void close() {}
    }
}
