package dev.forebay.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class XxHash32Test {

    @ParameterizedTest
    @CsvSource({
        "'', 0, 02CC5D05",
        "'', 2654435761, 36B78AE7",
        "a, 0, 550D7456",
        "abc, 0, 32D153FF",
        "Nobody inspects the spammish repetition, 0, E2293B2F"
    })
    void agreesWithPublishedValues(String text, long seed, String hash) {
        assertThat(XxHash32.hash(text.getBytes(StandardCharsets.US_ASCII), (int) seed))
                .isEqualTo((int) Long.parseLong(hash, 16));
    }

    @Test
    void filterBitsOfAclsMatchTheKernel() {
        // fs/erofs/xattr.c, erofs_inode_has_noacl: BIT(30) for access, BIT(21) for default.
        assertThat(Attribute.filterBit(2, new byte[0])).isEqualTo(1 << 30);
        assertThat(Attribute.filterBit(3, new byte[0])).isEqualTo(1 << 21);
    }
}
