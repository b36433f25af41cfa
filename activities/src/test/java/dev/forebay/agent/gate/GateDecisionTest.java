package dev.forebay.agent.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.agent.admission.PodVersionRequest;
import dev.forebay.agent.jobs.VersionNotice;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GateDecisionTest {

    private static final RegionName REGION = new RegionName("us");
    private static final DatasetVersion VERSION = DatasetVersion.parse("a/b@v1");
    private static final PodVersionRequest FAILS =
            new PodVersionRequest(VERSION, Optional.of(Duration.ofMinutes(1)), false, false);
    private static final PodVersionRequest RUNS =
            new PodVersionRequest(VERSION, Optional.of(Duration.ofMinutes(1)), true, false);
    private static final RequestAnswer COMING =
            new RequestAnswer.Coming(37, Optional.of(Duration.ofSeconds(700)), Optional.empty());
    private static final RequestAnswer AWAY =
            new RequestAnswer.Refused(RequestAnswer.UNAVAILABLE, "it is away");

    private static GateDecision onTime(RequestAnswer answer) {
        return GateDecision.of(answer, FAILS, REGION, false);
    }

    @Test
    void aWarmVersionOpensTheGate() {
        assertThat(onTime(new RequestAnswer.Warm("/mnt/forebay/a/b/v1")))
                .isEqualTo(
                        new GateDecision.Open(
                                new VersionNotice(
                                        true, "Warm", "a/b@v1 in us is at /mnt/forebay/a/b/v1")));
    }

    @Test
    void podsWaitForAFillAndSeeItsProgressAndRemainingTime() {
        assertThat(onTime(COMING))
                .isEqualTo(
                        new GateDecision.Wait(
                                new VersionNotice(
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
        RequestAnswer coming =
                new RequestAnswer.Coming(
                        37, Optional.of(Duration.ofSeconds(seconds)), Optional.empty());
        assertThat(onTime(coming).notice().message()).endsWith(", " + left + " left");
    }

    @Test
    void podsOfAStuckFillSeeTheReason() {
        RequestAnswer stuck =
                new RequestAnswer.Coming(0, Optional.empty(), Optional.of("there is no space"));

        assertThat(onTime(stuck))
                .isEqualTo(
                        new GateDecision.Wait(
                                new VersionNotice(
                                        false,
                                        "Waiting",
                                        "a/b@v1 in us is filled to 0 %; there is no space")));
    }

    /**
     * An operator may remove the cause: register the dataset, free space, start the control plane.
     */
    @Test
    void podsWaitAfterARefusal() {
        assertThat(onTime(new RequestAnswer.Refused("NOT_FOUND", "no such dataset")))
                .isEqualTo(
                        new GateDecision.Wait(
                                new VersionNotice(
                                        false, "NotFound", "a/b@v1 in us: no such dataset")));
        assertThat(onTime(AWAY)).isInstanceOf(GateDecision.Wait.class);
    }

    @Test
    void theVerdictFollowsADeadlineThatTheControlPlaneReports() {
        assertThat(
                        onTime(
                                new RequestAnswer.Refused(
                                        RequestAnswer.DEADLINE_EXCEEDED, "37 % within 60 s")))
                .isEqualTo(
                        new GateDecision.Fail(
                                new VersionNotice(false, "DeadlineExceeded", "37 % within 60 s")));
        assertThat(onTime(new RequestAnswer.Cold("37 % within 60 s")))
                .isEqualTo(
                        new GateDecision.Open(
                                new VersionNotice(false, "RunsCold", "37 % within 60 s")));
    }

    @Test
    void aDeadlineFailsNoPodThatSetNoneOrRunsCold() {
        RequestAnswer late =
                new RequestAnswer.Refused(RequestAnswer.DEADLINE_EXCEEDED, "37 % within 60 s");
        PodVersionRequest patient = new PodVersionRequest(VERSION, Optional.empty(), false, false);

        assertThat(GateDecision.of(late, patient, REGION, false))
                .isInstanceOf(GateDecision.Wait.class);
        assertThat(GateDecision.of(late, RUNS, REGION, false))
                .isInstanceOf(GateDecision.Wait.class);
        assertThat(GateDecision.of(late, RUNS, REGION, true)).isInstanceOf(GateDecision.Open.class);
    }

    @Test
    void theAgentEnforcesTheDeadlineIfTheControlPlaneDoesNot() {
        for (RequestAnswer answer : new RequestAnswer[] {COMING, AWAY}) {
            GateDecision fails = GateDecision.of(answer, FAILS, REGION, true);
            GateDecision runs = GateDecision.of(answer, RUNS, REGION, true);

            assertThat(fails).isInstanceOf(GateDecision.Fail.class);
            assertThat(fails.notice().reason()).isEqualTo("DeadlineExceeded");
            assertThat(fails.notice().message()).startsWith("not present within 60 s: ");
            assertThat(runs).isInstanceOf(GateDecision.Open.class);
            assertThat(runs.notice().reason()).isEqualTo("RunsCold");
        }
        assertThat(GateDecision.of(new RequestAnswer.Warm("/p"), FAILS, REGION, true))
                .as("warm at last")
                .isInstanceOf(GateDecision.Open.class);
    }

    @Test
    void aWorkloadWaitsForItsLastVersionAndFailsWithTheFirstFailure() {
        GateDecision warm = new GateDecision.Open(new VersionNotice(true, "Warm", "a is there"));
        GateDecision cold = new GateDecision.Open(new VersionNotice(false, "RunsCold", "b is not"));
        GateDecision coming =
                new GateDecision.Wait(new VersionNotice(false, "Warming", "c is coming"));
        GateDecision stuck =
                new GateDecision.Wait(new VersionNotice(false, "Waiting", "d is stuck"));
        GateDecision fails =
                new GateDecision.Fail(new VersionNotice(false, "DeadlineExceeded", "e is late"));

        assertThat(GateDecision.ofAll(List.of(warm))).isEqualTo(warm);
        assertThat(GateDecision.ofAll(List.of(warm, cold)))
                .isEqualTo(
                        new GateDecision.Open(
                                new VersionNotice(false, "Warm", "a is there; b is not")));
        assertThat(GateDecision.ofAll(List.of(warm, coming, stuck)))
                .isEqualTo(
                        new GateDecision.Wait(
                                new VersionNotice(false, "Warming", "c is coming; d is stuck")));
        assertThat(GateDecision.ofAll(List.of(coming, fails, warm))).isEqualTo(fails);
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
        RequestAnswer answer =
                new RequestAnswer.Coming(
                        0, Optional.of(Duration.ofSeconds(seconds)), Optional.empty());

        assertThat(onTime(answer).notice().message()).endsWith(", " + said + " left");
    }
}
