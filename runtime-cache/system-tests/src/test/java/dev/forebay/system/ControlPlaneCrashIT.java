package dev.forebay.system;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kills the control plane, or a server that it depends on, in the middle of a fill. */
class ControlPlaneCrashIT extends FillCrash {

    ControlPlaneCrashIT(RunningStack stack) {
        super(stack);
    }

    @ParameterizedTest
    @EnumSource(names = {"CONTROL_PLANE", "POSTGRES"})
    void aKilledServerLosesNothingAndTheLedgerStaysCorrect(Victim victim) throws Exception {
        CrashDataset dataset = fillThroughAKill(victim);
        awaitInLedger(dataset, victim);
        fillAgainAfterAKill(dataset, victim);
        evict(dataset);
    }

    @Test
    @Tag("long")
    void aKilledTemporalServerLosesNothing() throws Exception {
        evict(fillThroughAKill(Victim.TEMPORAL));
    }
}
