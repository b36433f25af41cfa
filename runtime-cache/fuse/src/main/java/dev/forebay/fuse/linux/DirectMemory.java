package dev.forebay.fuse.linux;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shares out the memory outside the heap that the JVM gives, so that what is kept by some is never
 * wanting to others: half of it is for pieces of packs, a sixteenth for answers of those who serve
 * the device, an eighth for answers that wait for bytes and as much for those bytes on their way, a
 * sixteenth for what is fetched ahead. The rest is for all else.
 */
public final class DirectMemory {

    private static final Logger LOG = LoggerFactory.getLogger(DirectMemory.class);

    private DirectMemory() {}

    /** How many bytes pieces of packs may take: what was asked for, but at most their share. */
    public static long forPieces(long wanted) {
        long share = limit() / 2;
        if (wanted > share) {
            // As is usual: the default is for a larger heap than most pods have.
            LOG.info(
                    "--memory-cache is {} MiB, of which {} MiB are used: half of the memory outside"
                            + " the heap that the JVM gives (-XX:MaxDirectMemorySize)",
                    wanted >> 20,
                    share >> 20);
        }
        return Math.min(wanted, share);
    }

    /**
     * How many buffers the others may have: as many as their share has room for, but one at least.
     *
     * @param part the share is one of so many parts of all
     * @param bytes of one
     * @param most more are of no use
     */
    public static int buffers(int part, long bytes, int most) {
        return Math.clamp(limit() / part / bytes, 1, most);
    }

    /** The option's value; where it is not set that of the greatest heap. */
    private static long limit() {
        long set =
                Long.parseLong(
                        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                                .getVMOption("MaxDirectMemorySize")
                                .getValue());
        return set == 0 ? Runtime.getRuntime().maxMemory() : set;
    }
}
