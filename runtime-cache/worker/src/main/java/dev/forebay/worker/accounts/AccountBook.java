package dev.forebay.worker.accounts;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accounts of all versions, at most one open for each. Each has a slot in a file, and each
 * change is written before the call returns. A full book forgets the oldest account, closed ones
 * before open ones. Guarded by {@link VersionAccounts}.
 */
final class AccountBook {

    private static final Logger LOG = LoggerFactory.getLogger(AccountBook.class);

    private final AccountFile file;
    private final InstantSource clock;
    private final int most;
    private final SortedMap<Integer, Account> bySlot;
    private final Map<DatasetVersion, Account> open = new HashMap<>();

    private AccountBook(
            AccountFile file, SortedMap<Integer, Account> bySlot, InstantSource clock, int most) {
        this.file = file;
        this.bySlot = bySlot;
        this.clock = clock;
        this.most = most;
        for (Account account : bySlot.values()) {
            account.takeUp();
            if (!account.closed) {
                open.put(account.version, account);
            }
        }
    }

    /**
     * Opens the accounts in a file, and creates the file if it is absent.
     *
     * @param most the number of accounts to keep
     * @throws ForebayException {@code UNAVAILABLE} if it cannot be read
     */
    static AccountBook open(Path path, InstantSource clock, int most) {
        try {
            AccountFile file = AccountFile.open(path);
            return new AccountBook(file, file.load(), clock, most);
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "cannot read accounts in %s (%s): check the disk, and its permissions"
                            .formatted(path, e),
                    e);
        }
    }

    /** Returns the versions that have an open account. */
    Set<DatasetVersion> openVersions() {
        return Collections.unmodifiableSet(open.keySet());
    }

    /** Returns the open accounts. */
    Collection<Account> openAccounts() {
        return Collections.unmodifiableCollection(open.values());
    }

    /** Returns a version's open account, if it has one. */
    Optional<Account> openAccount(DatasetVersion version) {
        return Optional.ofNullable(open.get(version));
    }

    /** Returns a version's open account, and opens one if it has none. */
    Account openOrBegin(DatasetVersion version, Digest manifest) {
        Account present = open.get(version);
        if (present != null) {
            return present;
        }
        Account begun =
                new Account(freeSlot(), UUID.randomUUID(), version, manifest, clock.millis());
        open.put(version, begun);
        bySlot.put(begun.slot, begun);
        return begun;
    }

    private int freeSlot() {
        if (bySlot.size() >= most) {
            forgetOldest();
        }
        int slot = 0;
        for (int taken : bySlot.keySet()) {
            if (taken != slot) {
                return slot;
            }
            slot++;
        }
        return slot;
    }

    private void forgetOldest() {
        Account oldest =
                bySlot.values().stream()
                        .min(
                                Comparator.<Account, Boolean>comparing(each -> !each.closed)
                                        .thenComparing(each -> each.openedMillis))
                        .orElseThrow();
        LOG.warn(
                "{} accounts wait for the control plane, which is the limit: dropping the "
                        + "account of {}. Check that the control plane runs",
                most,
                oldest.version);
        open.remove(oldest.version, oldest);
        forget(oldest);
    }

    /** Returns the newest account for a manifest, open or closed. */
    Optional<Account> latest(Digest manifest) {
        return bySlot.values().stream()
                .filter(account -> account.manifest.equals(manifest))
                .max(Comparator.comparing(account -> account.openedMillis));
    }

    /**
     * Changes an account. A settled account is not written, because its slot may belong to another
     * one.
     */
    void change(Account account, Consumer<Account> change) {
        change.accept(account);
        if (!account.settled) {
            account.revision++;
            file.write(account);
        }
    }

    /** Closes a version's account. Does nothing if it has none. */
    void close(DatasetVersion version) {
        Account account = open.remove(version);
        if (account != null) {
            long now = clock.millis();
            change(account, each -> each.close(now));
        }
    }

    /** Returns up to {@code limit} accounts, open or closed, in slots above {@code after}. */
    List<Account> page(int after, int limit) {
        return bySlot.tailMap(after + 1).values().stream().limit(limit).toList();
    }

    /**
     * Removes a closed account that the control plane has recorded. Does nothing if the account has
     * changed since or does not exist.
     */
    void settle(UUID id, long revision) {
        bySlot.values().stream()
                .filter(account -> account.id.equals(id))
                .filter(
                        account ->
                                account.closed
                                        && account.underWay == 0
                                        && account.revision == revision)
                .findFirst()
                .ifPresent(this::forget);
    }

    private void forget(Account account) {
        account.settled = true;
        bySlot.remove(account.slot);
        file.clear(account.slot);
    }
}
