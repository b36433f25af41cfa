package dev.forebay.control.fsck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FindingTest {

    @ParameterizedTest
    @EnumSource(Finding.Kind.class)
    void theOperationsGuideHasARowForEachKind(Finding.Kind kind) throws IOException {
        assertThat(Files.readAllLines(Path.of("../docs/operations.md")))
                .anyMatch(line -> line.startsWith("| `") && line.contains("`" + kind + "`"));
    }

    @Test
    void onlyAFaultWithARepairIsRepairable() {
        RepairableFinding byHand =
                new RepairableFinding(
                        Finding.Kind.MANIFEST_DIFFERS, null, null, "", "m", "r", null);
        RepairableFinding repaired =
                new RepairableFinding(
                        Finding.Kind.POINTER_MISSING,
                        null,
                        null,
                        "",
                        "m",
                        "r",
                        () -> Finding.State.REPAIRED);

        assertThat(byHand.found().state()).isEqualTo(Finding.State.BY_HAND);
        assertThat(byHand.repaired().state()).isEqualTo(Finding.State.BY_HAND);
        assertThat(repaired.found().state()).isEqualTo(Finding.State.REPAIRABLE);
        assertThat(repaired.repaired().state()).isEqualTo(Finding.State.REPAIRED);
        assertThat(repaired.isSame(byHand)).isFalse();
    }
}
