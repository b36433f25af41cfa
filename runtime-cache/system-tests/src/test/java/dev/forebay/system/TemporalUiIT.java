package dev.forebay.system;

import static dev.forebay.system.RunningStack.KOREA;
import static dev.forebay.system.RunningStack.VIRGINIA;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A version as a person sees it in Temporal's UI, without opening an event: "In Temporal's UI" in
 * docs/operations.md. The test saves screenshots in {@code target/temporal-ui}.
 */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TemporalUiIT {

    private static final String VERSION = "ui/shown@v1";
    private static final String WORKFLOW = "dataset/" + VERSION;

    private final RunningStack stack;
    private JsonNode receipt;
    private Browser browser;

    TemporalUiIT(RunningStack stack) {
        this.stack = stack;
    }

    @BeforeAll
    void prepare() throws Exception {
        Browser.require();
        receipt = ShownVersion.make(stack, "ui", "alice");
    }

    @BeforeEach
    void startBrowser(@TempDir Path profile) throws Exception {
        browser = new Browser(profile);
    }

    @AfterEach
    void endBrowser(TestInfo test) throws Exception {
        try (Browser ended = browser) {
            Path pictures = Files.createDirectories(Path.of("target", "temporal-ui"));
            ended.picture(pictures.resolve(test.getTestMethod().orElseThrow().getName() + ".png"));
        }
    }

    @Test
    void theUiFindsADatasetByNameAndShowsItsRegionsCoveragePinsAndLastError() throws Exception {
        browser.open(list("ForebayDataset = \"ui/shown\""));
        browser.click(WORKFLOW);
        browser.click("User Metadata");

        String shown =
                browser.shows(
                        "Dataset ui/shown, version v1",
                        "s3://datasets/ui/",
                        KOREA + "\tCACHED\t100 %",
                        VIRGINIA + "\tBLOCKED\t",
                        VIRGINIA + " is blocked by LAKE_OBJECT_CHANGED");

        assertThat(shown)
                .containsPattern(VIRGINIA + "\tBLOCKED\t\\d\\d? %\t")
                .containsPattern(VIRGINIA + " is blocked by .*ui/b\\.bin.*To do: ")
                .containsPattern("\t%s\talice\ttraining\t20\\d\\d-".formatted(KOREA));
    }

    @Test
    void theUiListsVersionsThatAreBlockedInARegion() throws Exception {
        browser.open(list("ForebayRegions = \"%s:BLOCKED\"".formatted(VIRGINIA)));

        browser.shows(WORKFLOW);
    }

    @Test
    void theLinkOfAReceiptLeadsToTheVersion() throws Exception {
        browser.open(URI.create(receipt.get("workflow_url").asText()));
        browser.click("Search Attributes");

        browser.shows(
                WORKFLOW, "ForebayPinned", KOREA + ":CACHED", VIRGINIA + ":BLOCKED", "ui/shown");
    }

    /** Returns the address of the list of workflows that a query finds. */
    private URI list(String query) {
        return stack.stack()
                .temporal()
                .ui()
                .resolve("/namespaces/default/workflows?query=" + URLEncoder.encode(query, UTF_8));
    }
}
