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

/** Who brings which piece of a pack: one at a time each, while others wait. */
final class Flights {

    /** Longer than whatever is tried to read from workers. */
    private static final long PATIENCE_SECONDS = 60;

    private record Key(PackId pack, long piece) {}

    /** Brings what is missing. */
    @FunctionalInterface
    interface Flight<T> {
        T run() throws IOException;
    }

    /** Why a piece could not be brought for a version; another may have it. */
    private record Failure(Digest manifest, ForebayException cause) {}

    private final Map<Key, CompletableFuture<Optional<Failure>>> underWay =
            new ConcurrentHashMap<>();

    /**
     * Runs {@code flight} if nobody is bringing something of the piece; else waits for who does.
     *
     * @param manifest of the version that asks
     * @param at an offset in the piece
     * @return what it gave, if it was run
     * @throws ForebayException what the flight threw: this one, or the other's for the same version
     */
    <T> Optional<T> lead(Digest manifest, PackId pack, long at, Flight<T> flight)
            throws IOException {
        Key piece = new Key(pack, at / Sizes.PIECE);
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
                    other.get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                            .filter(each -> each.manifest.equals(manifest));
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        } catch (TimeoutException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE, "another reader's fetch takes too long", e);
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
