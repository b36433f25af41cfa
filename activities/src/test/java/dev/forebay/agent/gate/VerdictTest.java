package dev.forebay.agent.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.agent.admission.PodVersionRequest;
import dev.forebay.agent.jobs.Notice;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerdictTest {

    private static final RegionName REGION = new RegionName("us");
    private static final DatasetVersion VERSION = DatasetVersion.parse("a/b@v1");
    private static final PodVersionRequest FAILS =
            new PodVersionRequest(VERSION, Optional.of(Duration.ofMinutes(1)), false, false);
    private static final PodVersionRequest RUNS =
            new PodVersionRequest(VERSION, Optional.of(Duration.ofMinutes(1)), true, false);
    private static final Answer COMING =
            new Answer.Coming(37, Optional.of(Duration.ofSeconds(700)), Optional.empty());
    private static final Answer AWAY = new Answer.Refused(Answer.UNAVAILABLE, "it is away");

    private static Verdict onTime(Answer answer) {
        return Verdict.of(answer, FAILS, REGION, false);
    }

    @Test
    void aWarmVersionOpensTheGate() {
        assertThat(onTime(new Answer.Warm("/mnt/forebay/a/b/v1")))
                .isEqualTo(
                        new Verdict.Open(
                                new Notice(
                                        true, "Warm", "a/b@v1 in us is at /mnt/forebay/a/b/v1")));
    }

    @Test
    void podsWaitForAFillAndSeeItsProgressAndRemainingTime() {
        assertThat(onTime(COMING))
                .isEqualTo(
                        new Verdict.Wait(
                                new Notice(
                                        false,
                                        "Warming",
                                        "a/b@v1 in us is filled to 30 %, 15 min left")));
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1 min",
        "60, 1 min",
        "61, 2 min",
        "600, 10 min",
        "601, 15 min",
        "14399, 240 min",
        "14400, 4 h",
        "14401, 5 h"
    })
    void theRemainingTimeIsRoundedUp(long seconds, String left) {
        Answer coming =
                new Answer.Coming(37, Optional.of(Duration.ofSeconds(seconds)), Optional.empty());
        assertThat(onTime(coming).notice().message()).endsWith(", " + left + " left");
    }

    @Test
    void podsOfAStuckFillSeeTheReason() {
        Answer stuck = new Answer.Coming(0, Optional.empty(), Optional.of("there is no room"));

        assertThat(onTime(stuck))
                .isEqualTo(
                        new Verdict.Wait(
                                new Notice(
                                        false,
                                        "Waiting",
                                        "a/b@v1 in us is filled to 0 %; there is no room")));
    }

    /**
     * An operator may remove the cause: register the dataset, free space, start the control plane.
     */
    @Test
    void podsWaitAfterARefusal() {
        assertThat(onTime(new Answer.Refused("NOT_FOUND", "no such dataset")))
                .isEqualTo(
                        new Verdict.Wait(
                                new Notice(false, "NotFound", "a/b@v1 in us: no such dataset")));
        assertThat(onTime(AWAY)).isInstanceOf(Verdict.Wait.class);
    }

    @Test
    void theVerdictFollowsADeadlineThatTheControlPlaneReports() {
        assertThat(onTime(new Answer.Refused(Answer.DEADLINE_EXCEEDED, "37 % within 60 s")))
                .isEqualTo(
                        new Verdict.Fail(
                                new Notice(false, "DeadlineExceeded", "37 % within 60 s")));
        assertThat(onTime(new Answer.Cold("37 % within 60 s")))
                .isEqualTo(new Verdict.Open(new Notice(false, "RunsCold", "37 % within 60 s")));
    }

    @Test
    void aDeadlineFailsNoPodThatSetNoneOrRunsCold() {
        Answer late = new Answer.Refused(Answer.DEADLINE_EXCEEDED, "37 % within 60 s");
        PodVersionRequest patient = new PodVersionRequest(VERSION, Optional.empty(), false, false);

        assertThat(Verdict.of(late, patient, REGION, false)).isInstanceOf(Verdict.Wait.class);
        assertThat(Verdict.of(late, RUNS, REGION, false)).isInstanceOf(Verdict.Wait.class);
        assertThat(Verdict.of(late, RUNS, REGION, true)).isInstanceOf(Verdict.Open.class);
    }

    @Test
    void theAgentEnforcesTheDeadlineIfTheControlPlaneDoesNot() {
        for (Answer answer : new Answer[] {COMING, AWAY}) {
            Verdict fails = Verdict.of(answer, FAILS, REGION, true);
            Verdict runs = Verdict.of(answer, RUNS, REGION, true);

            assertThat(fails).isInstanceOf(Verdict.Fail.class);
            assertThat(fails.notice().reason()).isEqualTo("DeadlineExceeded");
            assertThat(fails.notice().message()).startsWith("not present within 60 s: ");
            assertThat(runs).isInstanceOf(Verdict.Open.class);
            assertThat(runs.notice().reason()).isEqualTo("RunsCold");
        }
        assertThat(Verdict.of(new Answer.Warm("/p"), FAILS, REGION, true))
                .as("warm at last")
                .isInstanceOf(Verdict.Open.class);
    }

    @Test
    void aWorkloadWaitsForItsLastVersionAndFailsWithTheFirstFailure() {
        Verdict warm = new Verdict.Open(new Notice(true, "Warm", "a is there"));
        Verdict cold = new Verdict.Open(new Notice(false, "RunsCold", "b is not"));
        Verdict coming = new Verdict.Wait(new Notice(false, "Warming", "c is coming"));
        Verdict stuck = new Verdict.Wait(new Notice(false, "Waiting", "d is stuck"));
        Verdict fails = new Verdict.Fail(new Notice(false, "DeadlineExceeded", "e is late"));

        assertThat(Verdict.ofAll(List.of(warm))).isEqualTo(warm);
        assertThat(Verdict.ofAll(List.of(warm, cold)))
                .isEqualTo(new Verdict.Open(new Notice(false, "Warm", "a is there; b is not")));
        assertThat(Verdict.ofAll(List.of(warm, coming, stuck)))
                .isEqualTo(
                        new Verdict.Wait(new Notice(false, "Warming", "c is coming; d is stuck")));
        assertThat(Verdict.ofAll(List.of(coming, fails, warm))).isEqualTo(fails);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1 min",
        "61, 2 min",
        "600, 10 min",
        "601, 15 min",
        "3600, 60 min",
        "14400, 4 h",
        "14401, 5 h"
    })
    void timesAreRoundedUp(long seconds, String said) {
        Answer answer =
                new Answer.Coming(0, Optional.of(Duration.ofSeconds(seconds)), Optional.empty());

        assertThat(onTime(answer).notice().message()).endsWith(", " + said + " left");
    }
}
