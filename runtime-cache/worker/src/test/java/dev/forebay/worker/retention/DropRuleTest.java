package dev.forebay.worker.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.membership.Mount;
import dev.forebay.membership.Pin;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DropRuleTest {

    private static final ManifestRef A = manifest("a");
    private static final ManifestRef B = manifest("b");

    @Test
    void theRuleKeepsManifestsOfVersionsThatAreNotEvicting() {
        RegionView view =
                view(
                        List.of(
                                mount("1", A, Mount.State.EVICTING),
                                mount("2", B, Mount.State.CACHED)));

        assertThat(DropRule.keep(view, A.digest())).containsExactly(B);
    }

    @Test
    void theRuleKeepsAManifestThatAnotherVersionShares() {
        RegionView view =
                view(
                        List.of(
                                mount("1", A, Mount.State.EVICTING),
                                mount("2", A, Mount.State.WARMING)),
                        pin("2"));

        assertThat(DropRule.keep(view, A.digest())).containsExactly(A);
    }

    @Test
    void twoEvictingVersionsDoNotKeepEachOther() {
        RegionView view =
                view(
                        List.of(
                                mount("1", A, Mount.State.EVICTING),
                                mount("2", B, Mount.State.EVICTING)));

        assertThat(DropRule.keep(view, A.digest())).isEmpty();
    }

    @Test
    void theRuleRefusesWhilePinnedAndNamesTheHolder() {
        RegionView view = view(List.of(mount("1", A, Mount.State.CACHED)), pin("1"));

        assertRefused(view, ErrorCode.PINNED, "ns/name@1 by job-7");
    }

    @Test
    void theRuleRefusesWhilePinnedEvenIfTheMountIsEvicting() {
        RegionView view = view(List.of(mount("1", A, Mount.State.EVICTING)), pin("1"));

        assertRefused(view, ErrorCode.PINNED, "ns/name@1 by job-7");
    }

    @Test
    void theRuleAsksForARetryUntilThisWorkerSeesTheEviction() {
        RegionView view = view(List.of(mount("1", A, Mount.State.CACHED)));

        assertRefused(view, ErrorCode.UNAVAILABLE, "ns/name@1");
    }

    @Test
    void theRuleDropsNothingThatARowOfALaterReleaseMayProtect() {
        List<Mount> mounts = List.of(mount("1", A, Mount.State.EVICTING));

        assertRefused(ofLaterRelease("holds/ns/name", mounts), ErrorCode.UNAVAILABLE, "holds/ns");
        assertRefused(ofLaterRelease("mounts/ns/b/1", mounts), ErrorCode.UNAVAILABLE, "upgrade");
        assertThat(DropRule.keep(ofLaterRelease("sources/ns/name/1", mounts), A.digest()))
                .isEmpty();
    }

    @Test
    void theRuleKeepsVersionsInAStateOfALaterRelease() {
        RegionView view =
                view(
                        List.of(
                                mount("1", A, Mount.State.EVICTING),
                                mount("2", B, Mount.State.UNKNOWN)));

        assertThat(DropRule.keep(view, A.digest())).containsExactly(B);
        assertRefused(
                view(List.of(mount("1", A, Mount.State.UNKNOWN))),
                ErrorCode.UNAVAILABLE,
                "ns/name@1");
    }

    private static RegionView ofLaterRelease(String key, List<Mount> mounts) {
        return new RegionView(
                List.of(), Set.of(), mounts, List.of(), List.of(), List.of(), Set.of(key));
    }

    @Test
    void theRuleFailsForAManifestThatIsNotMounted() {
        assertRefused(view(List.of()), ErrorCode.NOT_FOUND, A.digest().hex());
    }

    private static void assertRefused(RegionView view, ErrorCode code, String message) {
        assertThatThrownBy(() -> DropRule.keep(view, A.digest()))
                .isInstanceOfSatisfying(
                        ForebayException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    private static RegionView view(List<Mount> mounts, Pin... pins) {
        return new RegionView(List.of(), Set.of(), mounts, List.of(pins));
    }

    private static Mount mount(String version, ManifestRef manifest, Mount.State state) {
        return new Mount(DatasetVersion.of("ns", "name", version), manifest, state);
    }

    private static Pin pin(String version) {
        return new Pin(
                DatasetVersion.of("ns", "name", version),
                "p",
                "job-7",
                "training",
                Duration.ofMinutes(1));
    }

    private static ManifestRef manifest(String hex) {
        return new ManifestRef("s3://b/" + hex, new Digest(hex.repeat(64)), 1, 1, 1);
    }
}
