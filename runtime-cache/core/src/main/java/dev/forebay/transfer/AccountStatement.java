package dev.forebay.transfer;

/**
 * What one copy of a version has cost on one worker so far. All figures are sums since the account
 * was opened: to note the same statement twice changes nothing.
 *
 * @param id of the account, in all the world
 * @param version {@code namespace/name@version}
 * @param closed whether the version has left the worker, and the account waits to be settled
 * @param revision grows with every change
 * @param ageMillis since when the account is open
 * @param lakeRequests requests to the lake, failed ones and repetitions included
 * @param lakeBytes bytes that came from the lake; of a request that was under way when the worker
 *     was killed all that it asked for
 * @param peerRequests requests to other workers that gave something
 * @param peerBytes bytes that came from other workers of the region
 * @param siblingRequests requests to other regions that gave something
 * @param siblingBytes bytes that came from other regions of a cloud
 * @param onPremisesRequests requests to on-premises sites that gave something
 * @param onPremisesBytes bytes that came from on-premises sites
 * @param servedRequests ranges that were sent to readers, which workers, here and elsewhere, are
 *     not
 * @param servedBytes bytes of these
 * @param heldByteSeconds bytes on the worker's disks times the seconds they were there; what
 *     versions share is divided among them
 */
public record AccountStatement(
        String id,
        String version,
        boolean closed,
        long revision,
        long ageMillis,
        long lakeRequests,
        long lakeBytes,
        long peerRequests,
        long peerBytes,
        long siblingRequests,
        long siblingBytes,
        long onPremisesRequests,
        long onPremisesBytes,
        long servedRequests,
        long servedBytes,
        double heldByteSeconds) {}
