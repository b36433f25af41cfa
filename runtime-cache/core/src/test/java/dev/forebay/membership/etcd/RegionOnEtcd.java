package dev.forebay.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.membership.Mount;
import dev.forebay.membership.Pin;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Gives each test a region of its own on a real etcd. */
abstract class RegionOnEtcd {

    static final DatasetVersion VERSION = DatasetVersion.of("vision", "digits", "v1");
    static final ManifestRef MANIFEST = manifest('a');
    static final AtomicInteger REGIONS = new AtomicInteger();

    @TempDir static Path directory;
    static EtcdServer etcd;

    final RegionName region = new RegionName("r" + REGIONS.incrementAndGet());
    final List<AutoCloseable> opened = new ArrayList<>();
    EtcdRegionState state;

    @BeforeAll
    static void startEtcd() {
        etcd = EtcdServer.start(directory);
    }

    @AfterAll
    static void stopEtcd() {
        etcd.close();
    }

    @BeforeEach
    void connect() {
        state = connected();
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }

    EtcdRegionState connected() {
        EtcdRegionState opening = EtcdRegionState.connect(config(), region);
        opened.add(opening);
        return opening;
    }

    static EtcdConfig config() {
        return new EtcdConfig(
                List.of(etcd.endpoint()),
                Duration.ofSeconds(5),
                Duration.ofSeconds(3),
                Duration.ofMillis(500),
                Duration.ofMillis(500));
    }

    static ManifestRef manifest(char digit) {
        Digest digest = new Digest(String.valueOf(digit).repeat(64));
        return new ManifestRef("s3://m/manifests/" + digest + ".sqlite", digest, 3, 30, 1);
    }

    static Pin pin(String id, int seconds) {
        return new Pin(VERSION, id, "alice", "training", Duration.ofSeconds(seconds));
    }

    static void eventually(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            LockSupport.parkNanos(20_000_000);
        }
    }

    static void refuses(ErrorCode code, ThrowingCallable call) {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(call)
                .matches(e -> e.code() == code, code.name());
    }

    void mountsBecome(Mount... mounts) {
        eventually("mounts", () -> state.view().mounts().equals(List.of(mounts)));
    }
}
