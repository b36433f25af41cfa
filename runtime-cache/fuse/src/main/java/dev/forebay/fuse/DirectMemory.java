package dev.forebay.fuse;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shares out the memory outside the heap that the JVM gives. */
final class DirectMemory {

    private static final Logger LOG = LoggerFactory.getLogger(DirectMemory.class);

    private DirectMemory() {}

    /**
     * How many bytes pieces of packs may take: what was asked for, but at most half of what there
     * is. The other half is for answers and for what is on its way; without it readers would wait
     * for one another's.
     */
    static long forPieces(long wanted) {
        long share = limit() / 2;
        if (wanted > share) {
            LOG.warn(
                    "--memory-cache is {} MiB, of which {} MiB are used: half of the memory outside"
                            + " the heap that the JVM gives (-XX:MaxDirectMemorySize)",
                    wanted >> 20,
                    share >> 20);
        }
        return Math.min(wanted, share);
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
