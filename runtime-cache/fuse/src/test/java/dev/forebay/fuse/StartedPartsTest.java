package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartedPartsTest {

    private final List<String> closed = new ArrayList<>();
    private final StartedParts parts = new StartedParts();

    @Test
    void closeRunsInReverseOrder() {
        parts.add(part("directory"));
        parts.add(part("region"));
        parts.add(part("mount"));

        parts.close();

        assertThat(closed).containsExactly("mount", "region", "directory");
    }

    @Test
    void closeFirstClosesAPartBeforeTheOthers() {
        AutoCloseable server = part("server");
        parts.add(server);
        parts.add(part("mount"));
        parts.closeFirst(server);

        parts.close();

        assertThat(closed).containsExactly("server", "mount");
    }

    @Test
    void closeContinuesWhenAPartFails() {
        parts.add(part("directory"));
        parts.add(
                () -> {
                    throw new IllegalStateException("busy");
                });
        parts.add(
                () -> {
                    throw new OutOfMemoryError("simulated");
                });

        parts.close();

        assertThat(closed).containsExactly("directory");
    }

    @Test
    void aSecondCloseDoesNothing() {
        parts.add(part("mount"));
        parts.close();

        parts.close();

        assertThat(closed).containsExactly("mount");
    }

    private AutoCloseable part(String name) {
        return () -> closed.add(name);
    }
}
