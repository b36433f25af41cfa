package dev.forebay.worker.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.lake.ReadMeter;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.Sibling;
import dev.forebay.transfer.AccountPage;
import dev.forebay.transfer.AccountStatement;
import dev.forebay.worker.retention.MountedVersions;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
class VersionAccountsTest {

    private static final Digest A = new Digest("a".repeat(64));
    private static final Digest B = new Digest("b".repeat(64));
    private static final DatasetVersion ONE = DatasetVersion.parse("ns/data@one");
    private static final DatasetVersion TWO = DatasetVersion.parse("ns/data@two");
    private static final Sibling REGION =
            new Sibling(URI.create("http://agent.region:8080"), false);
    private static final Sibling SITE = new Sibling(URI.create("http://agent.site:8080"), true);
    private static final int MOST = 4;

    private final AtomicReference<Instant> now =
            new AtomicReference<>(Instant.parse("2026-11-22T10:00:00Z"));

    @TempDir Path directory;
    private MountedVersions versions;
    private VersionAccounts accounts;

    @BeforeEach
    void open() {
        versions =
                new MountedVersions(
                        new ManifestCache(directory.resolve("manifests"), 1, (ref, target) -> {}),
                        1,
                        () -> {});
        reopen();
    }

    @Test
    void accountsAddUpAndSurviveARestart() {
        mounted(mount(ONE, A, Mount.State.WARMING), mount(TWO, B, Mount.State.CACHED));
        accounts.took(A, 100);
        accounts.took(B, 7);
        accounts.took(A, 1_000_000_000_000L);
        read(A, 300, 300);
        accounts.tookFromPeer(A, 50);
        accounts.tookFromSibling(A, REGION, 4_096, 4_000);
        accounts.tookFromSibling(A, SITE, 200, 150);

        reopen();

        assertThat(accounts.of(A)).isEqualTo(Map.of(ONE, 1_000_000_000_100L));
        assertThat(accounts.of(B)).isEqualTo(Map.of(TWO, 7L));
        accounts.took(A, 1);
        read(A, 10, 10);
        assertThat(accounts.of(A)).isEqualTo(Map.of(ONE, 1_000_000_000_101L));
        AccountStatement one = statement(ONE);
        assertThat(one.lakeRequests()).isEqualTo(2);
        assertThat(one.lakeBytes()).isEqualTo(310);
        assertThat(one.peerRequests()).isEqualTo(1);
        assertThat(one.peerBytes()).isEqualTo(50);
        assertThat(one.siblingRequests()).isEqualTo(1);
        assertThat(one.siblingBytes()).isEqualTo(4_096);
        assertThat(one.onPremisesRequests()).isEqualTo(1);
        assertThat(one.onPremisesBytes()).isEqualTo(200);
        assertThat(accounts.ofSiblings(A)).isEqualTo(Map.of(ONE, 4_150L));
    }

    @Test
    void oneOfSeveralVersionsWithTheSameManifestPays() {
        mounted(mount(ONE, A, Mount.State.CACHED), mount(TWO, A, Mount.State.WARMING));
        accounts.took(A, 10);
        assertThat(accounts.of(A)).isEqualTo(Map.of(ONE, 0L, TWO, 10L));

        mounted(mount(ONE, A, Mount.State.CACHED), mount(TWO, A, Mount.State.CACHED));
        accounts.took(A, 5);

        assertThat(accounts.of(A)).isEqualTo(Map.of(ONE, 5L, TWO, 10L));
    }

    @Test
    void failedRequestsCountAndUnsentRequestsDoNot() {
        mounted(mount(ONE, A, Mount.State.WARMING));
        read(A, 100, 0);
        read(A, 100, 40);
        ReadMeter meter = accounts.lakeReads(A);
        meter.asking(100);
        meter.notAsked(100);

        assertThat(statement(ONE).lakeRequests()).isEqualTo(2);
        assertThat(statement(ONE).lakeBytes()).isEqualTo(40);
    }

    @Test
    void aRequestThatAKillInterruptsCountsWithAllItsBytes() {
        mounted(mount(ONE, A, Mount.State.WARMING));
        read(A, 100, 100);
        accounts.lakeReads(A).asking(70);
        long before = statement(ONE).revision();

        reopen();
        reopen();

        assertThat(statement(ONE).lakeRequests()).isEqualTo(2);
        assertThat(statement(ONE).lakeBytes()).isEqualTo(170);
        assertThat(statement(ONE).revision()).isGreaterThan(before);
        assertThat(accounts.of(A)).as("bytes stored").isEqualTo(Map.of(ONE, 0L));
    }

