package dev.forebay.worker.accounts;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores accounts in slots of 512 bytes. Numbers are big-endian. The last four bytes of a slot are
 * the CRC-32C of the others.
 *
 * <p>A slot never crosses a page and is written by one call: a killed process leaves either the old
 * figures or the new ones. Writes are not flushed to the device: a power failure loses about the
 * last half minute. Not thread-safe.
 */
final class AccountFile {

    private static final Logger LOG = LoggerFactory.getLogger(AccountFile.class);

    static final int SLOT_BYTES = 512;

    private static final int CHECKED_BYTES = SLOT_BYTES - Integer.BYTES;
    private static final byte OPEN = 1;
    private static final byte CLOSED = 2;
    private static final int MANIFEST_CHARACTERS = 64;

    private final Path path;
    private final FileChannel file;
    private boolean complained;

    private AccountFile(Path path, FileChannel file) {
        this.path = path;
        this.file = file;
    }

    static AccountFile open(Path path) throws IOException {
        return new AccountFile(
                path,
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE));
    }

    /** Returns the valid accounts by slot. Invalid slots are reused. */
    SortedMap<Integer, Account> load() throws IOException {
        SortedMap<Integer, Account> found = new TreeMap<>();
        ByteBuffer slot = ByteBuffer.allocate(SLOT_BYTES);
        long slots = file.size() / SLOT_BYTES;
        for (int index = 0; index < slots; index++) {
            file.read(slot.clear(), (long) index * SLOT_BYTES);
            decode(index, slot.flip()).ifPresent(account -> found.put(account.slot, account));
        }
        return found;
    }

    void write(Account account) {
        put(account.slot, encode(account));
    }

    void clear(int slot) {
        put(slot, ByteBuffer.allocate(SLOT_BYTES));
    }

    private void put(int slot, ByteBuffer bytes) {
        try {
            file.write(bytes, (long) slot * SLOT_BYTES);
        } catch (IOException e) {
            if (!complained) {
                LOG.warn("Cannot write {}; this worker loses its accounts when it exits", path, e);
                complained = true;
            }
        }
    }

    private static ByteBuffer encode(Account account) {
        ByteBuffer slot = ByteBuffer.allocate(SLOT_BYTES);
        slot.put(account.closed ? CLOSED : OPEN)
                .putLong(account.id.getMostSignificantBits())
                .putLong(account.id.getLeastSignificantBits())
                .put(account.manifest.hex().getBytes(StandardCharsets.US_ASCII))
                .putLong(account.openedMillis)
                .putLong(account.revision)
                .putLong(account.kept)
                .putLong(account.requests)
                .putLong(account.bytes)
                .putLong(account.underWay)
                .putLong(account.peerRequests)
                .putLong(account.peerBytes)
                .putLong(account.servedRequests)
                .putLong(account.servedBytes)
                .putLong(account.siblingKept)
                .putLong(account.siblingRequests)
                .putLong(account.siblingBytes)
                .putLong(account.onPremisesRequests)
                .putLong(account.onPremisesBytes)
                .putDouble(account.heldByteSeconds)
                .putLong(account.heldBytes)
                .putLong(account.heldSinceMillis);
        byte[] name = account.version.toString().getBytes(StandardCharsets.UTF_8);
        slot.putShort((short) name.length).put(name);
        slot.putInt(CHECKED_BYTES, checksum(slot));
        return slot.clear();
    }

    private static Optional<Account> decode(int index, ByteBuffer slot) {
        if (slot.remaining() < SLOT_BYTES || slot.get(0) == 0) {
            return Optional.empty();
        }
        if (slot.getInt(CHECKED_BYTES) != checksum(slot)) {
            LOG.warn("Dropping slot {} of the accounts, which is damaged", index);
            return Optional.empty();
        }
        boolean closed = slot.get() == CLOSED;
        UUID id = new UUID(slot.getLong(), slot.getLong());
        byte[] manifest = new byte[MANIFEST_CHARACTERS];
        slot.get(manifest);
        long opened = slot.getLong();
        long revision = slot.getLong();
        long[] figures = new long[13];
        for (int i = 0; i < figures.length; i++) {
            figures[i] = slot.getLong();
        }
        double heldByteSeconds = slot.getDouble();
        long heldBytes = slot.getLong();
        long heldSince = slot.getLong();
        byte[] name = new byte[slot.getShort()];
        slot.get(name);
        try {
            Account account =
                    new Account(
                            index,
                            id,
                            DatasetVersion.parse(new String(name, StandardCharsets.UTF_8)),
                            new Digest(new String(manifest, StandardCharsets.US_ASCII)),
                            opened);
            account.closed = closed;
            account.revision = revision;
            account.kept = figures[0];
            account.requests = figures[1];
            account.bytes = figures[2];
            account.underWay = figures[3];
            account.peerRequests = figures[4];
            account.peerBytes = figures[5];
            account.servedRequests = figures[6];
            account.servedBytes = figures[7];
            account.siblingKept = figures[8];
            account.siblingRequests = figures[9];
            account.siblingBytes = figures[10];
            account.onPremisesRequests = figures[11];
            account.onPremisesBytes = figures[12];
            account.heldByteSeconds = heldByteSeconds;
            account.heldBytes = heldBytes;
            account.heldSinceMillis = heldSince;
            return Optional.of(account);
        } catch (ForebayException ofAnotherRelease) {
            LOG.warn("Dropping slot {} of the accounts, which has an unknown format", index);
            return Optional.empty();
        }
    }

    private static int checksum(ByteBuffer slot) {
        CRC32C crc = new CRC32C();
        crc.update(slot.slice(0, CHECKED_BYTES));
        return (int) crc.getValue();
    }
}
