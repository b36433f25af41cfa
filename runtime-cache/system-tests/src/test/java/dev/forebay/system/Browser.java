package dev.forebay.system;

import dev.forebay.devstack.tool.Toolbox;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Chromium without a window, for pages of this machine's own servers. */
final class Browser {

    private static final int SECONDS = 60;

    private final Path program = Toolbox.ofThisMachine().chromium();
    private final Path profile;

    /**
     * @param directory for its profile
     */
    Browser(Path directory) {
        this.profile = directory;
    }

    /** What a page has become when its scripts have asked for all that they need, as HTML. */
    String open(URI page) throws IOException, InterruptedException {
        Path html = Files.createTempFile(profile, "page", ".html");
        Process process =
                new ProcessBuilder(
                                List.of(
                                        program.toString(),
                                        // It does not start as root otherwise.
                                        "--no-sandbox",
                                        "--disable-gpu",
                                        "--disable-dev-shm-usage",
                                        "--user-data-dir=" + profile,
                                        "--window-size=1600,2400",
                                        "--virtual-time-budget=20000",
                                        "--dump-dom",
                                        page.toString()))
                        .redirectOutput(html.toFile())
                        .redirectError(profile.resolve("browser.log").toFile())
                        .start();
        try {
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(
                        "Chromium cannot show %s: %s"
                                .formatted(page, Files.readString(profile.resolve("browser.log"))));
            }
            return Files.readString(html);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
