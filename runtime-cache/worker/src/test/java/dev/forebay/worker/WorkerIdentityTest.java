package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ForebayException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkerIdentityTest {

    @TempDir private Path directory;

    @Test
    void theIdIsCreatedOnceAndKept() {
        assertThat(WorkerIdentity.of(directory))
                .startsWith("w-")
                .isEqualTo(WorkerIdentity.of(directory));
    }

    @Test
    void theErrorNamesTheFileAndTheInvalidId() throws Exception {
        Files.writeString(directory.resolve("worker-id"), "a b");
        assertThatThrownBy(() -> WorkerIdentity.of(directory))
                .isInstanceOf(ForebayException.class)
                .hasMessageContaining("worker-id")
                .hasMessageContaining("'a b'");
    }
}
