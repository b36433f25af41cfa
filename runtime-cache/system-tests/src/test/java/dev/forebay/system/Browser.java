package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.tool.Toolbox;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** One page in headless Chromium, used like a person would. Not thread-safe. */
final class Browser implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** A page does not notice later changes on its server, so it is loaded again. */
    private static final Duration FRESH = Duration.ofSeconds(10);

    private static final Pattern LISTENING =
            Pattern.compile("DevTools listening on ws://([^/\\s]+)/\\S+\\s");

    /** Returns the rendered text, including frames. */
    private static final String SHOWN =
            """
            (function shown(frame) {
              const inner = Array.from(frame.frames, each => shown(each));
              return [frame.document.body.innerText, ...inner].join("\\n");
            })(window)
            """;

    private static final String CLICK =
            """
            (function click(text) {
              const link = [...document.links].find(each => each.textContent.trim() === text);
              link?.click();
              return link !== undefined;
            })
            """;

    private static final String FILL =
            """
            (function fill(id, text) {
              const form = document.getElementById(id);
              const shown = form?.checkVisibility() ?? false;
              if (shown) {
                form.querySelector("input").value = text;
                form.requestSubmit();
              }
              return shown;
            })
            """;

    private static final String LOOK =
            """
            (function look(text) {
              return [...document.querySelectorAll("span")]
                .find(each => each.textContent.includes(text))?.className ?? "";
            })
            """;

    private final HttpClient http = HttpClient.newHttpClient();
    private final Process process;
    private final Path log;
    private final DevTools page;

    /** Skips the test if there is no Chromium, and says why. */
    static Path require() {
        try {
            return Toolbox.ofThisMachine().chromium();
        } catch (DevstackException e) {
            return Assumptions.abort("no browser: " + e.getMessage());
        }
    }

    /**
     * Starts Chromium with an empty page.
     *
     * @param directory for its profile and log
     */
    Browser(Path directory) throws IOException, InterruptedException {
        this.log = directory.resolve("chromium.log");
        this.process =
                new ProcessBuilder(
                                require().toString(),
                                // Chromium refuses to start as root otherwise. It opens only our
                                // own servers.
                                "--no-sandbox",
                                "--disable-gpu",
                                // Containers have little shared memory.
                                "--disable-dev-shm-usage",
                                "--disable-background-networking",
                                "--lang=en-US",
                                "--window-size=1600,1200",
                                "--user-data-dir=" + directory.resolve("profile"),
                                "--remote-debugging-port=0",
                                "about:blank")
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            this.page = new DevTools(http, newPage());
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            end();
            throw e;
        }
    }

    /** Navigates to an address. Its content may appear a while later. */
    void open(URI address) throws IOException, InterruptedException {
        JsonNode result = page.call("Page.navigate", Map.of("url", address.toString()));
        if (result.has("errorText")) {
            throw new IOException("%s: %s".formatted(address, result.get("errorText").asText()));
        }
    }

    /** Clicks the link with this text as soon as it appears. */
    void click(String text) throws IOException {
        String click = CLICK + "(" + JSON.writeValueAsString(text) + ")";
        Await.until("a link '%s'".formatted(text), TIMEOUT, () -> evaluate(click).asBoolean());
    }

    /** Returns the CSS class that determines how a visible text looks. */
    String look(String text) throws IOException, InterruptedException {
        return evaluate(LOOK + "(" + JSON.writeValueAsString(text) + ")").asText();
    }

    /** Writes into the only field of a visible form, and submits it. */
    void fill(String form, String text) throws IOException {
        String fill =
                FILL
                        + "(%s, %s)"
                                .formatted(
                                        JSON.writeValueAsString(form),
                                        JSON.writeValueAsString(text));
        Await.until("a form " + form, TIMEOUT, () -> evaluate(fill).asBoolean());
    }

    /**
     * Waits until the page shows all these texts, and reloads it from time to time.
     *
     * @return the visible text, with tabs between the cells of a row
     */
    String shows(String... wanted) throws IOException, InterruptedException {
        return shows(FRESH, wanted);
    }

    /** Works like {@link #shows(String...)}, but does not reload the page. */
    String becomes(String... wanted) throws IOException, InterruptedException {
        return shows(TIMEOUT, wanted);
    }

    private String shows(Duration fresh, String... wanted)
            throws IOException, InterruptedException {
        Instant deadline = Instant.now().plus(TIMEOUT);
        Instant stale = Instant.now().plus(fresh);
        String shown = shown();
        while (!Stream.of(wanted).allMatch(shown::contains) && Instant.now().isBefore(deadline)) {
            if (Instant.now().isAfter(stale)) {
                page.call("Page.reload", Map.of());
                stale = Instant.now().plus(fresh);
            }
            Await.pause();
            shown = shown();
        }
        assertThat(shown).contains(wanted);
        return shown;
    }

    /** Saves a screenshot of the page. */
    void picture(Path png) throws IOException, InterruptedException {
        JsonNode shot = page.call("Page.captureScreenshot", Map.of("format", "png"));
        Files.write(png, Base64.getDecoder().decode(shot.get("data").asText()));
    }

    /** Returns all visible text, or nothing while the page loads. */
    private String shown() throws IOException, InterruptedException {
        requireAlive();
        try {
            return evaluate(SHOWN).asText();
        } catch (IOException notYet) {
            return "";
        }
    }

    private JsonNode evaluate(String script) throws IOException, InterruptedException {
        JsonNode answer =
                page.call("Runtime.evaluate", Map.of("expression", script, "returnByValue", true));
        if (answer.has("exceptionDetails")) {
            throw new IOException(answer.get("exceptionDetails").toString());
        }
        return answer.path("result").path("value");
    }

    /** Returns the WebSocket of a new page. */
    private URI newPage() throws IOException, InterruptedException {
        String[] address = {""};
        Await.until(
                "Chromium listens",
                TIMEOUT,
                () -> {
                    requireAlive();
                    Matcher listening = LISTENING.matcher(Files.readString(log));
                    boolean found = listening.find();
                    address[0] = found ? listening.group(1) : "";
                    return found;
                });
        HttpRequest request =
                HttpRequest.newBuilder(
                                URI.create("http://%s/json/new?about:blank".formatted(address[0])))
                        .timeout(TIMEOUT)
                        .PUT(HttpRequest.BodyPublishers.noBody())
                        .build();
        String answer = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        return URI.create(JSON.readTree(answer).path("webSocketDebuggerUrl").asText());
    }

    private void requireAlive() throws IOException {
        if (!process.isAlive()) {
            throw new AssertionError("Chromium has ended: " + Files.readString(log));
        }
    }

    /** Kills Chromium, which has no state to keep. */
    private void end() {
        List<ProcessHandle> all =
                Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        CompletableFuture.allOf(
                        all.stream()
                                .map(ProcessHandle::onExit)
                                .toArray(CompletableFuture<?>[]::new))
                .completeOnTimeout(null, 10, TimeUnit.SECONDS)
                .join();
        http.shutdownNow();
    }

    @Override
    public void close() {
        page.close();
        end();
    }
}
