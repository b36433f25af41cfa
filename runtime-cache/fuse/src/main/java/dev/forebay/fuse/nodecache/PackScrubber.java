package dev.forebay.fuse.nodecache;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import dev.forebay.thread.ScrubLoop;
import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Verifies cached packs in the background, and has damaged blocks fetched again. No other code
 * verifies what native views read.
 *
 * @param versions returns the mounted versions that have a pack
 */
record PackScrubber(PackCache cache, Function<PackId, List<Digest>> versions)
        implements ScrubLoop.Source<ChunkId> {

    /**
     * Returns a loop that is not started yet.
     *
     * @param bytesPerSecond the rate, more than 0
     * @param pause between two rounds
     */
    static ScrubLoop<ChunkId> loop(
            PackCache cache,
            Function<PackId, List<Digest>> versions,
            long bytesPerSecond,
            Duration pause) {
        return new ScrubLoop<>(
                Thread.ofPlatform().daemon().name("scrub"),
                new PackScrubber(cache, versions),
                bytesPerSecond,
                pause);
    }

    @Override
    public Iterator<ChunkId> items() {
        Stream<ChunkId> chunks =
                cache.packs().stream()
                        .sorted(Comparator.comparing(PackId::toString))
                        .flatMap(
                                pack ->
                                        IntStream.range(0, cache.chunks(pack))
                                                .mapToObj(index -> new ChunkId(pack, index)));
        return chunks.iterator();
    }

    @Override
    public void verify(ChunkId chunk, ScrubLoop.Pace pace) {
        boolean _ = pace.endsAfter(cache.scrub(chunk, versions));
    }
}
