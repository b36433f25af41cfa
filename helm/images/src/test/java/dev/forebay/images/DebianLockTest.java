package dev.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class DebianLockTest {

    @Test
    void theFileHasEveryLayerThatAProgramNeeds() throws IOException {
        DebianLock lock = DebianLock.read();

        assertThat(lock.layer("base")).extracting(DebianPackage::name).contains("libc6");
        for (Program program : Program.ALL) {
            for (String layer : program.debian()) {
                assertThat(lock.layer(layer)).isNotEmpty();
            }
        }
    }

    @Test
    void aLineWithoutAChecksumIsRefused() {
        assertThatThrownBy(() -> DebianLock.parse("[base]\nlibc6 2.36\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("libc6 2.36");
    }

    @Test
    void aPackageHasTheUrlThatScannersUse() {
        assertThat(new DebianPackage("libstdc++6", "1:2+deb12u1", "").purl())
                .isEqualTo(
                        "pkg:deb/debian/libstdc%2B%2B6@1%3A2%2Bdeb12u1?arch=amd64&distro=debian-12");
    }
}
