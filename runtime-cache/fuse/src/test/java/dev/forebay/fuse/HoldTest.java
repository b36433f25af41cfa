package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class HoldTest {

    @Test
    void theHolderRefusesAnOldKernelAndNamesTheAlternative() {
        ForebayException refused = Hold.tooOld("5.15.0-91-generic", Path.of("/mnt/forebay"));
        assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refused)
                .hasMessageContaining("Linux 5.15.0-91-generic")
                .hasMessageContaining("6.9 or later")
                .hasMessageContaining("'forebay-fuse --mountpoint /mnt/forebay'");
    }
}
