package dev.forebay.system;

import dev.forebay.devstack.fault.Fault;
import dev.forebay.devstack.fault.FaultProxy;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Holds a fill in the middle: the lake sends the first objects below a prefix, and requests for the
 * others wait until the gate opens.
 */
final class LakeGate implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final RunningStack stack;
    private final String prefix;
    private final int passing;
    private final Set<String> passed = new HashSet<>();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);

    private LakeGate(RunningStack stack, String prefix, int passing) {
        this.stack = stack;
        this.prefix = prefix;
        this.passing = passing;
    }

    /**
     * Closes a gate in front of the lake.
     *
     * @param passing the number of objects below the prefix that pass
     */
    static LakeGate close(RunningStack stack, String prefix, int passing) {
        LakeGate gate = new LakeGate(stack, prefix, passing);
        stack.lakeProxy().spoil(gate::pass);
        return gate;
    }

    private Fault pass(FaultProxy.Request request) {
        String objects = "/%s/%s".formatted(LakeFixture.BUCKET, prefix);
        if (request.method().equals("GET")
                && request.target().startsWith(objects)
                && !passes(request.target())) {
            held.countDown();
            try {
                open.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return Fault.NONE;
    }

    /** A repeated request for an object that has passed also passes. */
    private synchronized boolean passes(String object) {
        return passed.contains(object) || (passed.size() < passing && passed.add(object));
    }

    /** Waits until the lake has sent the objects that pass, and another request waits. */
    void awaitHeld() throws InterruptedException {
        if (!held.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("no fill of " + prefix + " reached the gate in " + TIMEOUT);
        }
        Await.until(
                "the lake has sent %d objects of %s".formatted(passing, prefix),
                TIMEOUT,
                () -> stack.lake().gets(prefix).size() == passing);
    }

    /** Lets all requests pass from now on. Idempotent. */
    @Override
    public void close() {
        open.countDown();
        stack.lakeProxy().spoil(request -> Fault.NONE);
    }
}
