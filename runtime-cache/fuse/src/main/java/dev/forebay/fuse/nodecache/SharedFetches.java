package dev.forebay.fuse.nodecache;

import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Deduplicates the fetches of a piece: one thread fetches it while others wait for the result.
 * Thread-safe.
 */
final class SharedFetches {

    /** Longer than the timeout of a read from workers. */
    private static final long TIMEOUT_SECONDS = 60;

    private record Key(PackId pack, long piece) {}

    /** Fetches the missing bytes of a piece. */
    @FunctionalInterface
    interface Flight<T> {
        T run() throws IOException;
    }

    /** The failure of a piece for one version; the fetch for another version may succeed. */
    private record Failure(Digest manifest, ForebayException cause) {}

    private final Map<Key, CompletableFuture<Optional<Failure>>> underWay =
            new ConcurrentHashMap<>();

    /**
     * Runs {@code flight} unless another thread is fetching the piece; otherwise waits for that
     * thread.
     *
     * @param manifest the manifest of the version that needs the piece
     * @param at an offset in the piece
     * @return the result of the flight, if it ran
     * @throws ForebayException the failure of this flight, or of the other one if it was for the
     *     same version
     */
    <T> Optional<T> lead(Digest manifest, PackId pack, long at, Flight<T> flight)
            throws IOException {
        Key piece = new Key(pack, at / PackUnits.PIECE);
        CompletableFuture<Optional<Failure>> mine = new CompletableFuture<>();
        CompletableFuture<Optional<Failure>> other = underWay.putIfAbsent(piece, mine);
        if (other != null) {
            await(other, manifest);
            return Optional.empty();
        }
        try {
            return Optional.of(flight.run());
        } catch (ForebayException e) {
            mine.complete(Optional.of(new Failure(manifest, e)));
            throw e;
        } finally {
            underWay.remove(piece);
            mine.complete(Optional.empty());
        }
    }

    private static void await(CompletableFuture<Optional<Failure>> other, Digest manifest) {
        Optional<Failure> failure;
        try {
            failure =
                    other.get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                            .filter(each -> each.manifest.equals(manifest));
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        } catch (TimeoutException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "another reader of the same bytes has waited for more than %d s: check the workers with 'forebay regions'"
                            .formatted(TIMEOUT_SECONDS),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        }
        if (failure.isPresent()) {
            ForebayException cause = failure.get().cause;
            throw new ForebayException(cause.code(), String.valueOf(cause.getMessage()), cause);
        }
    }
}
