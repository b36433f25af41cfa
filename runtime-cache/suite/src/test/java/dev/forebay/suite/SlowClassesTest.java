package dev.forebay.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlowClassesTest {
    @TempDir Path directory;

    @Test
    void aClassMayTakeAMinuteUnlessItIsListed() throws IOException {
        SlowClasses slow =
                SlowClasses.read(list("# a comment\n\nCrashIT 90 kills every process\n"));
        assertThat(slow.allowedSeconds("OtherIT")).isEqualTo(60);
        assertThat(slow.allowedSeconds("CrashIT")).isEqualTo(90);
        assertThat(slow.hangsAfterSeconds("CrashIT")).isEqualTo(360);
        assertThat(slow.hangsAfterSeconds("OtherIT"))
                .as("JUnit ends the test before")
                .isGreaterThan((int) Fork.TEST_LIMIT.toSeconds());
    }

    @Test
    void refusesALineWithoutAReason() throws IOException {
        Path list = list("CrashIT 90\n");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SlowClasses.read(list))
                .withMessageContaining("CrashIT 90");
    }

    private Path list(String text) throws IOException {
        return Files.writeString(directory.resolve("slow-classes.txt"), text);
    }
}
