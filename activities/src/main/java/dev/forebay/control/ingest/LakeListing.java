package dev.forebay.control.ingest;

import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.lake.Lake;
import dev.forebay.lake.LakeObject;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.service.Workspace;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;

/**
 * Lists the objects below a source for the plan of a version that is not frozen yet. Reads no
 * object and stores nothing. Thread-safe.
 */
@Singleton
public class LakeListing {

    private final Lake lake;
    private final ListedKeys listedKeys;
    private final Workspace workspace;
    private final LakeCommands commands;
    private final int most;
    private final Optional<List<String>> archiveClasses;
    private final Semaphore places;

    LakeListing(
            Lake lake,
            ListedKeys listedKeys,
            Workspace workspace,
            LakeCommands commands,
            ControlPlaneConfig config) {
        this.lake = lake;
        this.listedKeys = listedKeys;
        this.workspace = workspace;
        this.commands = commands;
        this.most = config.plan().objects();
        this.archiveClasses = config.ingest().archiveClasses();
        this.places = new Semaphore(config.plan().listings());
    }

    /**
     * The size that a version would have if it were frozen now.
     *
     * @param bytes the sum of the objects' sizes
     * @param reads the number of requests that read it from the lake
     * @param spaceBytes the capacity that its chunks take
     * @param whole whether the listing covers the whole source; if not, there is more
     */
    public record Size(long objects, long bytes, long reads, long spaceBytes, boolean whole) {}

    /**
     * Lists a source.
     *
     * @throws ForebayException one of {@code LAKE_*}, such as {@code LAKE_DENIED} if objects are
     *     archived; {@code UNAVAILABLE} if too many listings are running
     */
    public Size of(LakeSource source) {
        if (!places.tryAcquire()) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "forebay.plan.listings other plans are listing the lake: try again");
        }
        Count count = new Count();
        boolean whole = true;
        try {
            list(source, count);
        } catch (Enough enough) {
            whole = false;
        } finally {
            places.release();
        }
        count.archived.requireNone(source);
        if (whole && count.objects == 0) {
            throw new ForebayException(
                    ErrorCode.LAKE_EMPTY,
                    "the dataset has no objects below %s: compare with '%s'"
                            .formatted(source.describe(), commands.list(source)));
        }
        return count.size(whole);
    }

    private void list(LakeSource source, Count count) {
        if (source.keysAddress() == null) {
            Predicate<String> chosen = source.chosen();
            lake.list(
                    source.bucket(),
                    source.chosenPrefix(),
                    object -> count.add(object, chosen.test(object.key())),
                    objects -> {});
            return;
        }
        try (Workspace.Temporary folder = workspace.temporary("plan-")) {
            listedKeys.forEach(
                    source, folder.path(), object -> count.add(object, true), objects -> {});
        }
    }

    /** Counts objects as if they lay one after the other in packs. */
    private final class Count {
        private final ArchivedObjects archived = new ArchivedObjects(archiveClasses);
        private long listed;
        private long objects;
        private long bytes;
        private long reads;
        private long end;

        /**
         * Objects that the filters exclude count for the bound, too, because their listing costs as
         * much.
         */
        void add(LakeObject object, boolean chosen) {
            if (listed == most) {
                throw new Enough();
            }
            listed++;
            if (!chosen || object.key().endsWith("/")) {
                return; // includes folder markers, as consoles create them
            }
            objects++;
            archived.add(object);
            if (object.size() == 0) {
                return;
            }
            bytes += object.size();
            reads +=
                    (end + object.size() - 1) / ChunkId.CHUNK_BYTES - end / ChunkId.CHUNK_BYTES + 1;
            end += Math.ceilDiv(object.size(), ChunkId.ALIGNMENT_BYTES) * ChunkId.ALIGNMENT_BYTES;
        }

        Size size(boolean whole) {
            return new Size(objects, bytes, reads, end, whole);
        }
    }

    /** Ends a listing from its callback. */
    private static final class Enough extends RuntimeException {
        private static final long serialVersionUID = 1;

        Enough() {
            super(null, null, false, false);
        }
    }
}
