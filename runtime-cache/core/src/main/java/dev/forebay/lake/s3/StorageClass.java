package dev.forebay.lake.s3;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.model.RestoreStatus;

/** S3's names of storage classes. */
final class StorageClass {

    /** The class of all objects in a directory bucket. */
    static final String EXPRESS = "EXPRESS_ONEZONE";

    /** Has tiers of its own, which a listing does not show. */
    static final String TIERING = "INTELLIGENT_TIERING";

    private static final String USUAL = "STANDARD";
    private static final Set<String> ARCHIVES = Set.of("GLACIER", "DEEP_ARCHIVE");

    private StorageClass() {}

    /** Returns whether S3 has a restore status for objects of this class. */
    static boolean isArchive(@Nullable String name) {
        return name != null && ARCHIVES.contains(name);
    }

    /** Returns the storage class for a {@link dev.forebay.lake.LakeObject}. */
    static @Nullable String of(@Nullable String name, @Nullable RestoreStatus restored) {
        boolean usual = name == null || name.isEmpty() || name.equals(USUAL);
        return usual || isReadable(restored) ? null : name;
    }

    private static boolean isReadable(@Nullable RestoreStatus restored) {
        return restored != null
                && restored.restoreExpiryDate() != null
                && !Boolean.TRUE.equals(restored.isRestoreInProgress());
    }
}
