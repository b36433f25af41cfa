package dev.forebay.worker.accounts;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.Sibling;
import dev.forebay.transfer.AccountStatement;
import java.util.UUID;

/**
 * What one copy of a version has cost on this worker, from its first fill until it leaves the mount
 * table. Guarded by {@link VersionAccounts}.
 */
final class Account {

    private static final double MILLIS = 1_000;

    final int slot;
    final UUID id;
    final DatasetVersion version;
    final Digest manifest;
    final long openedMillis;

    /** Grows with every change, so that who has noted a figure knows an older one. */
    long revision;

    boolean closed;

    /** Forgotten here, because somebody else keeps it. */
    boolean settled;

    /** Bytes from the lake that were stored. */
    long kept;

    /** Requests to the lake, whatever became of them. */
    long requests;

    /** Bytes that came from the lake, also those that were of no use. */
    long bytes;

    /** Bytes that requests ask for that have not ended. */
    long underWay;

    long peerRequests;
    long peerBytes;

    /** Bytes from other regions that were stored. */
    long siblingKept;

    long siblingRequests;
    long siblingBytes;
    long onPremisesRequests;
    long onPremisesBytes;
    long servedRequests;
    long servedBytes;

    /** Bytes of the disks times seconds, until {@link #heldSinceMillis}. */
    double heldByteSeconds;

    /** Bytes of the disks, since {@link #heldSinceMillis}. */
    long heldBytes;

    long heldSinceMillis;

    Account(int slot, UUID id, DatasetVersion version, Digest manifest, long openedMillis) {
        this.slot = slot;
        this.id = id;
        this.version = version;
        this.manifest = manifest;
        this.openedMillis = openedMillis;
        this.heldSinceMillis = openedMillis;
    }

    /** A request for so many bytes is sent to the lake. */
    void asking(long asked) {
        requests++;
        underWay += asked;
    }

    /** A request for {@code asked} bytes has ended; so many came. */
    void answered(long asked, long came) {
        underWay -= asked;
        bytes += came;
    }

    /** A request for so many bytes was not sent after all. */
    void notAsked(long asked) {
        underWay -= asked;
        requests--;
    }

    void took(long came) {
        kept += came;
    }

    void tookFromPeer(long came) {
        peerRequests++;
        peerBytes += came;
    }

    void tookFromSibling(Sibling sibling, long came, long stored) {
        siblingKept += stored;
        if (sibling.onPremises()) {
            onPremisesRequests++;
            onPremisesBytes += came;
        } else {
            siblingRequests++;
            siblingBytes += came;
        }
    }

    void served(long answered, long sent) {
        servedRequests += answered;
        servedBytes += sent;
    }

    /** A clock that was set back counts nothing. */
    void holds(long bytesNow, long nowMillis) {
        heldByteSeconds += heldBytes * (Math.max(0, nowMillis - heldSinceMillis) / MILLIS);
        heldBytes = bytesNow;
        heldSinceMillis = nowMillis;
    }

    void close(long nowMillis) {
        holds(0, nowMillis);
        closed = true;
    }

    /** A request that was under way when the process was killed counts in whole. */
    void takeUp() {
        if (underWay > 0) {
            bytes += underWay;
            underWay = 0;
            revision++;
        }
    }

    AccountStatement statement(long nowMillis) {
        return new AccountStatement(
                id.toString(),
                version.toString(),
                closed,
                revision,
                Math.max(0, nowMillis - openedMillis),
                requests,
                bytes,
                peerRequests,
                peerBytes,
                siblingRequests,
                siblingBytes,
                onPremisesRequests,
                onPremisesBytes,
                servedRequests,
                servedBytes,
                heldByteSeconds);
    }
}
