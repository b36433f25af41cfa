package dev.forebay.devstack.fault;

import java.time.Duration;
import java.util.function.UnaryOperator;

/** A fault that a {@link FaultProxy} causes in one request. */
public sealed interface Fault {

    /** No fault: the request and its answer pass. */
    Fault NONE = new None();

    /** See {@link #NONE}. */
    record None() implements Fault {}

    /** The proxy answers with this status itself, and the server does not see the request. */
    record Status(int code) implements Fault {}

    /** The answer begins after a delay. */
    record Delay(Duration duration) implements Fault {}

    /** The connection ends after so many bytes of the answer's body. */
    record Truncate(long bytes) implements Fault {}

    /** The answer stops after so many bytes of its body, and the connection stays open. */
    record Stall(long bytes) implements Fault {}

    /** The answer to a request for a range claims to have another range. */
    record OtherRange() implements Fault {}

    /** The answer has no ETag. */
    record WithoutEtag() implements Fault {}

    /** The body of the answer arrives slowly. */
    record Slow(int bytesPerSecond) implements Fault {}

    /** One bit of the byte at this offset of the body is flipped. */
    record Flip(long at) implements Fault {}

    /**
     * The answer has another body of the same length.
     *
     * @param change returns the body for the client; each character is one byte
     */
    record Rewrite(UnaryOperator<String> change) implements Fault {}
}