    @Test
    void anAccountClosesWithItsMountAndStaysUntilItIsSettled() {
        mounted(mount(ONE, A, Mount.State.CACHED), mount(TWO, B, Mount.State.CACHED));
        accounts.took(A, 10);
        read(A, 10, 10);
        ReadMeter late = accounts.lakeReads(A);
        late.asking(5);

        mounted(mount(TWO, B, Mount.State.CACHED));
        AccountStatement closed = statement(ONE);
        assertThat(closed.closed()).isTrue();
        accounts.settle(UUID.fromString(closed.id()), closed.revision());
        assertThat(accounts.page(-1, 10).accounts()).as("a request is under way").hasSize(1);
        late.answered(5, 5);
        accounts.settle(UUID.fromString(closed.id()), closed.revision());
        assertThat(statement(ONE).lakeBytes()).as("it has changed since").isEqualTo(15);

        mounted(mount(ONE, A, Mount.State.WARMING), mount(TWO, B, Mount.State.CACHED));
        assertThat(accounts.of(A)).as("another copy").isEqualTo(Map.of(ONE, 0L));
        read(A, 3, 3);
        reopen();
        mounted(mount(ONE, A, Mount.State.WARMING), mount(TWO, B, Mount.State.CACHED));
        assertThat(accounts.page(-1, 10).accounts())
                .extracting(AccountStatement::lakeBytes)
                .containsExactly(15L, 3L);
        AccountStatement noted = accounts.page(-1, 10).accounts().getFirst();
        accounts.settle(UUID.fromString(noted.id()), noted.revision());
        reopen();
        assertThat(accounts.page(-1, 10).accounts())
                .extracting(AccountStatement::lakeBytes)
                .containsExactly(3L);
    }

    @Test
    void anAccountClosesIfItsVersionWasUnmountedWhileTheProcessWasDown() {
        mounted(mount(ONE, A, Mount.State.CACHED));
        accounts.took(A, 10);
        reopen();
        mounted();
        assertThat(statement(ONE).closed()).isTrue();
        mounted(mount(ONE, A, Mount.State.WARMING));

        assertThat(accounts.of(A)).isEqualTo(Map.of(ONE, 0L));
    }

    @Test
    void heldBytesCountOverTimeEvenWhileTheProcessIsDown() {
        Mount one = mount(ONE, A, Mount.State.CACHED);
        mounted(one);
        accounts.tick(Map.of(one, 1_000L));
        after(10);
        accounts.tick(Map.of(one, 2_000L));
        reopen();
        mounted(one);
        after(100);
        accounts.tick(Map.of(one, 2_000L));
        after(-50);
        accounts.tick(Map.of(one, 2_000L));
        after(1);
        mounted();

        assertThat(statement(ONE).heldByteSeconds()).isEqualTo(10_000 + 200_000 + 2_000);
    }

    @Test
    void aVersionEvictedAfterTheDiskScanGetsNoSecondAccount() {
        Mount one = mount(ONE, A, Mount.State.CACHED);
        mounted(one);
        accounts.tick(Map.of(one, 1_000L));

        mounted(mount(ONE, A, Mount.State.EVICTING));
        accounts.close(ONE);
        accounts.tick(Map.of(one, 1_000L));
        mounted();
        accounts.tick(Map.of(one, 1_000L));

        assertThat(accounts.page(-1, 10).accounts())
                .extracting(AccountStatement::closed)
                .containsExactly(true);
    }

    @Test
    void aTickAddsServedReadsOnce() {
        Mount one = mount(ONE, A, Mount.State.CACHED);
        mounted(one);
        accounts.served(A, 100);
        accounts.served(A, 20);
        accounts.tick(Map.of());
        accounts.tick(Map.of());

        assertThat(statement(ONE).servedRequests()).isEqualTo(2);
        assertThat(statement(ONE).servedBytes()).isEqualTo(120);
    }

