package dev.forebay.lake.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.lake.LakeObject;
import dev.forebay.lake.LakeReader;
import dev.forebay.lake.Listing;
import dev.forebay.lake.ReadMeter;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeyListWalkTest {

    private static final String LIST = "lists/mine.txt";

    /** More than one request for the list brings. */
    private static final int MOST_BYTES = (8 << 20) + 13;

    @TempDir Path directory;

    /** A lake whose only object is the list. */
    private static final class ListLake implements LakeReader {

        private final byte[] text;

        ListLake(byte[] text) {
            this.text = text;
        }

        @Override
        public Listing listing(String bucket, String prefix) {
            LakeObject list = new LakeObject(LIST, text.length, Instant.EPOCH, "e1", "v1");
            return (after, limit) ->
                    new Listing.Page(LIST.startsWith(prefix) ? List.of(list) : List.of(), null);
        }

        @Override
        public void read(
                String bucket, LakeObject object, long offset, ByteBuffer target, ReadMeter meter) {
            assertThat(List.of(object.key(), object.etag(), String.valueOf(object.versionId())))
                    .containsExactly(LIST, "e1", "v1");
            target.put(text, (int) offset, target.remaining());
        }
    }

    private KeyList list(byte[] text) {
        try {
            return KeyList.fetch(
                    new ListLake(text),
                    "b",
                    LIST,
                    Files.createTempDirectory(directory, "list"),
                    MOST_BYTES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private KeyList list(List<String> lines) {
        return list(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> found(FakeListing listing, KeyList list) {
        List<String> keys = new ArrayList<>();
        new KeyListWalk(listing, "p/", key -> true)
                .forEach(list, 4, object -> keys.add(object.key()), count -> {});
        return keys;
    }

    private static List<String> keys(int from, int to, int step) {
        return IntStream.range(from, to)
                .filter(i -> i % step == 0)
                .mapToObj(i -> "p/%03d/%06d".formatted(i / 100, i))
                .toList();
    }

    @RepeatedTest(10)
    void findsEachListedKeyOnceAndInOrder() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        FakeListing listing = new FakeListing(keys(0, 20_000, 1));
        List<String> wanted = new ArrayList<>(keys(0, 20_000, 1 + random.nextInt(300)));
        List<String> lines = new ArrayList<>(wanted);
        lines.addAll(wanted.subList(0, wanted.size() / 2));
        Collections.shuffle(lines, random);

        assertThat(found(listing, list(lines))).as("seed %d", seed).isEqualTo(wanted);
    }

    @Test
    void needsNoMoreRequestsThanKeysOrPages() {
        FakeListing sparse = new FakeListing(keys(0, 20_000, 1));
        assertThat(found(sparse, list(keys(0, 20_000, 500)))).hasSize(40);
        assertThat(sparse.requests()).isLessThanOrEqualTo(40);

        FakeListing dense = new FakeListing(keys(0, 20_000, 1));
        assertThat(found(dense, list(keys(0, 5000, 1)))).hasSize(5000);
        assertThat(dense.requests()).isLessThanOrEqualTo(5000 / FakeListing.PAGE + 20);
    }

    /**
     * A page that started at the key or behind it would lack it, and the key would count as
     * missing.
     */
    @ParameterizedTest
    @MethodSource("starts")
    void aPageStartsJustBeforeTheWantedKey(Start start) {
        List<@Nullable String> asked = new ArrayList<>();
        Listing listing =
                (after, limit) -> {
                    asked.add(after);
                    return new Listing.Page(List.of(FakeListing.object(start.key)), null);
                };
        List<String> found = new ArrayList<>();
        new KeyListWalk(listing, start.prefix, key -> true)
                .forEach(list(List.of(start.key)), 1, object -> found.add(object.key()), _ -> {});

        assertThat(found).containsExactly(start.key);
        assertThat(asked).containsExactly(start.after);
    }

    static Stream<Start> starts() {
        return Stream.of(
                new Start("p/", "p/b", "p/a~"),
                new Start("p/", "p/!", "p/ ~"),
                new Start("p/", "p/a ", "p/a"),
                // The characters before these are half a character.
                new Start("p/", "p/a\uD83D\uDE00", "p/a"),
                new Start("p/", "p/a\uE000", "p/a"),
                new Start("p/", "p/", "p"),
                new Start("", "\uD83D\uDE00", null));
    }

    private record Start(String prefix, String key, @Nullable String after) {}

    /** The rest of the pages that were listed already must not be listed again. */
    @Test
    void aPageStartsBehindTheOneBefore() {
        List<@Nullable String> asked = new ArrayList<>();
        Listing listing =
                (after, limit) -> {
                    asked.add(after);
                    return asked.size() == 1
                            ? new Listing.Page(List.of(FakeListing.object("p/b")), "p/b~~")
                            : new Listing.Page(List.of(FakeListing.object("p/c")), null);
                };
        List<String> found = new ArrayList<>();
        new KeyListWalk(listing, "p/", key -> true)
                .forEach(
                        list(List.of("p/b", "p/c")), 1, object -> found.add(object.key()), _ -> {});

        assertThat(found).containsExactly("p/b", "p/c");
        assertThat(asked).containsExactly("p/a~", "p/b~~");
    }

    @Test
    void progressCountsTheObjectsSoFar() {
        List<Long> told = new ArrayList<>();
        new KeyListWalk(new FakeListing(keys(0, 2500, 1)), "p/", key -> true)
                .forEach(list(keys(0, 2500, 1)), 2, object -> {}, told::add);

        assertThat(told).containsExactly(1000L, 2000L, 2500L);
    }

    @Test
    void eachFoundObjectIsChecked() {
        FakeListing listing = new FakeListing(keys(0, 100, 1));
        List<String> wanted = keys(0, 100, 7);

        assertThat(found(listing, list(wanted))).isEqualTo(wanted);
        assertThat(listing.checked()).containsExactlyElementsOf(wanted);
    }

    @Test
    void aListOfTheLargestSizeIsRead() {
        byte[] text = new byte[MOST_BYTES];
        Arrays.fill(text, (byte) '\n');
        byte[] key = "p/000/000001".getBytes(StandardCharsets.UTF_8);
        System.arraycopy(key, 0, text, text.length - key.length, key.length);

        assertThat(found(new FakeListing(keys(0, 10, 1)), list(text)))
                .containsExactly("p/000/000001");
    }

    @Test
    void emptyLinesAndCarriageReturnsAreIgnored() {
        KeyList list = list("p/000/000001\r\n\n\r\np/000/000000".getBytes(StandardCharsets.UTF_8));

        assertThat(found(new FakeListing(keys(0, 10, 1)), list))
                .containsExactly("p/000/000000", "p/000/000001");
        assertThat(list.object().etag()).isEqualTo("e1");
    }

    @Test
    void aByteOrderMarkAtTheStartIsIgnored() {
        assertThat(
                        found(
                                new FakeListing(keys(0, 10, 1)),
                                list(List.of("\ufeffp/000/000001", "p/000/000000"))))
                .containsExactly("p/000/000000", "p/000/000001");
        assertRefused(
                () -> found(new FakeListing(keys(0, 10, 1)), list(List.of("\ufeff"))),
                ErrorCode.LAKE_EMPTY,
                "lists no key");
    }

    @Test
    void errorsReportInvisibleCharactersInALine() {
        FakeListing listing = new FakeListing(keys(0, 10, 1));
        assertRefused(
                () -> found(listing, list(List.of("p/000/000001", "\ufeffp/000/000002"))),
                ErrorCode.INVALID_KEY,
                "line 2 (has characters that cannot be seen) is not below the source");
        assertRefused(
                () -> found(listing, list(List.of("p/000/000001\u200b"))),
                ErrorCode.LAKE_EMPTY,
                "line 1 (has characters that cannot be seen)");
        assertRefused(
                () -> found(listing, list(List.of("p/000/000001 "))),
                ErrorCode.LAKE_EMPTY,
                "line 1 (has characters that cannot be seen)");
    }

    @Test
    void errorsNameTheLinesOfMissingKeys() {
        KeyList list = list(List.of("p/000/000001", "p/000/000001x", "p/zzz"));

        assertRefused(
                () -> found(new FakeListing(keys(0, 10, 1)), list),
                ErrorCode.LAKE_EMPTY,
                "not in the lake: line 2; line 3");
    }

    /**
     * The list may be any object that Forebay can read, but the reader of the message may not have
     * access to it.
     */
    @Test
    void errorsDoNotShowTheContentOfTheList() {
        String secret = "hunter2-";
        List<List<String>> objects = new ArrayList<>();
        objects.add(IntStream.range(0, 20).mapToObj(i -> secret + i).toList());
        objects.add(IntStream.range(0, 20).mapToObj(i -> "p/" + secret + i).toList());
        objects.add(List.of("p/" + secret.repeat(500)));
        objects.add(List.of("\ufeff" + secret, "p/\u200b" + secret));
        for (List<String> lines : objects) {
            assertThatThrownBy(() -> found(new FakeListing(keys(0, 10, 1)), list(lines)))
                    .isInstanceOf(ForebayException.class)
                    .hasMessageContaining("line 1")
                    .satisfies(
                            e -> {
                                for (Throwable at = e; at != null; at = at.getCause()) {
                                    assertThat(String.valueOf(at)).doesNotContain("hunter");
                                }
                            });
        }
    }

    @Test
    void errorsNameAtMostTenLines() {
        List<String> lines = IntStream.range(0, 50).mapToObj(i -> "p/absent/" + i).toList();
        assertThatThrownBy(() -> found(new FakeListing(keys(0, 10, 1)), list(lines)))
                .message()
                .matches("(?s).*not in the lake: line \\d+(; line \\d+){9}\\. Upload.*");
    }

    @Test
    void anInvalidKeyListIsRefused() {
        FakeListing listing = new FakeListing(keys(0, 10, 1));
        assertRefused(
                () -> found(listing, list(List.of("p/000/000001", "q/1"))),
                ErrorCode.INVALID_KEY,
                "line 2 is not below the source");
        assertRefused(
                () -> found(listing, list(new byte[] {'p', '/', (byte) 0xff, '\n'})),
                ErrorCode.INVALID_KEY,
                "not UTF-8");
        assertRefused(
                () -> found(listing, list(List.of("p/000/000001", "p/" + "ä".repeat(512), "q"))),
                ErrorCode.INVALID_KEY,
                "line 2 is too long; line 3 is not below the source");
        assertRefused(
                () -> found(listing, list(List.of("p/000/000001,".repeat(1000)))),
                ErrorCode.INVALID_KEY,
                "one per line: line 1 is too long");
        assertRefused(
                () -> found(listing, list(List.of("", ""))), ErrorCode.LAKE_EMPTY, "lists no key");
        assertRefused(
                () -> list(new byte[MOST_BYTES + 1]),
                ErrorCode.TOO_LARGE,
                "forebay.ingest.key-list");
        assertRefused(
                () -> KeyList.fetch(new ListLake(new byte[1]), "b", "lists/mi", directory, 10),
                ErrorCode.LAKE_EMPTY,
                "no list of keys at s3://b/lists/mi");
    }

    private static void assertRefused(Runnable call, ErrorCode code, String message) {
        assertThatThrownBy(call::run)
                .hasMessageContaining(message)
                .isInstanceOfSatisfying(
                        ForebayException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
