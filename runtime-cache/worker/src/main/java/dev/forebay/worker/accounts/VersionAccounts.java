package dev.forebay.worker.accounts;

import dev.forebay.lake.ReadMeter;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Sibling;
import dev.forebay.transfer.AccountPage;
import dev.forebay.worker.fill.FillAccount;
import dev.forebay.worker.retention.MountedVersions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the region's copies of versions have cost on this worker: requests to the lake and bytes
 * from it, from other workers and other regions, what readers were sent, and how long what was on
 * disk.
 *
 * <p>A version's account begins with its first fill here and is closed when it is dropped or leaves
 * the mount table. Of several mounted versions with the same manifest one pays for a fill, so that
 * the sum over all is what the lake gave. A closed account stays until somebody says that he has
 * noted it. What the lake gives is on file before it is asked for; what readers are sent follows
 * with each {@link #tick}. Safe for use by many threads.
 */
public final class VersionAccounts implements FillAccount {

    private static final Logger LOG = LoggerFactory.getLogger(VersionAccounts.class);

    /** 32 MiB of file. */
    private static final int MOST_ACCOUNTS = 65_536;

    private final AccountFile file;
    private final MountedVersions versions;
    private final InstantSource clock;
    private final int most;
    private final Map<Digest, Served> served = new ConcurrentHashMap<>();

    // Guarded by this.
    private final SortedMap<Integer, Account> accounts;
    private final Map<DatasetVersion, Account> open = new HashMap<>();
    private final Map<Digest, DatasetVersion> payers = new HashMap<>();

    /** What readers were sent since the last tick. */
    private record Served(LongAdder requests, LongAdder bytes) {}

    VersionAccounts(
            AccountFile file,
            SortedMap<Integer, Account> accounts,
            MountedVersions versions,
            InstantSource clock,
            int most) {
        this.file = file;
        this.accounts = new TreeMap<>(accounts);
        this.versions = versions;
        this.clock = clock;
        this.most = most;
        for (Account account : accounts.values()) {
            account.takeUp();
            if (!account.closed) {
                open.put(account.version, account);
            }
        }
    }

    /**
     * Opens the accounts that are in a file, which is made if it is not there.
     *
     * @throws ForebayException {@code UNAVAILABLE} if it cannot be read
     */
    public static VersionAccounts open(Path path, MountedVersions versions) {
        return open(path, versions, InstantSource.system(), MOST_ACCOUNTS);
    }

    static VersionAccounts open(
            Path path, MountedVersions versions, InstantSource clock, int most) {
        try {
            AccountFile file = AccountFile.open(path);
            return new VersionAccounts(file, file.load(), versions, clock, most);
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, "cannot read accounts in " + path, e);
        }
    }

    /** Closes the accounts of versions that are not mounted any more. */
    public synchronized void update(RegionView view) {
        payers.clear();
        view.mounts().stream()
                .sorted(Comparator.comparing(VersionAccounts::order))
                .forEach(mount -> payers.putIfAbsent(mount.manifest().digest(), mount.version()));
        Set<DatasetVersion> mounted =
                view.mounts().stream().map(Mount::version).collect(Collectors.toSet());
        Set<DatasetVersion> gone = new HashSet<>(open.keySet());
        gone.removeAll(mounted);
        gone.forEach(this::close);
    }

    /** Who is being filled, then who is served, then who goes. */
    private static int order(Mount mount) {
        return switch (mount.state()) {
            case WARMING -> 0;
            case CACHED -> 1;
            case EVICTING -> 2;
        };
    }

    @Override
    public ReadMeter lakeReads(Digest manifest) {
        return new Requests(manifest);
    }

    /** The requests of one fill. */
    private final class Requests implements ReadMeter {

        private final Digest manifest;
        // Guarded by the accounts.
        private @Nullable Account account;

        Requests(Digest manifest) {
            this.manifest = manifest;
        }

        @Override
        public void asking(long bytes) {
            synchronized (VersionAccounts.this) {
                Account payer = account;
                if (payer == null || payer.settled) {
                    payer = payer(manifest).orElse(null);
                    account = payer;
                }
                note(
                        each -> {
                            each.requests++;
                            each.underWay += bytes;
                        });
            }
        }

        @Override
        public void answered(long bytes, long came) {
            note(
                    each -> {
                        each.underWay -= bytes;
                        each.bytes += came;
                    });
        }

        @Override
        public void notAsked(long bytes) {
            note(
                    each -> {
                        each.underWay -= bytes;
                        each.requests--;
                    });
        }

        private void note(Consumer<Account> change) {
            synchronized (VersionAccounts.this) {
                if (account != null) {
                    changed(account, change);
                }
            }
        }
    }

    @Override
    public synchronized void took(Digest manifest, long bytes) {
        payer(manifest).ifPresent(payer -> changed(payer, each -> each.kept += bytes));
    }

    @Override
    public synchronized void tookFromPeer(Digest manifest, long bytes) {
        payer(manifest)
                .ifPresent(
                        payer ->
                                changed(
                                        payer,
                                        each -> {
                                            each.peerRequests++;
                                            each.peerBytes += bytes;
                                        }));
    }

    @Override
    public synchronized void tookFromSibling(
            Digest manifest, Sibling sibling, long bytes, long kept) {
        payer(manifest)
                .ifPresent(
                        payer ->
                                changed(
                                        payer,
                                        each -> {
                                            each.siblingKept += kept;
                                            if (sibling.onPremises()) {
                                                each.onPremisesRequests++;
                                                each.onPremisesBytes += bytes;
                                            } else {
                                                each.siblingRequests++;
                                                each.siblingBytes += bytes;
                                            }
                                        }));
    }

    /** Bytes of a version with this manifest were sent to a reader, who is no worker. */
    public void served(Digest manifest, long bytes) {
        Served sum =
                served.computeIfAbsent(manifest, _ -> new Served(new LongAdder(), new LongAdder()));
        sum.requests().increment();
        sum.bytes().add(bytes);
    }

    /** Bytes that were read from the lake and stored, for each mounted version with a manifest. */
    public Map<DatasetVersion, Long> of(Digest manifest) {
        return kept(manifest, account -> account.kept);
    }

    /** Bytes of other regions that were stored, for each mounted version with a manifest. */
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
                                        Optional.ofNullable(open.get(version))
                                                .map(figure::applyAsLong)
                                                .orElse(0L)));
    }

    /**
     * Takes note of what readers were sent, and of what is on the disks.
     *
     * @param held bytes for each mounted version; the others hold nothing
     */
    public synchronized void tick(Map<Mount, Long> held) {
        noteServed();
        long now = clock.millis();
        Map<DatasetVersion, Long> bytes = new HashMap<>();
        held.forEach(
                (mount, each) -> {
                    bytes.put(mount.version(), each);
                    if (each > 0) {
                        account(mount.version(), mount.manifest().digest());
                    }
                });
        for (Account account : open.values()) {
            long holds = bytes.getOrDefault(account.version, 0L);
            if (holds > 0 || account.heldBytes > 0) {
                changed(account, each -> each.holds(holds, now));
            }
        }
    }

    /** Takes note of what readers were sent. */
    synchronized void noteServed() {
        served.forEach(this::noteServed);
        served.keySet().retainAll(payers.keySet());
    }

    private void noteServed(Digest manifest, Served sum) {
        long requests = sum.requests().sumThenReset();
        long bytes = sum.bytes().sumThenReset();
        if (requests > 0) {
            payer(manifest)
                    .ifPresent(
                            payer ->
                                    changed(
                                            payer,
                                            each -> {
                                                each.servedRequests += requests;
                                                each.servedBytes += bytes;
                                            }));
        }
    }

    /**
     * Up to {@code limit} accounts.
     *
     * @param after the next of the page before; -1 for the first
     */
    public synchronized AccountPage page(int after, int limit) {
        long now = clock.millis();
        List<Account> page = accounts.tailMap(after + 1).values().stream().limit(limit).toList();
        return new AccountPage(
                page.stream().map(account -> account.statement(now)).toList(),
                page.size() < limit ? null : page.getLast().slot);
    }

    /**
     * Forgets a closed account that somebody has noted; does nothing if it has changed since, or is
     * not there.
     */
    public synchronized void settle(UUID id, long revision) {
        accounts.values().stream()
                .filter(account -> account.id.equals(id))
                .filter(
                        account ->
                                account.closed
                                        && account.underWay == 0
                                        && account.revision == revision)
                .findFirst()
                .ifPresent(this::forget);
    }

    /** Closes a version's account; does nothing if it has none. */
    public synchronized void close(DatasetVersion version) {
        Account account = open.remove(version);
        if (account != null) {
            long now = clock.millis();
            changed(
                    account,
                    each -> {
                        each.holds(0, now);
                        each.closed = true;
                    });
        }
    }

    /**
     * Who pays for a version with this manifest: of those that were unmounted meanwhile the last.
     */
    private Optional<Account> payer(Digest manifest) {
        DatasetVersion version = payers.get(manifest);
        if (version == null) {
            version =
                    versions.view().mounts().stream()
                            .filter(mount -> mount.manifest().digest().equals(manifest))
                            .min(Comparator.comparing(VersionAccounts::order))
                            .map(Mount::version)
                            .orElse(null);
        }
        return version != null
                ? Optional.of(account(version, manifest))
                : accounts.values().stream()
                        .filter(account -> account.manifest.equals(manifest))
                        .max(Comparator.comparing(account -> account.openedMillis));
    }

    private Account account(DatasetVersion version, Digest manifest) {
        Account present = open.get(version);
        if (present != null) {
            return present;
        }
        Account opened =
                new Account(freeSlot(), UUID.randomUUID(), version, manifest, clock.millis());
        open.put(version, opened);
        accounts.put(opened.slot, opened);
        return opened;
    }

    private int freeSlot() {
        if (accounts.size() >= most) {
            Account oldest =
                    accounts.values().stream()
                            .min(
                                    Comparator.<Account, Boolean>comparing(each -> !each.closed)
                                            .thenComparing(each -> each.openedMillis))
                            .orElseThrow();
            LOG.warn(
                    "{} accounts wait for the control plane: that of {} is forgotten",
                    most,
                    oldest.version);
            open.remove(oldest.version, oldest);
            forget(oldest);
        }
        int slot = 0;
        for (int taken : accounts.keySet()) {
            if (taken != slot) {
                return slot;
            }
            slot++;
        }
        return slot;
    }

    private void forget(Account account) {
        account.settled = true;
        accounts.remove(account.slot);
        file.clear(account.slot);
    }

    private void changed(Account account, Consumer<Account> change) {
        change.accept(account);
        if (!account.settled) {
            account.revision++;
            file.write(account);
        }
    }
}
