package dev.forebay.lake;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyOrderTest {

    @Test
    void utf8OrderIsTheOrderOfTheBytes() {
        List<String> keys =
                List.of(
                        "", "a", "ab", "a/b", "a~", "~", "\u007f", "ä", "\ud7ff", "\ue000",
                        "\uffff", "😀", "😁", "a😀", "a\ue000");
        for (String one : keys) {
            for (String other : keys) {
                int bytes =
                        Arrays.compareUnsigned(
                                one.getBytes(StandardCharsets.UTF_8),
                                other.getBytes(StandardCharsets.UTF_8));
                assertThat(Integer.signum(KeyOrder.UTF8.compare(one, other)))
                        .as("%s, %s", one, other)
                        .isEqualTo(Integer.signum(bytes));
            }
        }
    }
}
