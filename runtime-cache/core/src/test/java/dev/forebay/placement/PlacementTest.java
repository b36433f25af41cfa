package dev.forebay.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PlacementTest {

    private static final int CHUNKS = 20_000;
    private static final PackId PACK = PackId.parse("0123456789abcdef".repeat(4));

    private static WorkerNode worker(String id, long capacity) {
        return new WorkerNode(id, URI.create("http://" + id), capacity);
    }

    private static List<WorkerNode> workers(int count) {
        List<WorkerNode> workers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            workers.add(worker("worker-" + i, 1L << 40));
        }
        return workers;
    }

    private static Map<String, Integer> shares(List<WorkerNode> workers) {
        Map<String, Integer> shares = new HashMap<>();
        for (int i = 0; i < CHUNKS; i++) {
            shares.merge(owner(i, workers), 1, Integer::sum);
        }
        return shares;
    }

    private static String owner(int index, List<WorkerNode> workers) {
        return Placement.rank(new ChunkId(PACK, index), workers).getFirst().id();
    }

    @Test
    void theRankingContainsEveryWorkerInAnyInputOrder() {
        List<WorkerNode> workers = workers(7);
        List<WorkerNode> shuffled = new ArrayList<>(workers);
        Collections.shuffle(shuffled, new Random(1));
        for (int i = 0; i < 100; i++) {
            ChunkId chunk = new ChunkId(PACK, i);
            assertThat(Placement.rank(chunk, workers))
                    .containsExactlyInAnyOrderElementsOf(workers)
                    .isEqualTo(Placement.rank(chunk, shuffled));
        }
        assertThat(Placement.rank(new ChunkId(PACK, 0), List.of())).isEmpty();
    }

    @Test
    void equalWorkersHaveEqualShares() {
        shares(workers(10))
                .forEach(
                        (id, share) ->
                                assertThat(share)
                                        .as(id)
                                        .isCloseTo(CHUNKS / 10, within(CHUNKS / 10 / 8)));
    }

    @Test
    void sharesFollowCapacity() {
        Map<String, Integer> shares =
                shares(List.of(worker("a", 1 << 20), worker("b", 2 << 20), worker("c", 5 << 20)));
        assertThat(shares.get("a")).isCloseTo(CHUNKS / 8, within(CHUNKS / 100));
        assertThat(shares.get("b")).isCloseTo(CHUNKS / 4, within(CHUNKS / 100));
        assertThat(shares.get("c")).isCloseTo(CHUNKS * 5 / 8, within(CHUNKS / 100));
        assertThat(shares(List.of(worker("a", 1), worker("none", 0)))).containsOnlyKeys("a");
    }

    @Test
    void aJoiningWorkerMovesOnlyItsOwnShare() {
        List<WorkerNode> before = workers(10);
        List<WorkerNode> after = workers(11);
        int moved = 0;
        for (int i = 0; i < CHUNKS; i++) {
            String now = owner(i, after);
            if (!now.equals(owner(i, before))) {
                moved++;
                assertThat(now).isEqualTo("worker-10");
            }
        }
        assertThat(moved).isCloseTo(CHUNKS / 11, within(CHUNKS / 11 / 8));
    }

    @Test
    void chunksOfALostWorkerMoveToTheNextInTheRanking() {
        List<WorkerNode> before = workers(5);
        for (int i = 0; i < 500; i++) {
            ChunkId chunk = new ChunkId(PACK, i);
            List<WorkerNode> ranked = Placement.rank(chunk, before);
            assertThat(Placement.rank(chunk, ranked.subList(1, 5))).isEqualTo(ranked.subList(1, 5));
        }
    }

    /**
     * Other implementations must return these values. A change of the values invalidates every
     * cache.
     */
    @Test
    void ownersMatchTheGoldenValues() {
        List<WorkerNode> workers =
                List.of(worker("w-a", 1 << 30), worker("w-b", 1 << 30), worker("w-ü", 1 << 30));
        StringBuilder owners = new StringBuilder();
        for (int i = 0; i < 16; i++) {
            owners.append(Placement.rank(new ChunkId(PACK, i), workers).getFirst().id().charAt(2));
        }
        assertThat(owners).hasToString("üüübübüüaübbbbaa");
    }
}
