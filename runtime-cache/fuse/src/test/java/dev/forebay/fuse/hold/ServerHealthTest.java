package dev.forebay.fuse.hold;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServerHealthTest {

    private final ServerHealth pulse = new ServerHealth();

    @Test
    void aServerIsSilentWhenItsAnswerIsOverdue() {
        assertThat(pulse.ask(0)).isTrue();
        pulse.answered();
        assertThat(pulse.isSilent(100, 10)).as("nothing is owed").isFalse();
        assertThat(pulse.ask(100)).isTrue();
        assertThat(pulse.ask(105)).as("one question at a time").isFalse();
        assertThat(pulse.isSilent(110, 10)).isFalse();
        assertThat(pulse.isSilent(111, 10)).isTrue();
        pulse.restart(200);
        assertThat(pulse.isSilent(210, 10)).isFalse();
        pulse.answered();
        assertThat(pulse.isSilent(300, 10)).isFalse();
    }

    @Test
    void aServerThatCouldNotBePingedOwesNoAnswer() {
        assertThat(pulse.ask(0)).isTrue();
        pulse.answered();
        assertThat(pulse.ask(100)).isTrue();
        pulse.notAsked();
        assertThat(pulse.isSilent(1_000, 10)).isFalse();
        assertThat(pulse.ask(1_000)).isTrue();
    }

    /** The server may be of a release that does not know pings. */
    @Test
    void aServerThatNeverAnsweredIsSilentOnlyAfterItsAppointment() {
        assertThat(pulse.ask(0)).isTrue();
        assertThat(pulse.isSilent(1_000, 10)).isFalse();
        pulse.appoint(1_000);
        assertThat(pulse.isSilent(1_010, 10)).isFalse();
        assertThat(pulse.isSilent(1_011, 10)).isTrue();
        pulse.restart(2_000);
        assertThat(pulse.isSilent(2_010, 10)).isFalse();
        pulse.serves();
        assertThat(pulse.isSilent(3_000, 10)).isFalse();
    }

    @Test
    void aServerThatAnswersBeforeTheNextPingIsPrompt() {
        assertThat(pulse.isPrompt()).as("not known").isFalse();
        pulse.answered();
        assertThat(pulse.isPrompt()).as("unasked").isTrue();
        assertThat(pulse.ask(0)).isTrue();
        assertThat(pulse.isPrompt()).isTrue();
        assertThat(pulse.ask(1)).isFalse();
        assertThat(pulse.isPrompt()).isFalse();
        pulse.answered();
        assertThat(pulse.isPrompt()).isTrue();
    }
}
