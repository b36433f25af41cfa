package dev.forebay.worker.accounts;

import dev.forebay.lake.ReadMeter;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Sibling;
import dev.forebay.transfer.AccountPage;
import dev.forebay.worker.fill.FillAccount;
import dev.forebay.worker.retention.MountedVersions;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Records the cost of the region's copies of versions on this worker. This covers lake requests,
 * bytes from the lake, other workers and sibling regions, bytes sent to readers, and bytes on disk
 * over time.
 *
 * <p>The account of a version opens with its first fill here, and closes when the version is
 * dropped or leaves the mount table. If several mounted versions have the same manifest, only one
 * is charged for a fill. The sum over all versions therefore equals the bytes from the lake. A
 * closed account stays until the control plane confirms that it has recorded it. A lake request is
 * on file before it is sent. Bytes sent to readers follow with each {@link #tick}. Safe for use by
 * many threads.
 */
public final class VersionAccounts implements FillAccount {

    /** Limits the file to 32 MiB. */
    private static final int MOST_ACCOUNTS = 65_536;

    private final MountedVersions versions;
    private final InstantSource clock;
    private final ServedReads served = new ServedReads();

    // Guarded by this.
    private final AccountBook book;
    private final ChargedVersion payers;

    private VersionAccounts(AccountBook book, MountedVersions versions, InstantSource clock) {
        this.book = book;
        this.payers = new ChargedVersion(versions);
        this.versions = versions;
        this.clock = clock;
    }

    /**
     * Opens the accounts in a file, and creates the file if it is absent.
     *
     * @throws ForebayException {@code UNAVAILABLE} if it cannot be read
     */
    public static VersionAccounts open(Path path, MountedVersions versions) {
        return open(path, versions, InstantSource.system(), MOST_ACCOUNTS);
    }

    static VersionAccounts open(
            Path path, MountedVersions versions, InstantSource clock, int most) {
        return new VersionAccounts(AccountBook.open(path, clock, most), versions, clock);
    }

    /** Closes the accounts of versions that are not mounted any more. */
    public synchronized void update(RegionView view) {
        payers.update(view);
        Set<DatasetVersion> gone = new HashSet<>(book.openVersions());
        view.mounts().forEach(mount -> gone.remove(mount.version()));
        gone.forEach(book::close);
    }

    /** Closes a version's account. Does nothing if it has none. */
    public synchronized void close(DatasetVersion version) {
        book.close(version);
    }

    // Cost of fills.

    @Override
    public ReadMeter lakeReads(Digest manifest) {
        return new LakeReads(manifest);
    }

    /** Meters the requests of one fill. All go to one account, unless it is settled meanwhile. */
    private final class LakeReads implements ReadMeter {

        private final Digest manifest;
        // Guarded by the accounts.
        private @Nullable Account account;

        LakeReads(Digest manifest) {
            this.manifest = manifest;
        }

        @Override
        public void asking(long bytes) {
            synchronized (VersionAccounts.this) {
                if (account == null || account.settled) {
                    account = payer(manifest).orElse(null);
                }
                note(each -> each.asking(bytes));
            }
        }

        @Override
        public void answered(long bytes, long came) {
            note(each -> each.answered(bytes, came));
        }

        @Override
        public void notAsked(long bytes) {
            note(each -> each.notAsked(bytes));
        }

        private void note(Consumer<Account> change) {
            synchronized (VersionAccounts.this) {
                if (account != null) {
                    book.change(account, change);
                }
            }
        }
    }

    @Override
    public void took(Digest manifest, long bytes) {
        charge(manifest, payer -> payer.took(bytes));
    }

    @Override
    public void tookFromPeer(Digest manifest, long bytes) {
        charge(manifest, payer -> payer.tookFromPeer(bytes));
    }

    @Override
    public void tookFromSibling(Digest manifest, Sibling sibling, long bytes, long kept) {
        charge(manifest, payer -> payer.tookFromSibling(sibling, bytes, kept));
    }

    private synchronized void charge(Digest manifest, Consumer<Account> change) {
        payer(manifest).ifPresent(payer -> book.change(payer, change));
    }

    /**
     * Returns the account to charge for this manifest. If no version with it is mounted any more,
     * this is its newest account.
     */
    private Optional<Account> payer(Digest manifest) {
        return payers.of(manifest)
                .map(version -> book.openOrBegin(version, manifest))
                .or(() -> book.latest(manifest));
    }

    // Other costs.

    /** Records bytes of this manifest that were sent to a reader other than a worker. */
    public void served(Digest manifest, long bytes) {
        served.add(manifest, bytes);
    }

    /**
     * Records the bytes sent to readers and the bytes on disk. Opens no account for a version that
     * was unmounted, or whose eviction began, after {@code held} was measured: its account may be
     * closed already.
     *
     * @param held bytes for each mounted version; other versions hold nothing
     */
    public synchronized void tick(Map<Mount, Long> held) {
        noteServed();
        long now = clock.millis();
        Set<DatasetVersion> staying = staying();
        Map<DatasetVersion, Long> bytes = new HashMap<>();
        held.forEach(
                (mount, each) -> {
                    bytes.put(mount.version(), each);
                    if (each > 0 && staying.contains(mount.version())) {
                        book.openOrBegin(mount.version(), mount.manifest().digest());
                    }
                });
        for (Account account : book.openAccounts()) {
            long holds = bytes.getOrDefault(account.version, 0L);
            if (holds > 0 || account.heldBytes > 0) {
                book.change(account, each -> each.holds(holds, now));
            }
        }
    }

    private Set<DatasetVersion> staying() {
        return versions.view().mounts().stream()
                .filter(mount -> mount.state() != Mount.State.EVICTING)
                .map(Mount::version)
                .collect(Collectors.toSet());
    }

    /** Moves the bytes sent to readers into the accounts. */
    synchronized void noteServed() {
        served.take(
                payers.manifests(),
                (manifest, requests, bytes) ->
                        charge(manifest, payer -> payer.served(requests, bytes)));
    }

    // Reports.

    /** Returns the stored bytes from the lake for each mounted version with this manifest. */
    public Map<DatasetVersion, Long> of(Digest manifest) {
        return kept(manifest, account -> account.kept);
    }

    /**
     * Returns the stored bytes from sibling regions for each mounted version with this manifest.
     */
    public Map<DatasetVersion, Long> ofSiblings(Digest manifest) {
        return kept(manifest, account -> account.siblingKept);
    }

    private synchronized Map<DatasetVersion, Long> kept(
            Digest manifest, ToLongFunction<Account> figure) {
        return versions.view().mounts().stream()
                .filter(mount -> mount.manifest().digest().equals(manifest))
                .map(Mount::version)
                .collect(
                        Collectors.toMap(
                                version -> version,
                                version ->
                                        book.openAccount(version)
                                                .map(figure::applyAsLong)
                                                .orElse(0L)));
    }

    /**
     * Returns up to {@code limit} accounts.
     *
     * @param after {@code next} of the previous page; -1 for the first page
     */
    public synchronized AccountPage page(int after, int limit) {
        long now = clock.millis();
        List<Account> page = book.page(after, limit);
        return new AccountPage(
                page.stream().map(account -> account.statement(now)).toList(),
                page.size() < limit ? null : page.getLast().slot);
    }

    /**
     * Removes a closed account that the control plane has recorded. Does nothing if the account has
     * changed since or does not exist.
     */
    public synchronized void settle(UUID id, long revision) {
        book.settle(id, revision);
    }
}
