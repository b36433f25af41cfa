package dev.forebay.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Names become paths and etcd keys, so each name must be refused if it could escape its directory
 * or key.
 */
class NamesTest {
    private static void refuses(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    @Test
    void aParsedVersionIsPrintedUnchanged() {
        DatasetVersion version = DatasetVersion.parse("team/images@2026-11");

        assertThat(version).isEqualTo(DatasetVersion.of("team", "images", "2026-11"));
        assertThat(version).hasToString("team/images@2026-11");
        assertThat(version.path()).isEqualTo("team/images/2026-11");
        assertThat(version.dataset()).hasToString("team/images");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "images@v1",
                "team/images",
                "@v1",
                "/images@v1",
                "team/@v1",
                "a/b/c@v1",
                "team/images@",
                "team/images@../v1",
                "team/images@.hidden",
                "../images@v1",
                "team/..@v1",
                "Team/images@v1"
            })
    void anInvalidVersionNameIsRefused(String text) {
        refuses(() -> DatasetVersion.parse(text));
    }

    @Test
    void namesAreBoundedInLength() {
        String longest = "a".repeat(63);

        assertThat(new DatasetName(longest, longest).name()).hasSize(63);
        refuses(() -> new DatasetName(longest + "a", "b"));
        refuses(() -> new DatasetName("a", longest + "b"));
        assertThat(DatasetVersion.of("a", "b", "v".repeat(127)).version()).hasSize(127);
        refuses(() -> DatasetVersion.of("a", "b", "v".repeat(128)));
    }

    @Test
    void anotherReturnsAValidNameForTheLongestName() {
        assertThat(new DatasetName("a", "b").another()).hasToString("a/b-2");
        assertThat(new DatasetName("a", "b".repeat(63)).another().name())
                .isEqualTo("b".repeat(61) + "-2");
    }

    @Test
    void regionsAndNodesAreNamedLikeHosts() {
        assertThat(new RegionName("us-east-1")).hasToString("us-east-1");
        assertThat(new NodeName("ip-10-0-0-7.internal")).hasToString("ip-10-0-0-7.internal");
        refuses(() -> new RegionName("us_east"));
        refuses(() -> new RegionName("us.east"));
        refuses(() -> new RegionName("-us"));
        refuses(() -> new NodeName("a/b"));
        refuses(() -> new NodeName(""));
    }

    @Test
    void aDigestIsHexadecimal() {
        Digest digest = new Digest("0123456789ab" + "c".repeat(52));

        assertThat(digest.abbreviated()).isEqualTo("0123456789ab");
        assertThat(digest).hasToString(digest.hex());
        assertThat(new PackId(digest)).hasToString(digest.hex());
        assertThat(new ChunkId(new PackId(digest), 7)).hasToString(digest.hex() + "/7");
        refuses(() -> new Digest("C".repeat(64)));
        refuses(() -> new Digest("c".repeat(63)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://host:1", "http:///path", "https://me@host:1", "host"})
    void anInvalidGatewayAddressIsRefused(String address) {
        refuses(() -> new Sibling(URI.create(address), true));
    }

    @Test
    void aGatewayMayUseHttpOrHttps() {
        assertThat(new Sibling(URI.create("http://host:1"), true).onPremises()).isTrue();
        assertThat(new Sibling(URI.create("https://host:1"), false).onPremises()).isFalse();
    }
}
