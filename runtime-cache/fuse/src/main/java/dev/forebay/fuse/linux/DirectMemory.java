package dev.forebay.fuse.linux;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Divides the JVM's memory outside the heap, so that one use cannot starve another.
 *
 * <ul>
 *   <li>1/2: pieces of packs
 *   <li>1/16: replies of the threads that serve the device
 *   <li>1/8: replies that wait for bytes, and 1/8 for those bytes on their way
 *   <li>1/16: read-ahead
 * </ul>
 *
 * <p>The rest is for everything else.
 */
public final class DirectMemory {

    private static final Logger LOG = LoggerFactory.getLogger(DirectMemory.class);

    private DirectMemory() {}

    /**
     * Returns the number of bytes that pieces of packs may take: the requested number, but at most
     * their share.
     */
    public static long forPieces(long wanted) {
        long share = limit() / 2;
        if (wanted > share) {
            // Usual: the default suits a larger heap than most pods have.
            LOG.info(
                    "--memory-cache is {} MiB, of which {} MiB are used: half of the memory outside"
                            + " the heap that the JVM gives (-XX:MaxDirectMemorySize)",
                    wanted >> 20,
                    share >> 20);
        }
        return Math.min(wanted, share);
    }

    /**
     * Returns the number of buffers that another use may have: as many as fit into its share, but
     * at least one.
     *
     * @param part the share is 1/{@code part} of the memory
     * @param bytes the size of a buffer
     * @param most the maximum number of useful buffers
     */
    public static int buffers(int part, long bytes, int most) {
        return Math.clamp(limit() / part / bytes, 1, most);
    }

    /** Returns the value of the option, or the maximum heap size if it is not set. */
    private static long limit() {
        long set =
                Long.parseLong(
                        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                                .getVMOption("MaxDirectMemorySize")
                                .getValue());
        return set == 0 ? Runtime.getRuntime().maxMemory() : set;
    }
}
