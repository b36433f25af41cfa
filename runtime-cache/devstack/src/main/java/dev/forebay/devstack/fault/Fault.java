package dev.forebay.devstack.fault;

import java.time.Duration;
import java.util.function.UnaryOperator;

/** What a {@link FaultProxy} does to one request. */
public sealed interface Fault {

    /** Nothing: the request and its answer pass. */
    Fault NONE = new None();

    /** See {@link #NONE}. */
    record None() implements Fault {}

    /** The proxy answers with this status itself; the server sees nothing. */
    record Status(int code) implements Fault {}

    /** The answer begins after a while. */
    record Delay(Duration duration) implements Fault {}

    /** The connection ends after so many bytes of the answer's body. */
    record Truncate(long bytes) implements Fault {}

    /** After so many bytes of the answer's body nothing comes any more; the connection stays. */
    record Stall(long bytes) implements Fault {}

    /** The answer says that its body is another range than was asked for, if a range was. */
    record OtherRange() implements Fault {}

    /** The answer does not say what of. */
    record WithoutEtag() implements Fault {}

    /** The answer's body trickles. */
    record Slow(int bytesPerSecond) implements Fault {}

    /** One bit of the byte at this place of the answer's body is wrong. */
    record Flip(long at) implements Fault {}

    /**
     * The answer's body says something else, of the same length.
     *
     * @param change from the body, a character for each byte, to what the client gets
     */
    record Rewrite(UnaryOperator<String> change) implements Fault {}
}
