package dev.forebay.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestQueueTest {
    private static final MavenModule LARGE = new MavenModule(Path.of("/"), "large");
    private static final MavenModule SMALL = new MavenModule(Path.of("/"), "small");
    private static final TestClass LONG = new TestClass(LARGE, SuitePart.UNIT, "LongTest");
    private static final TestClass MIDDLE = new TestClass(LARGE, SuitePart.UNIT, "MiddleTest");
    private static final TestClass SHORT = new TestClass(LARGE, SuitePart.UNIT, "ShortTest");
    private static final TestClass OTHER = new TestClass(SMALL, SuitePart.UNIT, "OtherTest");
    private static final Job JOB = new Job("job", "true");

    @TempDir Path directory;
    private ClassTimes known;
    private TestQueue agenda;

    @BeforeEach
    void plan() throws IOException {
        Path times = directory.resolve("times.tsv");
        Files.writeString(
                times,
                """
                # seconds
                30.0\t7.6\tlarge\tLongTest
                20.0\t4.9\tlarge\tMiddleTest
                10.0\t1.0\tlarge\tShortTest
                40.0\t1.0\tsmall\tOtherTest
                15.0\t1.0\tjob\tjob
                """);
        known = ClassTimes.read(times);
        agenda = new TestQueue(List.of(SHORT, JOB, OTHER, LONG, MIDDLE), known);
    }

    @Test
    void theFirstSlotTakesTheLongestClassOfTheLargestGroup() {
        assertThat(agenda.next(Optional.empty())).contains(LONG);
    }

    @Test
    void aSlotStaysWithItsGroup() {
        assertThat(agenda.next(Optional.of(take()))).contains(MIDDLE);
    }

    @Test
    void aNewSlotTakesTheGroupWithTheMostSecondsPerSlot() {
        assertThat(take()).isEqualTo(LONG);
        assertThat(take()).as("40 s against 30 s shared by two slots").isEqualTo(OTHER);
        assertThat(take()).as("15 s against 30 s shared by two slots: the first").isEqualTo(MIDDLE);
    }

    @Test
    void theAgendaHandsOutEachItemOnce() {
        List<Work> taken = new ArrayList<>();
        Optional<Work> next = agenda.next(Optional.empty());
        while (next.isPresent()) {
            taken.add(next.get());
            next = agenda.next(next);
        }
        assertThat(taken).containsExactlyInAnyOrder(LONG, MIDDLE, SHORT, OTHER, JOB);
    }

    @Test
    void aClassThatUsesAtMostAQuarterOfAProcessorWaits() {
        assertThat(known.waits(MIDDLE)).isTrue();
        assertThat(known.waits(LONG)).isFalse();
        assertThat(known.waits(new TestClass(SMALL, SuitePart.UNIT, "NewTest"))).isFalse();
    }

    private Work take() {
        return agenda.next(Optional.empty()).orElseThrow();
    }
}
