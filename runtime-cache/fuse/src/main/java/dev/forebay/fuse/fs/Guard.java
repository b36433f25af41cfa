package dev.forebay.fuse.fs;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every call from a kernel passes through: it counts, logs what could not be served, and turns
 * every failure into a negative error number. Nothing leaves it, for an exception that leaves a
 * native callback ends the process. Thread-safe.
 */
public final class Guard {

    /** The answer to an operation: 0 or more, such as a number of bytes. */
    @FunctionalInterface
    public interface Body {
        int run();
    }

    private static final Logger LOG = LoggerFactory.getLogger(Guard.class);

    private final OperationMeter meter;
    private final RateLimit logged = new RateLimit(20, 60);

    public Guard(OperationMeter meter) {
        this.meter = meter;
    }

    /**
     * Runs an operation and gives what the kernel is to be told.
     *
     * @param subject what it is about; made a string of only for a message
     */
    public int run(Operation operation, Object subject, Body body) {
        long start = System.nanoTime();
        int result;
        try {
            result = body.run();
        } catch (FsException e) {
            result = -e.errno().number();
        } catch (ForebayException e) {
            result = failed(operation, subject, e.code(), e);
        } catch (Throwable e) {
            result = failed(operation, subject, ErrorCode.INTERNAL, e);
        }
        try {
            meter.ended(operation, System.nanoTime() - start);
        } catch (Throwable e) {
            notCounted(operation, e);
        }
        return result;
    }

    private int failed(Operation operation, Object subject, ErrorCode code, Throwable failure) {
        try {
            meter.failed(operation, code);
        } catch (Throwable e) {
            notCounted(operation, e);
        }
        try {
            if (logged.permits()) {
                log(operation, subject, code, failure);
            }
        } catch (Throwable worse) {
            // The answer to the kernel matters more than what we say about it.
        }
        return -Errno.of(code).number();
    }

    private void notCounted(Operation operation, Throwable failure) {
        try {
            if (logged.permits()) {
                LOG.error("{} is not counted", operation.tag(), failure);
            }
        } catch (Throwable worse) {
            // As above.
        }
    }

    /** Only a defect deserves a stack trace; of the rest the message says what to do. */
    private static void log(
            Operation operation, Object subject, ErrorCode code, Throwable failure) {
        if (code == ErrorCode.INTERNAL) {
            LOG.error("{} of {} failed", operation.tag(), subject, failure);
        } else {
            LOG.warn(
                    "{} of {} failed: {}: {}",
                    operation.tag(),
                    subject,
                    code,
                    failure.getMessage());
        }
    }
}
