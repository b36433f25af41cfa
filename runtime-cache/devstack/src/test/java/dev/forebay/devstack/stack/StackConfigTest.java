package dev.forebay.devstack.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.devstack.DevstackException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StackConfigTest {

    @ParameterizedTest
    @ValueSource(strings = {"/d/${user.name}", "/d/two\nlines", "/d/a\ttab"})
    void aDataDirectoryWithUnsupportedCharactersIsRejected(String data) {
        assertThatExceptionOfType(DevstackException.class)
                .isThrownBy(() -> StackConfig.inDirectory(Path.of(data)).build())
                .withMessageContaining("the data directory '/d/")
                .withMessageContaining("must have no control character and no '${'");
    }

    @Test
    void aDataDirectoryMayHaveOtherSpecialCharacters() {
        Path data = Path.of("/d/$a {b} % , 한");
        assertThat(StackConfig.inDirectory(data).build().data()).isEqualTo(data);
    }
}
