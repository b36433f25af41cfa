package dev.forebay.system;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Kills processes of a region in the middle of a fill. */
class RegionCrashIT extends FillCrash {

    RegionCrashIT(RunningStack stack) {
        super(stack);
    }

    @Test
    void aKilledWorkerLosesOnlyTheBytesItWasReceiving() throws Exception {
        CrashDataset dataset = fillThroughAKill(Victim.WORKER);
        awaitInLedger(dataset, Victim.WORKER);
        fillAgainAfterAKill(dataset, Victim.WORKER);
        evict(dataset);
    }

    /** The agent keeps no part of the ledger, so it need not be killed after the fill. */
    @Test
    void aKilledAgentLosesNothing() throws Exception {
        CrashDataset dataset = fillThroughAKill(Victim.AGENT);
        awaitInLedger(dataset, Victim.AGENT);
        evict(dataset);
    }

    @Test
    @Tag("long")
    void aKilledEtcdServerLosesNothing() throws Exception {
        evict(fillThroughAKill(Victim.ETCD));
    }
}
