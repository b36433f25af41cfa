package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VersionPagesTest {

    @Test
    void asManyChunksAreRememberedAsTwoVersionsCanHaveInTheCache() {
        long gib = 1L << 30;
        assertThat(VersionPages.remembered(16 * gib)).as("at least").isEqualTo(16_384);
        assertThat(VersionPages.remembered(512 * gib)).isEqualTo(2 * 512 * 128);
        assertThat(VersionPages.remembered(8192 * gib)).as("at most").isEqualTo(262_144);
        assertThat(VersionPages.remembered(Long.MAX_VALUE)).isEqualTo(262_144);
    }
}
