package dev.forebay.worker.accounts;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.thread.Closing;
import dev.forebay.worker.retention.MountedVersions;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Adds up at regular intervals what the disks hold for each version. */
public final class AccountTicks implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AccountTicks.class);

    private final VersionAccounts accounts;
    private final MountedVersions versions;
    private final HeldBytes held;
    private final Duration interval;
    private final Closing closing = new Closing();

    private AccountTicks(
            VersionAccounts accounts,
            ChunkStore store,
            MountedVersions versions,
            Duration interval) {
        this.accounts = accounts;
        this.versions = versions;
        this.held = new HeldBytes(store, versions);
        this.interval = interval;
    }

    /** Measures now and then once per interval, until closed. */
    public static AccountTicks start(
            VersionAccounts accounts,
            ChunkStore store,
            MountedVersions versions,
            Duration interval) {
        AccountTicks ticks = new AccountTicks(accounts, store, versions, interval);
        Thread.ofVirtual().name("accounts").start(ticks::run);
        return ticks;
    }

    private void run() {
        do {
            tick();
        } while (!closing.within(interval));
    }

    private void tick() {
        if (!versions.ready()) {
            return;
        }
        try {
            accounts.tick(held.now());
        } catch (RuntimeException | Error e) {
            LOG.warn("Cannot see what the disks hold for whom; trying again", e);
        }
    }

    @Override
    public void close() {
        closing.begin();
        // Held bytes are not measured again: they stay on disk and keep counting, and a measurement
        // might have to fetch a manifest.
        if (versions.ready()) {
            accounts.noteServed();
        }
    }
}
