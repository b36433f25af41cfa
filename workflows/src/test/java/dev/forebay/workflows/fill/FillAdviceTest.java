package dev.forebay.workflows.fill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Problem;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FillAdviceTest {

    private static final DatasetVersion VERSION = DatasetVersion.parse("team/digits@v1");
    private static final RegionName REGION = new RegionName("us-1");

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void everyCodeHasAdviceWithCommandsToPaste(ErrorCode code) {
        Problem advised = FillAdvice.with(new Problem(code, "it broke."), VERSION, REGION);

        assertThat(advised.code()).isEqualTo(code);
        assertThat(advised.message())
                .startsWith("it broke. To do: ")
                .endsWith(
                        "; then 'forebay resume team/digits@v1 --region us-1', or 'forebay abandon team/digits@v1 --region us-1' to give it up")
                .doesNotContain("%")
                .doesNotContainPattern("\\b(PUT|POST|DELETE)\\b");
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void theRunbookListsEveryCodeThatIsNotADefect(ErrorCode code) throws Exception {
        String runbook = Files.readString(Path.of("../docs/operations.md"));
        String table =
                runbook.substring(
                        runbook.indexOf("### A version is BLOCKED"),
                        runbook.indexOf("### A version waits for space"));
        String advice = FillAdvice.with(new Problem(code, "it broke"), VERSION, REGION).message();

        assertThat(table.contains("`" + code + "`") || advice.contains("report the failed"))
                .as("docs/operations.md, A version is BLOCKED: " + code)
                .isTrue();
    }
}
