package dev.forebay.agent.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.agent.admission.PodVersionRequest;
import dev.forebay.agent.jobs.PinOwner;
import dev.forebay.model.DatasetVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BackoffVersionRequesterTest {

    private static final RequestAnswer DENIED =
            new RequestAnswer.Refused("LAKE_DENIED", "the lake refuses");
    private static final RequestAnswer WARM = new RequestAnswer.Warm("/p");

    /** A platform with preset answers that counts requests. */
    private static final class Told implements VersionRequester {
        private RequestAnswer answer = DENIED;
        private boolean blocked = true;
        private final List<Gang> cancelled = new ArrayList<>();
        private int asked;

        @Override
        public RequestAnswer ensure(Gang gang) {
            asked++;
            return answer;
        }

        @Override
        public boolean isBlocked(Gang gang) {
            return blocked;
        }

        @Override
        public void cancel(Gang gang) {
            cancelled.add(gang);
        }
    }

    private final Told told = new Told();
    private final AtomicLong nanos = new AtomicLong(-7);
    private final BackoffVersionRequester requester = new BackoffVersionRequester(told, nanos::get);

    @Test
    void requestsForABlockedVersionBackOff() {
        int hour = 0;
        for (int round = 0; round < 360; round++) {
            assertThat(requester.ensure(gang("a"))).isEqualTo(DENIED);
            assertThat(requester.ensure(gang("b"))).isEqualTo(DENIED);
            pass(Duration.ofSeconds(10));
            hour = told.asked;
        }
        // After 30 s, 1, 2, 4, 8, 10, 10, 10, 10 minutes, for all gangs together.
        assertThat(hour).isEqualTo(10);
    }

    @Test
    void requestsContinueAtOnceAfterTheVersionIsResumed() {
        requester.ensure(gang("a"));
        pass(Duration.ofSeconds(1));
        told.blocked = false;
        told.answer = WARM;

        assertThat(requester.ensure(gang("a"))).isEqualTo(WARM);
        assertThat(requester.ensure(gang("a"))).isEqualTo(WARM);
        assertThat(told.asked).isEqualTo(3);
    }

    @Test
    void anotherFailureStartsWithTheFirstPause() {
        for (int i = 0; i < 3; i++) {
            requester.ensure(gang("a"));
            pass(BackoffVersionRequester.BACKOFF.longest());
        }
        told.answer = WARM;
        requester.ensure(gang("a"));
        told.answer = DENIED;
        requester.ensure(gang("a"));
        pass(BackoffVersionRequester.BACKOFF.first());
        requester.ensure(gang("a"));
        assertThat(told.asked).isEqualTo(6);
    }

    /** The control plane accepts each request, and the fill fails some time later. */
    @Test
    void aRunningFillDoesNotResetTheBackoff() {
        requester.ensure(gang("a"));
        pass(BackoffVersionRequester.BACKOFF.first());
        told.answer = new RequestAnswer.Coming(10, Optional.empty(), Optional.empty());
        requester.ensure(gang("a"));
        told.answer = DENIED;
        requester.ensure(gang("a"));
        assertThat(told.asked).isEqualTo(3);

        pass(BackoffVersionRequester.BACKOFF.first());
        requester.ensure(gang("a"));
        assertThat(told.asked).as("within the second pause").isEqualTo(3);
        pass(BackoffVersionRequester.BACKOFF.first());
        requester.ensure(gang("a"));
        assertThat(told.asked).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"DEADLINE_EXCEEDED", "CANCELLED", "ALREADY_EXISTS", "NOT_FOUND"})
    void theRefusalOfOneRequestDoesNotAffectOtherGangs(String code) {
        told.answer = new RequestAnswer.Refused(code, "yours");
        requester.ensure(gang("a"));
        told.answer = DENIED;

        assertThat(requester.ensure(gang("b"))).isEqualTo(DENIED);
    }

    @Test
    void otherCallsGoToThePlatformAtOnce() {
        requester.ensure(gang("a"));
        assertThat(requester.isBlocked(gang("a"))).isTrue();
        told.blocked = false;
        assertThat(requester.isBlocked(gang("a"))).isFalse();

        requester.cancel(gang("a"));
        assertThat(told.cancelled).containsExactly(gang("a"));
    }

    @Test
    void aMissingAnswerCausesNoPause() {
        told.answer = RequestAnswer.NONE;
        requester.ensure(gang("a"));
        requester.ensure(gang("a"));
        assertThat(told.asked).isEqualTo(2);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static Gang gang(String job) {
        return new Gang(
                new PinOwner("Job", "team", job, "uid-" + job),
                new PodVersionRequest(
                        DatasetVersion.parse("search/ko-bert@v1"), Optional.empty(), false, false));
    }
}
