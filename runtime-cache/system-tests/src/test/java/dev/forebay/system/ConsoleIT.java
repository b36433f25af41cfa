package dev.forebay.system;

import static dev.forebay.system.RunningStack.KOREA;
import static dev.forebay.system.RunningStack.VIRGINIA;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.Fault;
import dev.forebay.devstack.fault.FaultProxy;
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
 * The console as a person sees it: "In the console" in docs/operations.md. The test saves
 * screenshots in {@code target/console}.
 */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleIT {

    private final RunningStack stack;
    private Browser browser;

    ConsoleIT(RunningStack stack) {
        this.stack = stack;
    }

    @BeforeAll
    void prepare() throws Exception {
        Browser.require();
        ShownVersion.make(stack, "console", "<b>alice</b>");
    }

    @BeforeEach
    void startBrowser(@TempDir Path profile) throws Exception {
        browser = new Browser(profile);
    }

    @AfterEach
    void endBrowser(TestInfo test) throws Exception {
        try (Browser ended = browser) {
            Path pictures = Files.createDirectories(Path.of("target", "console"));
            ended.picture(pictures.resolve(test.getTestMethod().orElseThrow().getName() + ".png"));
        }
    }

    @Test
    void theFirstPageLeadsToAVersionWithItsRegionsPinsAndLastError() throws Exception {
        browser.open(stack.stack().api().resolve("/console"));
        browser.shows(
                "Regions",
                KOREA + "\treachable\t2 of 2 live\t",
                "s3://datasets/console/",
                // The part of the page about regions that wait for an operator.
                VIRGINIA + "\tconsole/shown\tv1\tLAKE_OBJECT_CHANGED: ",
                "'forebay resume console/shown@v1 --region " + VIRGINIA + "'");
        browser.click("console/shown");
        browser.shows("1.46 KiB", KOREA + " CACHED 100 %", VIRGINIA + " BLOCKED");
        browser.click("v1");

        String shown =
                browser.shows(
                        "console/shown@v1",
                        KOREA + "\tCACHED\t100 %\t1.46 KiB",
                        VIRGINIA + "\tBLOCKED",
                        "LAKE_OBJECT_CHANGED",
                        // The page shows text from other users as text, and not as HTML.
                        KOREA + "\t<b>alice</b>\ttraining\tin ");
        assertThat(shown).containsPattern("LAKE_OBJECT_CHANGED: .*console/b\\.bin");
    }

    @Test
    void theConsoleShowsRegionHistoryLeakedPinsAndCosts() throws Exception {
        browser.open(
                stack.stack()
                        .api()
                        .resolve(
                                "/console#/datasets/console/shown/versions/v1/regions/"
                                        + VIRGINIA));
        browser.shows(
                "console/shown@v1 in " + VIRGINIA, "History", "\tBLOCKED\tLAKE_OBJECT_CHANGED: ");
        browser.click("Pins");
        browser.shows("Leaked pins", "console/shown\tv1\t" + KOREA + "\t<b>alice</b>\ttraining");
        browser.click("Costs");
        browser.shows("Budgets", "Namespace\tFrom the lake\tRequests");
    }

    /** A wait in the queue is no fault, unlike anything else that blocks a region. */
    @Test
    void theConsoleDoesNotShowAWaitInTheQueueAsAnError() throws Exception {
        try (FaultProxy proxy = FaultProxy.before(stack.stack().api())) {
            proxy.spoil(
                    request ->
                            request.target().endsWith("/versions/v1")
                                    ? new Fault.Rewrite(ConsoleIT::waiting)
                                    : Fault.NONE);
            browser.open(proxy.endpoint().resolve("/console#/datasets/console/shown/versions/v1"));
            browser.shows("waits: ");
            assertThat(browser.look("waits: ")).isEqualTo("busy");
            proxy.spoil(_ -> Fault.NONE);
            browser.becomes("LAKE_OBJECT_CHANGED: ");
            assertThat(browser.look("LAKE_OBJECT_CHANGED")).isEqualTo("bad");
        }
    }

    /** Makes the region that is BLOCKED wait instead. Keeps the number of characters. */
    private static String waiting(String version) {
        return version.replace("\"BLOCKED\"", "\"WARMING\"")
                .replace("\"LAKE_OBJECT_CHANGED\"", "\"CAPACITY_EXCEEDED\"  ")
                .replace("\"blocked\"", "\"blocking\"")
                .replace("\"waiting\"", "\"blocked\"")
                .replace("\"blocking\"", "\"waiting\"");
    }

    /** An unreachable part does not break the page, and the page shows it again once it is back. */
    @Test
    void theConsoleReportsAnUnreachableQueueAndShowsItAgainOnceItAnswers() throws Exception {
        try (FaultProxy proxy = FaultProxy.before(stack.stack().api())) {
            proxy.spoil(
                    request ->
                            request.target().contains("/queue")
                                    ? new Fault.Status(503)
                                    : Fault.NONE);
            browser.open(proxy.endpoint().resolve("/console"));
            browser.shows(KOREA + ": HTTP 503", "is not known", "console/shown");
            proxy.spoil(_ -> Fault.NONE);
            assertThat(browser.becomes("No version waits.")).doesNotContain("HTTP 503");
        }
    }

    /**
     * Tests when the console asks for a token and what it then shows. Other tests check that the
     * API accepts a token.
     */
    @Test
    void theConsoleAsksForATokenWhenTheApiRequiresOne() throws Exception {
        try (FaultProxy proxy = FaultProxy.before(stack.stack().api())) {
            proxy.spoil(
                    request ->
                            request.target().startsWith("/api")
                                    ? new Fault.Status(401)
                                    : Fault.NONE);
            browser.open(proxy.endpoint().resolve("/console"));
            browser.becomes("This control plane requires a token.");
            browser.fill("login", "no such token: \u2026");
            browser.becomes("A token consists of");
            browser.fill("login", "0123456789abcdef");
            assertThat(browser.becomes("This is not the token of this control plane."))
                    .doesNotContain("console/shown");
            proxy.spoil(_ -> Fault.NONE);
            browser.fill("login", "fedcba9876543210");
            assertThat(browser.becomes("console/shown")).doesNotContain("token");
        }
    }
}
