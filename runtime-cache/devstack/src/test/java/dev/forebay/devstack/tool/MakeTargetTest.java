package dev.forebay.devstack.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MakeTargetTest {
    @TempDir Path directory;

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Progress progress = Progress.lines(lines::add);

    @Test
    void parseReadsNameDurationAndTarget() {
        assertThat(MakeTarget.parse("make", "Forebay's programs=60=target/programs"))
                .isEqualTo(
                        new MakeTarget(
                                "make",
                                "Forebay's programs",
                                Duration.ofMinutes(1),
                                "target/programs"));
    }

    @Test
    void makeDecidesWhetherTheTargetIsMissing() throws IOException {
        assertThat(target("[ \"$*\" = '-q it' ] && exit 1; exit 2").isMissing()).isTrue();
        assertThat(target("[ \"$*\" = '-q it' ] && exit 0; exit 2").isMissing()).isFalse();
    }

    @Test
    void makeInheritsNoFlagsOfAnotherMake() throws IOException {
        target("echo \"flags:$MAKEFLAGS.\" >> " + directory.resolve("seen")).make(progress);

        assertThat(directory.resolve("seen")).hasContent("flags:.");
    }

    @Test
    void aFailureShowsAllOutputOfMake() throws IOException {
        MakeTarget failing = target("echo building; echo broken >&2; exit 2");

        assertThatThrownBy(() -> failing.make(progress))
                .hasMessageContaining("make it failed")
                .hasMessageContaining("building\nbroken");
        assertThat(lines).containsExactly("thing: started, usually takes 5 s");
    }

    @Test
    void theTargetReportsWhenItIsDone() throws IOException {
        target("exit 0").make(progress);

        assertThat(lines).last().asString().startsWith("thing: done in");
    }

    private MakeTarget target(String script) throws IOException {
        Path make = Files.createTempFile(directory, "make", "");
        Files.writeString(make, "#!/bin/sh\n" + script + "\n");
        assertThat(make.toFile().setExecutable(true)).isTrue();
        return new MakeTarget(make.toString(), "thing", Duration.ofSeconds(5), "it");
    }
}
