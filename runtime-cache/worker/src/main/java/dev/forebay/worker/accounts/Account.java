package dev.forebay.worker.accounts;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.Sibling;
import dev.forebay.transfer.AccountStatement;
import java.util.UUID;

/**
 * The cost of one copy of a version on this worker, from its first fill until it leaves the mount
 * table. Guarded by {@link VersionAccounts}.
 */
final class Account {

    private static final double MILLIS = 1_000;

    final int slot;
    final UUID id;
    final DatasetVersion version;
    final Digest manifest;
    final long openedMillis;

    /** Grows with every change, so that a receiver can recognize an older statement. */
    long revision;

    boolean closed;

    /** Removed from the book: the control plane has recorded it, or the book was full. */
    boolean settled;

    /** Bytes from the lake that were stored. */
    long kept;

    /** Requests to the lake, successful or not. */
    long requests;

    /** Bytes received from the lake, including those that were not stored. */
    long bytes;

    /** Bytes requested by requests that have not ended. */
    long underWay;

    long peerRequests;
    long peerBytes;

    /** Bytes from sibling regions that were stored. */
    long siblingKept;

    long siblingRequests;
    long siblingBytes;
    long onPremisesRequests;
    long onPremisesBytes;
    long servedRequests;
    long servedBytes;

    /** Bytes on the disks multiplied by seconds, up to {@link #heldSinceMillis}. */
    double heldByteSeconds;

    /** Bytes on the disks since {@link #heldSinceMillis}. */
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

    /** Records that a request for this many bytes is sent to the lake. */
    void asking(long asked) {
        requests++;
        underWay += asked;
    }

    /** Records the end of a request for {@code asked} bytes, which received {@code came} bytes. */
    void answered(long asked, long came) {
        underWay -= asked;
        bytes += came;
    }

    /** Takes back a request that was not sent after all. */
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

    /** Adds the time since the last call. A clock that was set back adds nothing. */
    void holds(long bytesNow, long nowMillis) {
        heldByteSeconds += heldBytes * (Math.max(0, nowMillis - heldSinceMillis) / MILLIS);
        heldBytes = bytesNow;
        heldSinceMillis = nowMillis;
    }

    void close(long nowMillis) {
        holds(0, nowMillis);
        closed = true;
    }

    /** Counts a request that was running when the process was killed with all its bytes. */
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
