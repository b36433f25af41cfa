package dev.forebay.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Times cases. In a round each is measured for all contenders directly after one another, in an
 * order that changes from case to case and from round to round.
 */
final class Timing {
    private static final double GIGABYTE = 1e9;

    private final Selection selection;
    private final Contenders contenders;

    Timing(Selection selection, Contenders contenders) {
        this.selection = selection;
        this.contenders = contenders;
    }

    /** What one contender does in a case. */
    @FunctionalInterface
    interface Work {
        Done run() throws Exception;
    }

    /**
     * What came of it.
     *
     * @param units of the case: files, reads or megabytes
     * @param bytes that were read; 0 where that is not what it is about
     * @param readerCpuSeconds of the threads or processes that read
     */
    record Done(double units, long bytes, double readerCpuSeconds) {
        Done plus(Done more) {
            return new Done(
                    units + more.units,
                    bytes + more.bytes,
                    readerCpuSeconds + more.readerCpuSeconds);
        }
    }

    /** Something done before the clock starts; nothing if the contender cannot do it. */
    @FunctionalInterface
    interface Preparation {
        Optional<Work> of(Contender contender) throws Exception;
    }

    /**
     * Measures one case.
     *
     * @param who one of them as often as it is to be measured
     * @param number of the round
     */
    void measure(
            String name,
            String unit,
            List<Contender> who,
            int number,
            Results results,
            Preparation preparation)
            throws Exception {
        List<Contender> measured = inTurn(name, who, number);
        if (!measured.isEmpty()) {
            Benchmarks.say("  " + name);
        }
        for (Contender contender : measured) {
            Optional<Work> possible = preparation.of(contender);
            if (possible.isEmpty()) {
                results.refused(name, contender.label(), "O_DIRECT is refused with EINVAL");
                continue;
            }
            Work work = possible.get();
            List<Long> processes = contenders.processes(contender);
            FreeMemory.takeBack();
            double cpu = CpuTime.of(processes);
            long began = System.nanoTime();
            Done done = work.run();
            double seconds = (System.nanoTime() - began) / 1e9;
            if (done.bytes == 0) {
                results.add(name, contender.label(), unit, done.units / seconds);
            } else {
                cpu = CpuTime.of(processes) - cpu + done.readerCpuSeconds;
                results.add(
                        name,
                        contender.label(),
                        unit,
                        done.units / seconds,
                        cpu * GIGABYTE / done.bytes);
            }
        }
    }

    boolean isWanted(String name) {
        return !selection.of(name, List.of(Contender.values())).isEmpty();
    }

    /**
     * Who of these is measured in a case, in another order in each case and round, for what was
     * just measured may be at the next one's cost.
     */
    List<Contender> inTurn(String name, List<Contender> who, int number) {
        List<Contender> order = new ArrayList<>(selection.of(name, who));
        Collections.shuffle(order, new Random(name.hashCode() + number));
        return order;
    }
}
