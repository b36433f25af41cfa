package dev.forebay.agent.pins;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.kubernetes.KubernetesCluster;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.TemporalServer;
import dev.forebay.membership.Pin;
import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.membership.etcd.EtcdRegionState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.testing.ApplicationProcess;
import dev.forebay.testing.Await;
import dev.forebay.testing.SharedCluster;
import dev.forebay.testing.TrainingJobs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged agent in a cluster: pins end with their Jobs, and not because of failures. */
@SuppressWarnings("NullAway.Init")
class JobPinsKubeIT {

    private static final RegionName REGION = new RegionName("test-1");
    private static final DatasetVersion VERSION = DatasetVersion.parse("team/digits@v1");
    private static final Digest DIGEST = new Digest("a".repeat(64));

    private static final int MANY = 640;
    private static final Duration LONG = Duration.ofMinutes(3);

    /**
     * A little more than three times the agent's interval, which is the lower limit for a gate's
     * lease.
     */
    private static final Duration LEASE = Duration.ofSeconds(10);

    @TempDir private static Path directory;

    private static EtcdServer etcd;
    private static TemporalServer temporal;
    private static KubernetesCluster cluster;
    private static TrainingJobs jobs;
    private static ApplicationProcess agent;
    private static EtcdRegionState region;

    @BeforeAll
    static void start() {
        etcd = EtcdServer.start(directory.resolve("etcd"));
        temporal = TemporalServer.start(directory.resolve("temporal"));
        cluster = SharedCluster.get();
        cluster.addNodes("pool-a", 25, Map.of());
        cluster.addNodes("pool-b", 25, Map.of());
        jobs = new TrainingJobs(cluster.client());
        agent =
                ApplicationProcess.start(
                        "agent",
                        directory.resolve("agent"),
                        Map.of(
                                "forebay.role",
                                "agent",
                                "forebay.region",
                                REGION.value(),
                                "forebay.etcd.endpoints",
                                etcd.endpoint().toString(),
                                "forebay.temporal.target",
                                temporal.target(),
                                "forebay.jobs.watch",
                                "true",
                                "forebay.jobs.interval",
                                "2S"),
                        Map.of("KUBECONFIG", cluster.kubeconfig().toString()));
        region = EtcdRegionState.connect(EtcdConfig.of(List.of(etcd.endpoint())), REGION);
        region.mount(VERSION, new ManifestRef("s3://m/" + DIGEST, DIGEST, 1, 1, 1));
    }

    @AfterAll
    static void stop() {
        region.close();
        agent.close();
        temporal.close();
        etcd.close();
    }

    @AfterEach
    void forget() {
        region.view().pins().forEach(pin -> region.unpin(pin.version(), pin.id()));
        jobs.deleteAll();
    }

    private static void pin(String id, String job) {
        region.pin(new Pin(VERSION, id, "me", "training", Duration.ofDays(1), job));
    }

    private static boolean isPinned(String id) {
        return region.remaining(VERSION, id).isPresent();
    }

