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

    /** A power failure may leave an empty file. */
    @Test
    void anEmptyIdFileGetsANewId() throws Exception {
        Path file = Files.createFile(directory.resolve("worker-id"));
        assertThat(WorkerIdentity.of(directory)).isEqualTo(Files.readString(file).strip());
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
