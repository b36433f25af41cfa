package dev.forebay.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConnectionFailureTest {

    /** The failures of a socket and of the JDK's client. */
    static Stream<Throwable> unresolved() {
        return Stream.of(
                new UnknownHostException("w1.example"),
                new ConnectException().initCause(new UnresolvedAddressException()));
    }

    @ParameterizedTest
    @MethodSource("unresolved")
    void theExplanationNamesAnUnresolvedHost(Throwable failure) {
        assertThat(ConnectionFailure.explain(failure, URI.create("http://w1.example:7400")))
                .contains("cannot resolve the host name w1.example", "name servers");
    }
}
