package dev.forebay.lake.s3;

import static dev.forebay.lake.s3.ListedStore.deleteMarker;
import static dev.forebay.lake.s3.ListedStore.object;
import static dev.forebay.lake.s3.ListedStore.page;
import static dev.forebay.lake.s3.ListedStore.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import dev.forebay.lake.walk.PrefixWalk;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * "How a listing is verified". Each of these stores breaks a promise of S3, so objects could be
 * missing in a version.
 */
class S3ListingTest {

    private static ListedStore store;
    private static ListedStore versions;
    private static S3Lake lake;
    private static S3Lake versionedLake;

    @BeforeAll
    static void start() throws IOException {
        store = new ListedStore(false);
        versions = new ListedStore(true);
        lake = store.open();
        versionedLake = versions.open();
    }

    @AfterAll
    static void stop() {
        lake.close();
        versionedLake.close();
        store.close();
        versions.close();
    }

    @BeforeEach
    void forget() {
        store.reset();
        versions.reset();
    }

    private static void assertUnsupported(ThrowingCallable call, String why) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_UNSUPPORTED))
                .hasMessageContaining(why);
    }

    private static List<String> keys(Listing.Page page) {
        return page.objects().stream().map(LakeObject::key).toList();
    }

    static Stream<Arguments> brokenPages() {
        return Stream.of(
                new Arguments("lists 'p/a' after 'p/b'", page(false, "p/b", "p/a")),
                new Arguments("lists 'p/a-b' after 'p/a/x'", page(false, "p/a/x", "p/a-b")),
                new Arguments("lists 'p/a' twice", page(false, "p/a", "p/a")),
                new Arguments("not below 'p/'", page(false, "o/a")),
                // Characters beyond U+FFFF come last in UTF-8, but not in UTF-16.
                new Arguments("after", page(false, "p/\ud83d\ude00", "p/\uff5e")),
                new Arguments("with the size null", one("<ETag>\"e\"</ETag>")),
                new Arguments("with the size -1", one("<Size>-1</Size><ETag>\"e\"</ETag>")),
                new Arguments(
                        "an invalid number or time", one("<Size>many</Size><ETag>\"e\"</ETag>")),
                new Arguments("an invalid number or time", one("<Size>9223372036854775808</Size>")),
                new Arguments(
                        "an invalid number or time",
                        one("<Size>1</Size><LastModified>yesterday</LastModified>")),
                new Arguments("neither an ETag nor a time", one("<Size>1</Size>")),
                new Arguments("neither an ETag nor a time", one("<Size>1</Size><ETag>\"\"</ETag>")),
                new Arguments(
                        "neither an ETag nor a time", one("<Size>1</Size><ETag>W/\"weak\"</ETag>")),
                new Arguments(
                        "reports 2 keys for a page, but sends 1",
                        "<KeyCount>2</KeyCount>" + page(false, "p/a")),
                new Arguments("without a continuation token", page(true)),
                new Arguments(
                        "without a continuation token",
                        "<NextContinuationToken>same</NextContinuationToken>" + page(true)));
    }

    record Arguments(String why, String page) {}

    private static String one(String rest) {
        return "<IsTruncated>false</IsTruncated>" + object("p/a", rest);
    }

    @ParameterizedTest
    @MethodSource("brokenPages")
    void anInvalidPageIsRefused(Arguments broken) {
        store.lists(_ -> broken.page);
        assertUnsupported(() -> ListedStore.first(lake), broken.why);
    }

    /** A proxy may have garbled the first answer. */
    @Test
    void anInvalidPageIsRequestedOnceMoreBeforeItIsRefused() {
        store.listsInTurn(page(false, "p/b", "p/a"), page(false, "p/a", "p/b"));
        assertThat(keys(ListedStore.first(lake))).containsExactly("p/a", "p/b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"p/a", "p/b"})
    void aPageThatDoesNotStartAfterTheKeyIsRefused(String first) {
        store.lists(_ -> page(false, first, "p/c"));
        Listing listing = lake.listing("bucket", "p/");
        assertUnsupported(() -> listing.page("p/b", 10), "lists '" + first + "'");
    }

    /** The key may be a line of a key list, which is the content of an object. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void errorMessagesDoNotContainTheRequestedKey(boolean versioned) {
        store.lists(_ -> page(false, "p/a"));
        versions.lists(_ -> version("p/a", "1", true));
        Listing listing = (versioned ? versionedLake : lake).listing("bucket", "p/");
        assertThatThrownBy(() -> listing.page("p/secret", 10))
                .isInstanceOf(ForebayException.class)
                .hasMessageContaining("p/a")
                .hasMessageNotContaining("secret");
    }

    @Test
    void listingContinuesAfterAnEmptyPageWithAToken() {
        store.lists(
                query ->
                        query.containsKey("continuation-token")
                                ? page(false, "p/a")
                                : "<NextContinuationToken>t</NextContinuationToken>" + page(true));
        assertThat(keys(ListedStore.first(lake))).containsExactly("p/a");
    }

    /** Some stores omit {@code IsTruncated}. */
    @Test
    void aFullPageIsNotTreatedAsTheLast() {
        store.lists(_ -> page(false, "p/a", "p/b").replaceFirst("<IsTruncated>.*?>", ""));
        Listing listing = lake.listing("bucket", "p/");
        assertThat(listing.page(null, 2).next()).isEqualTo("p/b");
    }

    /** Stores may have a limit of their own, and say nothing about it. Only an empty page ends. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shortPagesThatSayNothingAboutTheirEndAreContinued(boolean versioned) {
        List<String> all = IntStream.range(10, 15).mapToObj(i -> "p/" + i).toList();
        store.lists(
                query ->
                        "<Name>bucket</Name>"
                                + page(false, after(all, query.get("start-after"), 2))
                                        .replaceFirst("<IsTruncated>false</IsTruncated>", ""));
        versions.lists(
                query ->
                        Stream.of(after(all, query.get("key-marker"), 2))
                                        .map(key -> version(key, "1", true))
                                        .collect(Collectors.joining())
                                + "<Name>bucket</Name>");
        Listing listing = (versioned ? versionedLake : lake).listing("bucket", "p/");
        List<String> found = new ArrayList<>();
        Listing.Page page = listing.page(null, Listing.PAGE_OBJECTS);
        found.addAll(keys(page));
        while (page.next() != null) {
            page = listing.page(page.next(), Listing.PAGE_OBJECTS);
            found.addAll(keys(page));
        }
        assertThat(found).isEqualTo(all);
    }

    @Test
    void aPageThatFillsTheStoresOwnLimitIsNotTreatedAsTheLast() {
        store.lists(_ -> "<MaxKeys>2</MaxKeys>" + page(false, "p/a", "p/b"));
        assertThat(ListedStore.first(lake).next()).isEqualTo("p/b");
    }

    private static String[] after(List<String> keys, @Nullable String after, int most) {
        return keys.stream()
                .filter(key -> after == null || key.compareTo(after) > 0)
                .limit(most)
                .toArray(String[]::new);
    }

    /** The page contradicts itself. If the listing ended there, objects would be missing. */
    @Test
    void aPageWithATokenIsNotTreatedAsTheLast() {
        store.lists(_ -> "<NextContinuationToken>t</NextContinuationToken>" + page(false, "p/a"));
        versions.lists(
                _ ->
                        "<IsTruncated>false</IsTruncated><NextKeyMarker>p/a</NextKeyMarker>"
                                + version("p/a", "1", true));
        assertThat(ListedStore.first(lake).next()).isEqualTo("p/a");
        assertThat(ListedStore.first(versionedLake).next()).isEqualTo("p/a");
    }

    /** Otherwise the listing would end there, and later objects would be missing. */
    @ParameterizedTest
    @ValueSource(strings = {"", "<Code>InternalError</Code>", "<body>Maintenance</body>"})
    void anAnswerThatIsNoListingIsRetried(String page) {
        store.listsInTurn(page, page(false, "p/a"));
        versions.listsInTurn(page, version("p/a", "1", true));
        assertThat(keys(ListedStore.first(lake))).containsExactly("p/a");
        assertThat(keys(ListedStore.first(versionedLake))).containsExactly("p/a");
    }

    @Test
    void aDirectoryBucketIsRefusedByName() {
        assertUnsupported(() -> lake.listing("mine--use1-az4--x-s3", "p/"), "S3 Express");
        assertUnsupported(() -> lake.listing("mine--use1-az4--xa-s3", "p/"), "S3 Express");
    }

    static Stream<Arguments> brokenVersions() {
        return Stream.of(
                new Arguments(
                        "two current versions of 'p/a'",
                        version("p/a", "2", true) + version("p/a", "1", true)),
                new Arguments(
                        "two current versions of 'p/a'",
                        version("p/a", "2", true) + deleteMarker("p/a", true)),
                new Arguments("without the current one", version("p/a", "1", false)),
                new Arguments("without the current one", deleteMarker("p/a", false)),
                new Arguments(
                        "lists 'p/a' after 'p/b'",
                        version("p/b", "1", true) + version("p/a", "1", true)),
                new Arguments(
                        "lists 'p/a' after 'p/b'",
                        deleteMarker("p/b", true) + deleteMarker("p/a", true)),
                new Arguments("not below", version("o/a", "1", true)),
                new Arguments("without a continuation token", "<IsTruncated>true</IsTruncated>"),
                new Arguments(
                        "without a continuation token",
                        "<IsTruncated>true</IsTruncated><NextKeyMarker>p/a</NextKeyMarker>"));
    }

    @ParameterizedTest
    @MethodSource("brokenVersions")
    void anInvalidPageOfVersionsIsRefused(Arguments broken) {
        versions.lists(_ -> broken.page);
        assertUnsupported(() -> ListedStore.first(versionedLake), broken.why);
    }

    /** The current version might be on the next page, but the key would already count as listed. */
    @Test
    void aPageThatEndsWithinAKeyMustHaveItsCurrentVersion() {
        versions.lists(
                _ ->
                        "<IsTruncated>true</IsTruncated>"
                                + version("p/a", "2", true)
                                + version("p/b", "1", false));
        assertUnsupported(() -> ListedStore.first(versionedLake), "versions of 'p/b'");
    }

    @Test
    void repeatingMarkersAreRefused() {
        versions.lists(
                query ->
                        "<IsTruncated>true</IsTruncated><NextKeyMarker>p/a</NextKeyMarker>"
                                + "<NextVersionIdMarker>%s</NextVersionIdMarker>"
                                        .formatted(
                                                "1".equals(query.get("version-id-marker"))
                                                        ? "2"
                                                        : "1")
                                + version("p/a", "3", true));
        Listing listing = versionedLake.listing("bucket", "p/");
        assertUnsupported(() -> listing.page("p/a", 10), "without a continuation token");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<ETag/>", "<ETag>W/\"weak\"</ETag>", "<ETag>\"한\"</ETag>"})
    void theModificationTimeReplacesAMissingOrUnusableETag(String etag) {
        store.lists(
                _ ->
                        one(
                                "<Size>1</Size><LastModified>2026-11-29T12:00:05.700Z</LastModified>"
                                        + etag));
        assertThat(ListedStore.first(lake).objects().getFirst().etag())
                .isEqualTo("modified 2026-11-29T12:00:05Z");
    }

    /** A version is immutable, so its id is sufficient to identify it. */
    @Test
    void aVersionedObjectNeedsNoETag() {
        versions.lists(_ -> version("p/a", "1", true).replace("\"e\"", "W/\"weak\""));
        LakeObject object = ListedStore.first(versionedLake).objects().getFirst();
        assertThat(object.etag()).isEmpty();
        assertThat(object.versionId()).isEqualTo("1");
    }

    /**
     * Hierarchical namespaces and gateways to file systems sort directories by their names without
     * the slash. They also apply {@code start-after} in that order.
     */
    @Test
    void aWalkRefusesAStoreThatSortsByDirectory(@TempDir Path folder) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            for (int j = 0; j < 20; j++) {
                keys.add("p/dir%02d/part-%02d".formatted(i, j));
            }
            keys.add("p/dir%02d-notes".formatted(i));
        }
        Comparator<String> byDirectory =
                (one, other) -> Arrays.compare(one.split("/", -1), other.split("/", -1));
        keys.sort(byDirectory);
        store.lists(
                query -> {
                    String after = query.getOrDefault("start-after", "");
                    List<String> rest =
                            keys.stream()
                                    .filter(key -> byDirectory.compare(key, after) > 0)
                                    .toList();
                    int most = 7;
                    return page(
                            rest.size() > most, rest.stream().limit(most).toArray(String[]::new));
                });
        for (int requests : new int[] {1, 8}) {
            PrefixWalk walk =
                    new PrefixWalk(
                            lake.listing("bucket", "p/"),
                            "p/",
                            _ -> true,
                            folder,
                            "walk " + requests);
            assertUnsupported(() -> walk.list(requests, _ -> {}), "dir");
        }
    }

    /**
     * Such a store may apply {@code start-after} to the bytes of keys, and then never lists what it
     * sorts behind a directory.
     */
    @Test
    void aWalkRefusesAStoreThatSortsByDirectoryAndStartsAtBytes(@TempDir Path folder) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            keys.add("p/train/part-" + i);
        }
        keys.add("p/train-labels.csv");
        int most = 5;
        store.lists(
                query -> {
                    int from = Integer.parseInt(query.getOrDefault("continuation-token", "0"));
                    String after = query.getOrDefault("start-after", "");
                    List<String> rest =
                            keys.subList(from, keys.size()).stream()
                                    .filter(key -> key.compareTo(after) > 0)
                                    .toList();
                    String[] page = rest.stream().limit(most).toArray(String[]::new);
                    return rest.size() > most
                            ? "<NextContinuationToken>%d</NextContinuationToken>"
                                            .formatted(from + most)
                                    + page(true, page)
                            : page(false, page);
                });
        PrefixWalk walk =
                new PrefixWalk(lake.listing("bucket", "p/"), "p/", _ -> true, folder, "walk");
        assertUnsupported(() -> walk.list(1, _ -> {}), "train-labels.csv");
    }

    @ParameterizedTest
    @ValueSource(strings = {"p/a b", "p/a+b", "p/a%20b", "p/caf\u00e9", "p/\ud83d\ude00", "p/a//b"})
    void aListedKeyThatTheStoreDoesNotHaveIsRefused(String key) {
        store.lists(_ -> page(false, key));
        store.losesObjects();
        Listing listing = lake.listing("bucket", "p/");
        LakeObject object = listing.page(null, 10).objects().getFirst();
        assertThatThrownBy(() -> listing.check(object))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_KEY))
                .hasMessageContaining(key)
                .hasMessageContaining("changes keys with")
                .hasMessageContaining("--exclude ");
    }

    static Stream<Pair> pairsOfKeys() {
        return Stream.of(
                new Pair("p/a:b", "p/a\\b"),
                new Pair("p/a%b", "p/a%41b"),
                new Pair("p/caf\u00e9", "p/cafe\u0301"),
                new Pair("p/a\tb", "p/a\rb"));
    }

    record Pair(String kept, String garbled) {}

    /** A store may keep one of them and change the other. */
    @ParameterizedTest
    @MethodSource("pairsOfKeys")
    void eachSpecialCharacterIsCheckedByItself(Pair keys) {
        Listing listing = lake.listing("bucket", "p/");
        listing.check(new LakeObject(keys.kept, 1, Instant.EPOCH, "e", null));
        store.losesObjects();
        store.lists(_ -> page(false, keys.garbled.replace("\r", "&#13;")));
        assertThatThrownBy(
                        () ->
                                listing.check(
                                        new LakeObject(keys.garbled, 1, Instant.EPOCH, "e", null)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_KEY));
    }

    @Test
    void anObjectDeletedSinceTheListingIsNotReportedAsGarbled() {
        store.listsInTurn(page(false, "p/a b"), page(false));
        store.losesObjects();
        Listing listing = lake.listing("bucket", "p/");
        LakeObject object = listing.page(null, 10).objects().getFirst();
        listing.check(object);
        assertThat(store.asked()).hasSize(2);
    }

    @Test
    void aProxyErrorIsNotTreatedAsAMissingKey() {
        store.lists(_ -> page(false, "p/a b"));
        store.isBehindAProxy(2);
        Listing listing = lake.listing("bucket", "p/");
        listing.check(listing.page(null, 10).objects().getFirst());
        assertThat(store.heads()).hasSize(3);
    }

    /** Costs one request for each kind of key, not for each key. */
    @Test
    void checkRequestsOnlyOneKeyOfEachKind() {
        String[] keys = IntStream.range(100, 200).mapToObj(i -> "p/a b" + i).toArray(String[]::new);
        store.lists(_ -> page(false, keys));
        Listing listing = lake.listing("bucket", "p/");
        List<LakeObject> objects = listing.page(null, 1000).objects();
        long before = lake.requests();
        objects.forEach(listing::check);
        assertThat(lake.requests() - before).isEqualTo(1);
    }

    @Test
    void pageSendsStartAfterAndMaxKeys() {
        store.lists(_ -> page(false));
        assertThat(lake.listing("bucket", "p/").page("p/k", 5).next()).isNull();
        Map<String, String> asked = store.asked().getFirst();
        assertThat(asked).containsEntry("start-after", "p/k").containsEntry("max-keys", "5");
    }
}
