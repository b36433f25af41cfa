package dev.forebay.benchmarks.measure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Times cases. In a round it measures a case for all contenders directly after one another. The
 * order changes from case to case and from round to round.
 */
public final class Timing {
    private static final double GIGABYTE = 1e9;

    /** Returns the ids of a contender's processes, whose processor time counts. */
    @FunctionalInterface
    public interface Processes {
        List<Long> of(BenchmarkedSystem contender) throws Exception;
    }

    private final Selection selection;
    private final Processes processes;

    public Timing(Selection selection, Processes processes) {
        this.selection = selection;
        this.processes = processes;
    }

    /** The work of one contender in a case. */
    @FunctionalInterface
    public interface Work {
        Done run() throws Exception;
    }

    /**
     * The amounts of the work.
     *
     * @param units of the case: files, reads or megabytes
     * @param bytes that were read; 0 where the case is not about bytes
     * @param readerCpuSeconds of the threads or processes that read
     */
    public record Done(double units, long bytes, double readerCpuSeconds) {
        public Done plus(Done more) {
            return new Done(
                    units + more.units,
                    bytes + more.bytes,
                    readerCpuSeconds + more.readerCpuSeconds);
        }
    }

    /**
     * Prepares the work before the clock starts. Returns empty if the contender does not support
     * it.
     */
    @FunctionalInterface
    public interface Preparation {
        Optional<Work> of(BenchmarkedSystem contender) throws Exception;
    }

    /**
     * Measures one case.
     *
     * @param who the contenders, each as often as to measure it
     * @param number of the round
     */
    public void measure(
            String name,
            String unit,
            List<BenchmarkedSystem> who,
            int number,
            Results results,
            Preparation preparation)
            throws Exception {
        List<BenchmarkedSystem> measured = inTurn(name, who, number);
        if (!measured.isEmpty()) {
            ProgressLog.say("  " + name);
        }
        for (BenchmarkedSystem contender : measured) {
            Optional<Work> possible = preparation.of(contender);
            if (possible.isEmpty()) {
                results.refused(name, contender.label(), "O_DIRECT is refused with EINVAL");
                continue;
            }
            Work work = possible.get();
            List<Long> counted = processes.of(contender);
            FreeMemory.takeBack();
            double cpu = CpuTime.of(counted);
            long began = System.nanoTime();
            Done done = work.run();
            double seconds = (System.nanoTime() - began) / 1e9;
            if (done.bytes == 0) {
                results.add(name, contender.label(), unit, done.units / seconds);
            } else {
                cpu = CpuTime.of(counted) - cpu + done.readerCpuSeconds;
                results.add(
                        name,
                        contender.label(),
                        unit,
                        done.units / seconds,
                        cpu * GIGABYTE / done.bytes);
            }
        }
    }

    public boolean isWanted(String name) {
        return !selection.of(name, List.of(BenchmarkedSystem.values())).isEmpty();
    }

    /**
     * Returns the contenders to measure in a case. The order changes with case and round, because a
     * measurement may affect the next one.
     */
    public List<BenchmarkedSystem> inTurn(String name, List<BenchmarkedSystem> who, int number) {
        List<BenchmarkedSystem> order = new ArrayList<>(selection.of(name, who));
        Collections.shuffle(order, new Random(name.hashCode() + number));
        return order;
    }
}
