package dev.forebay.devstack.fault;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class VictimProcessTest {

    private static final Duration AT_ONCE = Duration.ZERO;
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int STATUS = 3;

    /** Prints a line, as a JVM may, and continues. */
    static final class Talker {
        public static void main(String[] arguments) throws InterruptedException {
            System.out.println("[warning] not now!");
            VictimProcess.ready();
            Thread.sleep(LONG);
        }
    }

    /** Ends while it works. */
    static final class Quitter {
        public static void main(String[] arguments) {
            System.out.println("no memory");
            VictimProcess.ready();
            System.exit(STATUS);
        }
    }

    /** Ends before it is ready. */
    static final class Failure {
        public static void main(String[] arguments) {
            System.out.println("no disk");
            System.exit(STATUS);
        }
    }

    @Test
    void killAfterIgnoresOtherOutputOfTheVictim() {
        assertThatCode(() -> VictimProcess.killAfter(AT_ONCE, Talker.class))
                .doesNotThrowAnyException();
    }

    @Test
    void killAfterReportsWhyTheVictimEndedByItself() {
        assertThatThrownBy(() -> VictimProcess.killAfter(LONG, Quitter.class))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Quitter has ended by itself with status 3")
                .hasMessageContaining("no memory");
        assertThatThrownBy(() -> VictimProcess.killAfter(AT_ONCE, Failure.class))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Failure has ended by itself with status 3")
                .hasMessageContaining("no disk");
    }
}