    /** Returns how many of the agent's requests failed. */
    private static long refusals() {
        try {
            return Files.readAllLines(agent.log()).stream()
                    .filter(
                            line ->
                                    line.contains(
                                            "Cannot check whether the Jobs of pins have ended"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Tag("slice")
    void aPinEndsWithItsJobAndOtherPinsStay() {
        pin("of-running", jobs.start("running"));
        pin("of-failed", jobs.start("failed"));
        pin("of-deleted", jobs.start("deleted"));
        region.pin(new Pin(VERSION, "of-nobody", "me", "", Duration.ofDays(1)));

        jobs.fail("failed");
        jobs.delete("deleted");
        pin("of-succeeded", jobs.finish("succeeded"));
        pin("of-cleared", jobs.finishAndClear("cleared"));

        Await.until("ended", () -> !isPinned("of-failed") && !isPinned("of-deleted"));
        Await.until("ended", () -> !isPinned("of-succeeded") && !isPinned("of-cleared"));
        assertThat(isPinned("of-running")).isTrue();
        assertThat(isPinned("of-nobody")).isTrue();
    }

    /**
     * A pin that the gate takes is renewed by the agent only. The test waits for leases to expire.
     */
    @Test
    void theAgentRenewsOnlyThePinsOfTheGateWhileTheirJobRuns() {
        String job = jobs.start("running");
        String taken = "job-" + job;
        region.pin(new Pin(VERSION, taken, "Job default/running", "training", LEASE, job));

        for (String others : List.of("first", "second")) {
            region.pin(new Pin(VERSION, others, "me", "training", LEASE, job));
            Await.until("a lease has passed", () -> !isPinned(others));
            assertThat(isPinned(taken)).isTrue();
        }

        jobs.delete("running");
        Await.until("ended", () -> !isPinned(taken));
    }

    @Test
    void aRestartedAgentEndsThePinOfAJobDeletedMeanwhile() {
        pin("of-running", jobs.start("running"));
        pin("of-deleted", jobs.start("deleted"));
        agent.kill9();
        jobs.delete("deleted");
        Await.until("gone", () -> !jobs.isThere("deleted"));
        assertThat(isPinned("of-deleted")).isTrue();

        agent.restart();

        Await.until("ended", () -> !isPinned("of-deleted"));
        assertThat(isPinned("of-running")).isTrue();
    }

    @Test
    void theAgentEndsNoPinWhileTheApiServerIsDownAndThenWatchesAgain() {
        pin("of-running", jobs.start("running"));
        pin("of-deleted", jobs.start("deleted"));
        long before = refusals();
        cluster.apiServer().kill9();
        try {
            Await.until("requests to the API server fail", () -> refusals() > before + 1);
            assertThat(isPinned("of-running")).isTrue();
            assertThat(isPinned("of-deleted")).isTrue();
        } finally {
            cluster.apiServer().restart();
        }

        jobs.delete("deleted");
        Await.until("ended", () -> !isPinned("of-deleted"));
        assertThat(isPinned("of-running")).isTrue();
    }

    /** Uses more Jobs than one answer of the API server contains. */
    @Test
    void manyPinsEndExactlyWithTheirJobsAlthoughAgentAndApiServerAreKilled() {
        Set<String> running = new TreeSet<>();
        List<String> deleted = new ArrayList<>();
        for (int i = 0; i < MANY; i += 4) {
            if (i == MANY / 4) {
                agent.kill9();
            }
            if (i == MANY / 2) {
                cluster.apiServer().kill9();
                cluster.apiServer().restart();
                agent.restart();
            }
            running.add(pinned("running-" + i, jobs::start));
            deleted.add(pinned("deleted-" + i, jobs::start));
            pinned("succeeded-" + i, jobs::finish);
            pinned("cleared-" + i, jobs::finishAndClear);
        }
        deleted.forEach(jobs::delete);

        Await.until("only the pins of running Jobs are left", LONG, () -> pins().equals(running));
        assertThat(running).allMatch(JobPinsKubeIT::isPinned);

        jobs.deleteAll();
        Await.until("none left", LONG, () -> pins().isEmpty());
    }

    private static String pinned(String name, UnaryOperator<String> job) {
        pin(name, job.apply(name));
        return name;
    }

    private static Set<String> pins() {
        return region.view().pins().stream().map(Pin::id).collect(toCollection(TreeSet::new));
    }

    /** A Job that is started again with the same run id has the same pin. */
    @Test
    void aPinStaysIfTheNextJobHasTakenIt() {
        pin("run", jobs.start("first"));
        jobs.delete("first");
        pin("run", jobs.start("second"));

        pin("of-deleted", jobs.start("deleted"));
        jobs.delete("deleted");
        Await.until("the agent has checked again", () -> !isPinned("of-deleted"));
        assertThat(isPinned("run")).isTrue();
    }
}
