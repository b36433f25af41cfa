package dev.forebay.membership;

import dev.forebay.model.DatasetVersion;
import java.util.List;

/**
 * A node's entry among those of its region, as one process of the node keeps it: what the node
 * holds as a whole. It goes by itself when nobody has said it again for its life. Safe for use by
 * many threads.
 *
 * <p>Both calls throw {@link dev.forebay.model.ForebayException} with {@code UNAVAILABLE} if etcd
 * does not answer, and leave it open whether they took effect.
 */
public interface NodeEntry {

    /** What the entry says, whoever wrote it; nothing if there is none, or none is understood. */
    List<DatasetVersion> read();

    /**
     * Says what the node holds; if that is what the entry says, only has it live on.
     *
     * <p>The first time this takes the place of what another process said, who served the node
     * before. After that, what another process says is left alone until it goes: then that one is
     * the successor.
     *
     * @param versions at most {@link NodeReport#MOST}
     * @return whether the entry is this process's, and says this
     */
    boolean say(List<DatasetVersion> versions);
}
