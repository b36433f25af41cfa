package dev.forebay.lake.s3;

import static dev.forebay.lake.s3.ListedStore.ATTRIBUTES;
import static dev.forebay.lake.s3.ListedStore.object;
import static dev.forebay.lake.s3.ListedStore.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.lake.LakeObject;
import dev.forebay.lake.walk.PrefixWalk;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** "Archived objects", as a listing shows them. */
class ArchivedListingTest {

    private static final String RESTORED =
            "<RestoreStatus><IsRestoreInProgress>false</IsRestoreInProgress><RestoreExpiryDate>2036-11-29T00:00:00Z</RestoreExpiryDate></RestoreStatus>";
    private static final String UNDER_WAY =
            "<RestoreStatus><IsRestoreInProgress>true</IsRestoreInProgress></RestoreStatus>";

    private static ListedStore store;
    private static S3Lake lake;

    @BeforeAll
    static void start() throws IOException {
        store = new ListedStore(false);
        lake = store.open();
    }

    @AfterAll
    static void stop() {
        lake.close();
        store.close();
    }

    @BeforeEach
    void forget() {
        store.reset();
    }

    private static String archived(String key, String storageClass, String more) {
        return object(
                key,
                "<Size>1</Size><ETag>\"e\"</ETag><StorageClass>%s</StorageClass>%s"
                        .formatted(storageClass, more));
    }

    private static String written(String key, Instant when) {
        return archived(
                key, "INTELLIGENT_TIERING", "<LastModified>%s</LastModified>".formatted(when));
    }

    private List<String> classes() {
        List<String> classes = new ArrayList<>();
        for (LakeObject object : ListedStore.first(lake).objects()) {
            classes.add(object.key() + " " + object.storageClass());
        }
        return classes;
    }

    @ParameterizedTest
    @CsvSource({
        "'', null",
        "STANDARD, null",
        "STANDARD_IA, STANDARD_IA",
        "GLACIER_IR, GLACIER_IR",
        "GLACIER, GLACIER",
        "DEEP_ARCHIVE, DEEP_ARCHIVE"
    })
    void anObjectHasTheListedStorageClass(String listed, String known) {
        store.lists(_ -> archived("p/a", listed, ""));
        assertThat(classes()).containsExactly("p/a " + known);
    }

    @Test
    void aRestoredObjectCountsAsReadable() {
        store.lists(
                query -> {
                    boolean asked = query.containsKey(ATTRIBUTES);
                    return archived("p/a", "GLACIER", asked ? RESTORED : "")
                            + archived("p/b", "GLACIER", asked ? UNDER_WAY : "")
                            + archived("p/c", "DEEP_ARCHIVE", "");
                });
        assertThat(classes()).containsExactly("p/a null", "p/b GLACIER", "p/c DEEP_ARCHIVE");
    }

    @Test
    void aRestoredObjectCountsAsReadableInAVersionedBucket() throws IOException {
        try (ListedStore versions = new ListedStore(true);
                S3Lake versioned = versions.open()) {
            versions.lists(
                    query ->
                            version("p/a", "1", true)
                                            .replace(
                                                    "</Version>",
                                                    "<StorageClass>GLACIER</StorageClass>%s</Version>"
                                                            .formatted(
                                                                    query.containsKey(ATTRIBUTES)
                                                                            ? RESTORED
                                                                            : ""))
                                    + version("p/b", "1", true)
                                            .replace(
                                                    "</Version>",
                                                    "<StorageClass>GLACIER</StorageClass></Version>"));
            assertThat(ListedStore.first(versioned).objects())
                    .extracting(LakeObject::storageClass)
                    .containsExactly(null, "GLACIER");
        }
    }

    /** Some stores refuse requests with unknown parameters. */
    @Test
    void listingRequestsRestoreStatusOnlyIfAnObjectIsArchived() {
        store.lists(_ -> archived("p/a", "STANDARD_IA", ""));
        assertThat(classes()).hasSize(1);
        assertThat(store.asked())
                .singleElement()
                .satisfies(q -> assertThat(q).doesNotContainKey(ATTRIBUTES));
    }

    @Test
    void listingWorksIfTheStoreRefusesRestoreStatus() {
        store.lists(_ -> archived("p/a", "GLACIER", ""));
        store.knowsNoRestores();
        assertThat(classes()).containsExactly("p/a GLACIER");
    }

    @Test
    void listingChecksTheArchiveTierOfTheOldestTieredObject() {
        Instant now = Instant.now();
        store.lists(
                _ ->
                        written("p/a", now.minus(Duration.ofDays(100)))
                                + written("p/b", now.minus(Duration.ofDays(200)))
                                + written("p/c", now.minus(Duration.ofDays(1))));
        store.archives("DEEP_ARCHIVE_ACCESS");
        assertThat(classes())
                .containsExactly(
                        "p/a INTELLIGENT_TIERING",
                        "p/b DEEP_ARCHIVE_ACCESS",
                        "p/c INTELLIGENT_TIERING");
        assertThat(store.heads()).containsExactly("/bucket/p/b");
    }

    @Test
    void listingDoesNotCheckObjectsTooYoungForAnArchiveTier() {
        store.lists(_ -> written("p/a", Instant.now().minus(Duration.ofDays(80))));
        assertThat(classes()).containsExactly("p/a INTELLIGENT_TIERING");
        assertThat(store.heads()).isEmpty();
    }

    @Test
    void anObjectDeletedSinceTheListingCausesNoFailure() {
        store.lists(_ -> written("p/a", Instant.EPOCH));
        store.losesObjects();
        assertThat(classes()).containsExactly("p/a INTELLIGENT_TIERING");
    }

    @Test
    void listingRefusesADirectoryBucketByItsStorageClass() {
        store.lists(_ -> archived("p/a", "EXPRESS_ONEZONE", ""));
        assertThatThrownBy(this::classes)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_UNSUPPORTED))
                .hasMessageContaining("s3://bucket/p/")
                .hasMessageContaining("S3 Express");
    }

    @Test
    void aWalkKeepsTheStorageClassOfListedObjects(@TempDir Path folder) {
        store.lists(
                _ ->
                        "<IsTruncated>false</IsTruncated>"
                                + archived("p/a", "GLACIER", "")
                                + archived("p/b", "STANDARD", ""));
        new PrefixWalk(lake.listing("bucket", "p/"), "p/", _ -> true, folder, "walk")
                .list(2, _ -> {});
        List<@Nullable String> kept = new ArrayList<>();
        new PrefixWalk(lake.listing("bucket", "p/"), "p/", _ -> true, folder, "walk")
                .forEach(object -> kept.add(object.storageClass()));
        assertThat(kept).containsExactly("GLACIER", null);
    }
}
