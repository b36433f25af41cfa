package dev.forebay.worker.accounts;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.thread.PeriodicTask;
import dev.forebay.worker.retention.MountedVersions;
import java.time.Duration;

/** Adds up at regular intervals what the disks hold for each version. */
public final class DiskUseAccounting implements AutoCloseable {

    private final VersionAccounts accounts;
    private final MountedVersions versions;
    private final HeldBytes held;
    private final PeriodicTask task;

    private DiskUseAccounting(
            VersionAccounts accounts,
            ChunkStore store,
            MountedVersions versions,
            Duration interval) {
        this.accounts = accounts;
        this.versions = versions;
        this.held = new HeldBytes(store, versions);
        this.task =
                new PeriodicTask(
                        Thread.ofVirtual().name("accounts"),
                        interval,
                        "Cannot calculate the space of each version",
                        this::tick);
    }

    /** Measures now and then once per interval, until closed. */
    public static DiskUseAccounting start(
            VersionAccounts accounts,
            ChunkStore store,
            MountedVersions versions,
            Duration interval) {
        DiskUseAccounting ticks = new DiskUseAccounting(accounts, store, versions, interval);
        ticks.task.start();
        return ticks;
    }

    private void tick() {
        if (versions.ready()) {
            accounts.tick(held.now());
        }
    }

    @Override
    public void close() {
        task.close();
        // Held bytes are not measured again: they stay on disk and keep counting, and a measurement
        // might have to fetch a manifest.
        if (versions.ready()) {
            accounts.noteServed();
        }
    }
}
