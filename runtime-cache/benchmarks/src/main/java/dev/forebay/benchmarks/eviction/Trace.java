package dev.forebay.benchmarks.eviction;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntConsumer;

/**
 * The chunks in the order of the jobs' accesses. An object of 64 MiB is a sequence of eight chunks.
 * A chunk of 8 MiB has 80 objects of 100 KB, and each object is one access.
 *
 * @param name of the case
 * @param chunks the number of different chunks
 */
record Trace(String name, int chunks, List<Job> jobs) {

    Trace(String name, int chunks, Job... jobs) {
        this(name, chunks, List.of(jobs));
    }

    /** The order of the objects in an epoch. */
    enum Order {
        SEQUENTIAL,
        RANDOM
    }

    /** The number of chunks of an object, or of objects in a chunk. */
    enum Objects {
        LARGE(8, 1),
        SMALL(1, 80);

        final int chunks;
        final int perChunk;

        Objects(int chunks, int perChunk) {
            this.chunks = chunks;
            this.perChunk = perChunk;
        }
    }

    /**
     * A job that reads a dataset several times.
     *
     * @param first chunk of the dataset
     * @param begins the share of the first job's accesses after which this one begins, in percent
     */
    record Job(int first, int chunks, Objects objects, Order order, int epochs, int begins) {

        private List<Integer> epoch(Random random) {
            List<Integer> accesses = new ArrayList<>();
            for (int at = first; at < first + chunks; at += objects.chunks) {
                accesses.addAll(Collections.nCopies(objects.perChunk, at));
            }
            if (order == Order.RANDOM) {
                Collections.shuffle(accesses, random);
            }
            if (objects.chunks == 1) {
                return accesses;
            }
            List<Integer> all = new ArrayList<>();
            for (int at : accesses) {
                for (int i = 0; i < objects.chunks; i++) {
                    all.add(at + i);
                }
            }
            return all;
        }

        private List<Integer> all(Random random) {
            List<Integer> all = new ArrayList<>();
            for (int epoch = 0; epoch < epochs; epoch++) {
                all.addAll(epoch(random));
            }
            return all;
        }
    }

    /** Calls {@code each} with every access. Concurrent jobs alternate, one access each. */
    void replay(long seed, IntConsumer each) {
        Random random = new Random(seed);
        List<List<Integer>> todo = jobs.stream().map(job -> job.all(random)).toList();
        int[] next = new int[jobs.size()];
        long first = todo.getFirst().size();
        for (boolean any = true; any; ) {
            any = false;
            for (int job = 0; job < next.length; job++) {
                boolean begun = next[0] >= first * jobs.get(job).begins() / 100 || next[0] == first;
                if (begun && next[job] < todo.get(job).size()) {
                    each.accept(todo.get(job).get(next[job]++));
                    any = true;
                }
            }
        }
    }
}
