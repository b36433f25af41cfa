package dev.forebay.membership;

import dev.forebay.model.DatasetVersion;
import java.util.List;

/**
 * The entry of a node in its region, which lists the versions that the node holds completely. One
 * process of the node keeps it. The entry expires if no process has renewed it for its lifetime.
 * Safe for use by many threads.
 *
 * <p>Both methods throw {@link dev.forebay.model.ForebayException} with {@code UNAVAILABLE} if etcd
 * does not answer. The call may have taken effect then.
 */
public interface NodeEntry {

    /**
     * Returns the versions in the entry, independent of the process that wrote them. Returns none
     * if there is no entry, or it is not understood.
     */
    List<DatasetVersion> read();

    /**
     * Writes the versions that the node holds completely. Only renews the entry if it lists them
     * already.
     *
     * <p>The first call replaces the entry of another process, which served the node before. Later
     * calls leave the entry of another process alone until it expires: that process is the
     * successor then.
     *
     * @param versions at most {@link NodeReport#MOST}
     * @return whether the entry is this process's and lists these versions
     */
    boolean say(List<DatasetVersion> versions);
}
