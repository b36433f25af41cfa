package dev.forebay.fuse.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SuccessionTest {

    private final List<String> orders = new ArrayList<>();
    private final Set<String> stopped = new HashSet<>();
    private boolean failing;
    private final Succession<String> succession =
            new Succession<>(
                    new Succession.Orders<>() {
                        @Override
                        public void serve(String server) {
                            orders.add("serve " + server);
                        }

                        @Override
                        public boolean isPrompt(String server) {
                            return !stopped.contains(server);
                        }

                        @Override
                        public void go(String server) {
                            orders.add("go " + server);
                        }

                        @Override
                        public void replaced(String server) {
                            orders.add("replaced " + server);
                        }

                        @Override
                        public void resend() {
                            if (failing) {
                                throw new OutOfMemoryError("simulated");
                            }
                            orders.add("resend");
                        }
                    });

    private void given(String... servers) {
        succession.open();
        for (String server : servers) {
            succession.joined(server);
        }
        succession.serves(servers[0]);
        orders.clear();
    }

    @Test
    void theFirstServerServesAndOthersStandBy() {
        succession.open();
        succession.joined("a");
        succession.joined("b");
        assertThat(orders).containsExactly("serve a");
    }

    @Test
    void aServingServerIsPreferredToOneThatJoinedEarlier() {
        succession.joined("a");
        succession.joined("b");
        succession.serves("b");
        succession.open();
        assertThat(orders).isEmpty();
        succession.gone("b", false);
        assertThat(orders).containsExactly("resend", "serve a");
    }

    @Test
    void openAppointsTheFirstServerIfNoneServes() {
        succession.joined("a");
        succession.joined("b");
        assertThat(orders).isEmpty();
        succession.open();
        assertThat(orders).containsExactly("serve a");
    }

    @Test
    void aLateServerThatServedEarlierIsReplaced() {
        given("b");
        succession.joined("a");
        succession.serves("a");
        assertThat(orders).containsExactly("replaced a");
        assertThat(succession.isReplaceable("a")).isTrue();
        succession.gone("a", true);
        succession.gone("b", false);
        assertThat(orders).containsExactly("replaced a", "resend");
    }

    @Test
    void aClosedSuccessionAppointsNoServer() {
        given("a", "b");
        succession.close();
        succession.gone("a", false);
        assertThat(orders).containsExactly("resend");
    }

    @Test
    void openAppointsASuccessorOfAServerThatDiedBefore() {
        succession.joined("a");
        succession.serves("a");
        succession.joined("b");
        succession.gone("a", false);
        succession.open();
        assertThat(orders).containsExactly("resend", "serve b");
    }

    @Test
    void aServerThatWantsToLeaveBeforeOpenWaitsForASuccessor() {
        succession.joined("a");
        succession.serves("a");
        succession.wantsToLeave("a");
        succession.joined("b");
        assertThat(orders).isEmpty();
        succession.open();
        succession.serves("b");
        assertThat(orders).containsExactly("serve b", "go a");
    }

    @Test
    void requestsOfADeadServerAreResentBeforeTheNextServes() {
        given("a", "b");
        succession.gone("a", false);
        assertThat(orders).containsExactly("resend", "serve b");
    }

    @Test
    void theNextServerServesEvenIfResendingFails() {
        given("a", "b");
        failing = true;
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> succession.gone("a", false));
        assertThat(orders).containsExactly("serve b");
    }

    @Test
    void onlyAServingServerWithAStandbyIsReplaceable() {
        given("a");
        assertThat(succession.isReplaceable("a")).isFalse();
        succession.joined("b");
        assertThat(succession.isReplaceable("a")).isTrue();
        assertThat(succession.isReplaceable("b")).isFalse();
    }

    @Test
    void aPromptServerIsPreferredToOneThatJoinedEarlier() {
        given("a", "b", "c");
        stopped.add("b");
        succession.gone("a", false);
        assertThat(orders).containsExactly("resend", "serve c");
        orders.clear();
        succession.gone("c", false);
        assertThat(orders).as("better than none").containsExactly("resend", "serve b");
    }

    @Test
    void aServerThatWasReplacedIsNeverAppointedAgain() {
        given("a", "b", "c");
        succession.gone("a", false);
        assertThat(succession.isReplaceable("b")).as("before it serves").isTrue();
        succession.gone("b", false);
        succession.serves("b");
        succession.gone("c", true);
        assertThat(orders).containsExactly("resend", "serve b", "resend", "serve c");
        assertThat(succession.isReplaceable("b")).isFalse();
    }

    @Test
    void aServerThatWasReplacedBeforeOpenIsIgnored() {
        succession.joined("a");
        succession.gone("a", false);
        succession.serves("a");
        succession.joined("b");
        succession.open();
        assertThat(orders).containsExactly("resend", "serve b");
    }

    @Test
    void requestsOfALeavingServerThatFreezesAreResent() {
        given("a");
        succession.wantsToLeave("a");
        assertThat(succession.isReplaceable("a")).as("there is no other server").isFalse();
        succession.joined("b");
        succession.serves("b");
        assertThat(succession.isReplaceable("a")).isTrue();
        succession.gone("a", false);
        assertThat(orders).containsExactly("go a", "serve b", "resend");
        assertThat(succession.isReplaceable("a")).isFalse();
    }

    @Test
    void theNextServerToJoinServesIfThereIsNoStandby() {
        given("a");
        succession.gone("a", false);
        succession.joined("b");
        assertThat(orders).containsExactly("resend", "serve b");
    }

    @Test
    void aServerMayLeaveOnlyOnceItsSuccessorServes() {
        given("a", "b");
        succession.wantsToLeave("a");
        assertThat(orders).containsExactly("serve b");
        succession.serves("b");
        assertThat(orders).containsExactly("serve b", "go a");
        succession.gone("a", true);
        assertThat(orders).as("all answered").containsExactly("serve b", "go a");
    }

    @Test
    void aServerWithoutASuccessorMayLeaveAtOnce() {
        given("a");
        succession.wantsToLeave("a");
        assertThat(orders).containsExactly("go a");
    }

    @Test
    void aStandbyMayLeaveAtOnce() {
        given("a", "b", "c");
        succession.wantsToLeave("a");
        succession.wantsToLeave("c");
        assertThat(orders).as("a still serves").containsExactly("serve b", "go c");
    }

    @Test
    void anotherServerFollowsASuccessorThatDiesBeforeItServes() {
        given("a", "b", "c");
        succession.wantsToLeave("a");
        succession.gone("b", false);
        succession.serves("c");
        assertThat(orders).containsExactly("serve b", "resend", "serve c", "go a");
    }

    @Test
    void aServerMayLeaveIfItsOnlySuccessorDies() {
        given("a", "b");
        succession.wantsToLeave("a");
        succession.gone("b", false);
        assertThat(orders).containsExactly("serve b", "resend", "go a");
    }

    @Test
    void allServersMayLeaveOneAfterTheOther() {
        given("a", "b");
        succession.wantsToLeave("a");
        succession.wantsToLeave("b");
        assertThat(orders).containsExactlyInAnyOrder("serve b", "go a", "go b");
    }
}