    @Test
    void eachPageContinuesAfterThePreviousOne() {
        DatasetVersion three = DatasetVersion.parse("ns/data@three");
        Digest c = new Digest("c".repeat(64));
        mounted(
                mount(ONE, A, Mount.State.CACHED),
                mount(TWO, B, Mount.State.CACHED),
                mount(three, c, Mount.State.CACHED));
        read(A, 1, 1);
        read(B, 2, 2);
        read(c, 3, 3);

        AccountPage first = accounts.page(-1, 2);
        assertThat(first.accounts())
                .extracting(AccountStatement::lakeBytes)
                .containsExactly(1L, 2L);
        AccountPage second = accounts.page(first.next() == null ? -1 : first.next(), 2);
        assertThat(second.accounts()).extracting(AccountStatement::lakeBytes).containsExactly(3L);
        assertThat(second.next()).isNull();
    }

    @Test
    void theOldestClosedAccountIsDiscardedWhenThereAreTooMany() {
        for (int i = 0; i < MOST + 2; i++) {
            after(1);
            Digest digest = new Digest("%064x".formatted(i));
            mounted(
                    mount(ONE, A, Mount.State.CACHED),
                    mount(DatasetVersion.parse("ns/data@v" + i), digest, Mount.State.WARMING));
            read(A, 1, 1);
            read(digest, 1, 1);
        }

        assertThat(accounts.page(-1, 10).accounts())
                .extracting(AccountStatement::version)
                .containsExactlyInAnyOrder("ns/data@one", "ns/data@v3", "ns/data@v4", "ns/data@v5");
    }

    @Test
    void aDamagedSlotIsDiscardedAndTheOtherAccountsStay() throws Exception {
        mounted(mount(ONE, A, Mount.State.CACHED), mount(TWO, B, Mount.State.CACHED));
        read(A, 1, 1);
        read(B, 2, 2);
        Path file = directory.resolve("accounts");
        byte[] bytes = Files.readAllBytes(file);
        bytes[100] ^= 1;
        Files.write(file, bytes);

        reopen();

        assertThat(accounts.page(-1, 10).accounts())
                .extracting(AccountStatement::version)
                .containsExactly("ns/data@two");
        read(A, 3, 3);
        reopen();
        assertThat(statement(ONE).lakeBytes()).isEqualTo(3);
    }

    @Test
    void theLongestNamesFit() {
        DatasetVersion longest = DatasetVersion.of("n".repeat(63), "d".repeat(63), "v".repeat(127));
        mounted(mount(longest, A, Mount.State.WARMING));
        accounts.took(A, 3);
        accounts.tookFromSibling(A, REGION, 5, 4);
        reopen();
        assertThat(accounts.of(A)).isEqualTo(Map.of(longest, 3L));
        assertThat(accounts.ofSiblings(A)).isEqualTo(Map.of(longest, 4L));
    }

    @Test
    void sharedBytesAreDividedAmongTheVersionsThatAreNotEvicting() {
        Mount one = mount(ONE, A, Mount.State.CACHED);
        Mount two = mount(TWO, B, Mount.State.WARMING);
        Mount leaving =
                mount(
                        DatasetVersion.parse("ns/data@old"),
                        new Digest("c".repeat(64)),
                        Mount.State.EVICTING);
        Map<Mount, Long> held = new HashMap<>();

        HeldBytes.divide(11, List.of(one, two, leaving), held);
        HeldBytes.divide(5, List.of(leaving), held);
        HeldBytes.divide(100, List.of(), held);

        assertThat(held).isEqualTo(Map.of(one, 6L, two, 5L, leaving, 5L));
    }

    private void read(Digest manifest, long bytes, long came) {
        ReadMeter meter = accounts.lakeReads(manifest);
        meter.asking(bytes);
        meter.answered(bytes, came);
    }

    private AccountStatement statement(DatasetVersion version) {
        return accounts.page(-1, 10).accounts().stream()
                .filter(each -> each.version().equals(version.toString()))
                .findFirst()
                .orElseThrow();
    }

    private void after(long seconds) {
        now.updateAndGet(before -> before.plusSeconds(seconds));
    }

    /** Opens the file again, like the process that follows a killed one. */
    private void reopen() {
        accounts = VersionAccounts.open(directory.resolve("accounts"), versions, now::get, MOST);
    }

    private void mounted(Mount... mounts) {
        RegionView view = new RegionView(List.of(), Set.of(), List.of(mounts), List.of());
        versions.update(view);
        accounts.update(view);
    }

    private static Mount mount(DatasetVersion version, Digest digest, Mount.State state) {
        return new Mount(version, new ManifestRef("s3://b/k", digest, 1, 1, 1), state);
    }
}
