package dev.forebay.lake.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.lake.KeyOrder;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrefixWalkTest {

    private static final String PREFIX = "p/";
    private static final String[] NAMES = {
        "a", "b", "a-b", "~", "ä", "日本", "😀", "\uE000", "0", "1", "z", " ", "%"
    };

    @TempDir Path folder;

    private static FakeListing flat(int objects) {
        return new FakeListing(
                IntStream.range(0, objects)
                        .mapToObj(i -> PREFIX + "%08d.bin".formatted(i))
                        .toList());
    }

    /** Without a delay, the first walker would list everything before the others start. */
    private static void takeTime() {
        LockSupport.parkNanos(1_000_000);
    }

    private static FakeListing random(Random random, int objects) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < objects; i++) {
            StringBuilder key = new StringBuilder(PREFIX);
            for (int depth = random.nextInt(4); depth > 0; depth--) {
                key.append(NAMES[random.nextInt(NAMES.length)]).append('/');
            }
            keys.add(key.append(NAMES[random.nextInt(NAMES.length)]).append(i).toString());
        }
        return new FakeListing(keys);
    }

    private PrefixWalk walk(FakeListing listing) {
        return new PrefixWalk(listing, PREFIX, key -> true, folder, "a listing");
    }

    private static List<LakeObject> told(PrefixWalk walk) {
        List<LakeObject> told = new ArrayList<>();
        walk.forEach(told::add);
        return told;
    }

    /** "A listing is not a snapshot". */
    @RepeatedTest(20)
    void unchangedObjectsAreReportedOnceWhileTheLakeChanges() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        FakeListing listing = random(random, 1000);
        List<LakeObject> before = listing.all();
        AtomicInteger written = new AtomicInteger();
        listing.beforeEachPage(
                () -> {
                    // Add new keys before and after the keys that are already listed.
                    listing.put(PREFIX + "a/new" + written.incrementAndGet());
                    listing.put(PREFIX + "z/new" + written.incrementAndGet());
                });
        PrefixWalk walk = walk(listing);

        walk.list(1 + random.nextInt(8), count -> {});

        assertThat(told(walk))
                .as("seed %d", seed)
                .containsAll(before)
                .doesNotHaveDuplicates()
                .isSortedAccordingTo((one, other) -> KeyOrder.UTF8.compare(one.key(), other.key()));
    }

    @RepeatedTest(20)
    void anyNumberOfWalkersReportsEveryObjectOnceInOrder() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        FakeListing listing = random(random, random.nextInt(3000));
        PrefixWalk walk = walk(listing);
        AtomicLong progress = new AtomicLong();

        walk.list(1 + random.nextInt(16), count -> progress.accumulateAndGet(count, Math::max));

        assertThat(told(walk)).as("seed %d", seed).isEqualTo(listing.all());
        assertThat(progress).hasValue(listing.all().size());
    }

    /** A crash of the machine can lose the end of one file and keep that of another. */
    @Test
    void aWalkRecoversFromLostDivisionRecords() throws IOException {
        FakeListing listing = flat(5_000);
        listing.beforeEachPage(PrefixWalkTest::takeTime);
        walk(listing).list(4, count -> {});
        Path divisions = folder.resolve("division");
        Path first = folder.resolve("first");
        try (RecordFile file = RecordFile.open(first, record -> {})) {
            AtomicInteger records = new AtomicInteger();
            RecordFile.read(
                    divisions,
                    record -> {
                        if (records.getAndIncrement() == 0) {
                            file.append(record.readAllBytes());
                        }
                    });
            assertThat(records).as("it was divided").hasValueGreaterThan(1);
        }
        Files.move(first, divisions, StandardCopyOption.REPLACE_EXISTING);
        try (Stream<Path> parts = Files.list(folder)) {
            for (Path part : parts.filter(PrefixWalkTest::isLaterPart).toList()) {
                Files.delete(part);
            }
        }

        PrefixWalk again = walk(listing);
        again.list(4, count -> {});

        assertThat(told(again)).isEqualTo(listing.all());
    }

    private static boolean isLaterPart(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".part") && !name.equals("0.part");
    }

    @Test
    void concurrentWalkersListAFlatFolderWithFewExtraRequests() {
        int objects = 20_000;
        FakeListing listing = flat(objects);
        listing.beforeEachPage(PrefixWalkTest::takeTime);

        walk(listing).list(8, count -> {});

        assertThat(listing.mostUnderWay()).isEqualTo(8);
        assertThat(listing.requests()).isLessThan(objects / FakeListing.PAGE * 3 / 2);
    }

    @Test
    void aListingOfOnePageCostsOneRequest() {
        FakeListing listing = flat(FakeListing.PAGE);
        PrefixWalk walk = walk(listing);

        walk.list(16, count -> {});

        assertThat(listing.requests()).isEqualTo(1);
        assertThat(told(walk)).hasSize(FakeListing.PAGE);
    }

    @Test
    void aWalkKeepsOnlyKeysThatTheFilterAccepts() {
        FakeListing listing = flat(100);
        PrefixWalk walk =
                new PrefixWalk(listing, PREFIX, key -> key.endsWith("7.bin"), folder, "some");

        walk.list(4, count -> {});

        assertThat(told(walk)).hasSize(10).allMatch(object -> object.key().endsWith("7.bin"));
    }

    @RepeatedTest(20)
    void aFailedWalkContinuesWithoutListingKeptPagesAgain() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        FakeListing listing = random(random, 2000);
        AtomicInteger left = new AtomicInteger(random.nextInt(150));
        listing.beforeEachPage(
                () -> {
                    if (left.decrementAndGet() < 0) {
                        throw new ForebayException(ErrorCode.LAKE_UNAVAILABLE, "no more");
                    }
                });
        assertThatThrownBy(() -> walk(listing).list(4, count -> {}))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_UNAVAILABLE));
        PrefixWalk second = walk(listing);
        long kept = told(second).size();
        int before = listing.requests();
        listing.beforeEachPage(() -> {});

        second.list(1, count -> assertThat(count).isGreaterThanOrEqualTo(kept));

        assertThat(told(second)).as("seed %d", seed).isEqualTo(listing.all());
        // A single walker does not guess, so every request but the last of a part returns a whole
        // page.
        assertThat((long) listing.requests() - before)
                .as("seed %d, %d kept", seed, kept)
                .isLessThanOrEqualTo((2000 - kept) / FakeListing.PAGE + 160);
    }

    @Test
    void aCompleteWalkIsNotListedAgain() {
        FakeListing listing = flat(500);
        walk(listing).list(4, count -> {});
        int before = listing.requests();
        PrefixWalk again = walk(listing);

        List<Long> progress = new ArrayList<>();
        again.list(4, progress::add);

        assertThat(progress).containsExactly(500L);

        assertThat(listing.requests()).isEqualTo(before);
        assertThat(told(again)).isEqualTo(listing.all());
    }

    @Test
    void wantedObjectsAreChecked() {
        FakeListing listing = flat(30);
        new PrefixWalk(listing, PREFIX, key -> key.endsWith("7.bin"), folder, "some")
                .list(1, count -> {});

        assertThat(listing.checked())
                .containsExactly(
                        PREFIX + "00000007.bin", PREFIX + "00000017.bin", PREFIX + "00000027.bin");
    }

    /** Such a store would lose the keys behind each place where a walker begins. */
    @Test
    void aStoreThatListsNothingBehindATextThatIsNoKeyIsRefused() {
        FakeListing listing = flat(2_000);
        listing.beforeEachPage(PrefixWalkTest::takeTime);
        Set<String> keys = listing.all().stream().map(LakeObject::key).collect(Collectors.toSet());
        PrefixWalk walk =
                new PrefixWalk(
                        (after, limit) ->
                                after == null || keys.contains(after)
                                        ? listing.page(after, limit)
                                        : new Listing.Page(List.of(), null),
                        PREFIX,
                        key -> true,
                        folder,
                        "a listing");

        assertThatThrownBy(() -> walk.list(4, count -> {}))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_UNSUPPORTED));
    }

    /** Simulates a process that is killed while it writes. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 9, 60})
    void aPartiallyWrittenPageIsListedAgain(int cut) throws IOException {
        FakeListing listing = flat(55);
        walk(listing).list(1, count -> {});
        Path part = folder.resolve("0.part");
        byte[] bytes = Files.readAllBytes(part);
        Files.write(
                part,
                Arrays.copyOf(bytes, bytes.length - cut),
                StandardOpenOption.TRUNCATE_EXISTING);
        PrefixWalk again = walk(listing);

        again.list(2, count -> {});

        assertThat(told(again)).isEqualTo(listing.all());
    }

    /** Simulates a power failure, after which a file has its new length but zeros at its end. */
    @ParameterizedTest
    @ValueSource(ints = {1, 8, 20, 4096})
    void trailingZerosInAPartFileAreIgnored(int zeros) throws IOException {
        FakeListing listing = flat(55);
        AtomicInteger left = new AtomicInteger(3);
        listing.beforeEachPage(
                () -> {
                    if (left.decrementAndGet() < 0) {
                        throw new ForebayException(ErrorCode.LAKE_UNAVAILABLE, "no more");
                    }
                });
        assertThatThrownBy(() -> walk(listing).list(1, count -> {}))
                .isInstanceOf(ForebayException.class);
        Files.write(folder.resolve("0.part"), new byte[zeros], StandardOpenOption.APPEND);
        listing.beforeEachPage(() -> {});
        PrefixWalk again = walk(listing);

        again.list(2, count -> {});

        assertThat(told(again)).isEqualTo(listing.all());
    }

    /** A walker can run out of memory. The others must not wait for its range. */
    @RepeatedTest(10)
    void anErrorOfOneWalkerEndsTheWalk() {
        FakeListing listing = flat(5_000);
        AtomicReference<Thread> first = new AtomicReference<>();
        listing.beforeEachPage(
                () -> {
                    takeTime();
                    Thread me = Thread.currentThread();
                    if (!first.compareAndSet(null, me) && first.get() != me) {
                        throw new OutOfMemoryError("of a test");
                    }
                });

        assertThatThrownBy(() -> walk(listing).list(4, count -> {}))
                .hasRootCauseInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void aWalkDiscardsPagesOfAnotherListingAndOldPages() throws IOException {
        walk(flat(50)).list(1, count -> {});
        FakeListing other = new FakeListing(Stream.of("x", "y").map(PREFIX::concat).toList());
        PrefixWalk walk = new PrefixWalk(other, PREFIX, key -> true, folder, "another listing");

        assertThat(told(walk)).isEmpty();
        walk.list(1, count -> {});
        Files.setLastModifiedTime(
                folder.resolve("listing"),
                FileTime.from(Instant.now().minus(Duration.ofMinutes(61))));

        assertThat(told(new PrefixWalk(other, PREFIX, key -> true, folder, "another listing")))
                .isEmpty();
    }

    /** Simulates an upgrade to a release whose records have other fields. */
    @Test
    void aWalkDiscardsPagesInAnotherFormat() throws IOException {
        walk(flat(50)).list(1, count -> {});
        Path listing = folder.resolve("listing");
        String named = Files.readString(listing);
        Files.writeString(listing, named.substring(named.indexOf(' ') + 1));

        assertThat(told(walk(flat(50)))).isEmpty();
    }
}
