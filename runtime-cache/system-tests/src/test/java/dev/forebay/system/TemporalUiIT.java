package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static dev.forebay.system.RunningStack.KOREA;
import static dev.forebay.system.RunningStack.VIRGINIA;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the Temporal UI shows of a version, in a browser. */
@ExtendWith(SharedStack.class)
class TemporalUiIT {

    private static final String VERSION = "ui/shown@v1";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Pattern RUN =
            Pattern.compile("href=\"([^\"]*/workflows/dataset[^\"]*/[0-9a-f-]{36})/");

    private final RunningStack stack;
    private final Api api;

    @TempDir private Path profile;

    TemporalUiIT(RunningStack stack) {
        this.stack = stack;
        this.api = stack.api();
    }

    @Test
    void aPersonFindsADatasetAndSeesItsRegionsPinsAndLastErrorWithoutAnEvent() throws Exception {
        stack.lake().putAll("ui/", Map.of("a.bin", bytes(1, 1000), "b.bin", bytes(2, 500)));
        api.register("ui/shown", "s3://datasets/ui/", Duration.ofHours(1));
        String pinned =
                api.accept(
                        VERSION,
                        Map.of(
                                "region",
                                KOREA,
                                "pin",
                                Map.of("holder", "alice", "lease_seconds", 600)));
        api.receipt(VERSION, KOREA, pinned, PATIENCE);
        stack.lake().put("ui/b.bin", bytes(3, 500));
        String failed = api.accept(VERSION, Map.of("region", VIRGINIA));
        assertThat(api.outcome(VERSION, VIRGINIA, failed, PATIENCE).code())
                .isEqualTo("LAKE_OBJECT_CHANGED");

        String run = find("ForebayDataset=\"ui/shown\"");
        String shown = open(run + "/metadata", "LAKE_OBJECT_CHANGED");

        assertThat(shown)
                .contains(KOREA, "CACHED", "100 %")
                .contains(VIRGINIA, "BLOCKED", "ui/b.bin")
                .contains("alice");
    }

    /** Looks for a workflow as one would in the UI's list; the path of its page. */
    private String find(String query) throws Exception {
        String list =
                open(
                        "/namespaces/default/workflows?query=" + URLEncoder.encode(query, UTF_8),
                        "dataset/ui/shown@v1");
        Matcher run = RUN.matcher(list);
        assertThat(run.find()).as("a link in %s", list).isTrue();
        return run.group(1);
    }

    /** Opens a page until it shows something: what the UI lists is told a moment later. */
    private String open(String path, String something) {
        URI page = stack.stack().temporal().ui().resolve(path);
        Browser browser = new Browser(profile);
        String[] html = {""};
        Await.until(
                something + " is shown at " + page,
                PATIENCE,
                () -> {
                    html[0] = browser.open(page);
                    return html[0].contains(something);
                });
        return html[0];
    }
}
