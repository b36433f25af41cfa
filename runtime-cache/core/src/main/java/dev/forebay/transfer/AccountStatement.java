package dev.forebay.transfer;

/**
 * The cost of one copy of a version on one worker so far. All figures are sums since the account
 * was opened, so recording the same statement twice changes nothing.
 *
 * @param id globally unique id of the account
 * @param version {@code namespace/name@version}
 * @param closed whether the version has left the worker, and the account waits to be settled
 * @param revision grows with every change
 * @param ageMillis time since the account was opened
 * @param lakeRequests requests to the lake, with failures and retries
 * @param lakeBytes bytes from the lake; if the worker was killed during a request, all requested
 *     bytes count
 * @param peerRequests requests to other workers that returned bytes
 * @param peerBytes bytes from other workers of the region
 * @param siblingRequests requests to other regions that returned bytes
 * @param siblingBytes bytes from other regions of a cloud
 * @param onPremisesRequests requests to on-premises sites that returned bytes
 * @param onPremisesBytes bytes from on-premises sites
 * @param servedRequests ranges sent to readers; workers of any region do not count as readers
 * @param servedBytes bytes of these ranges
 * @param heldByteSeconds bytes on the worker's disks multiplied by the seconds that they were
 *     there; versions that share bytes divide them
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
