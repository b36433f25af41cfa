package dev.forebay.system;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The <a href="https://chromedevtools.github.io/devtools-protocol/">DevTools protocol</a> of a page
 * in Chromium: one command at a time, no events. Not thread-safe.
 */
final class DevTools implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SECONDS = 30;

    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final WebSocket socket;
    private int commands;

    /**
     * @param page the page's WebSocket
     */
    DevTools(HttpClient http, URI page) throws IOException, InterruptedException {
        this.socket = get(http.newWebSocketBuilder().buildAsync(page, new Listener()));
    }

    /** Sends a command and returns its result. An error from Chromium becomes an IOException. */
    JsonNode call(String method, Map<String, ?> parameters)
            throws IOException, InterruptedException {
        int id = ++commands;
        Map<String, ?> command = Map.of("id", id, "method", method, "params", parameters);
        get(socket.sendText(JSON.writeValueAsString(command), true));
        JsonNode answer;
        do {
            String text = answers.poll(SECONDS, TimeUnit.SECONDS);
            if (text == null) {
                throw new IOException("no answer to %s in %d s".formatted(method, SECONDS));
            }
            answer = JSON.readTree(text);
            // Skips late answers to earlier commands.
        } while (answer.path("id").asInt() != id);
        if (answer.has("error")) {
            throw new IOException("%s: %s".formatted(method, answer.get("error")));
        }
        return answer.path("result");
    }

    @Override
    public void close() {
        socket.abort();
    }

    private static <T> T get(CompletableFuture<T> future) throws IOException, InterruptedException {
        try {
            return future.get(SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("Chromium cannot be reached", e);
        }
    }

    /** Messages arrive in pieces. */
    private final class Listener implements WebSocket.Listener {

        private final StringBuilder pieces = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket from, CharSequence piece, boolean last) {
            pieces.append(piece);
            if (last) {
                answers.add(pieces.toString());
                pieces.setLength(0);
            }
            from.request(1);
            return null;
        }
    }
}
