package dev.forebay.fuse.fs;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wraps every call from a kernel: counts it, logs failures, and maps each failure to a negative
 * error number. It throws nothing, because an exception that leaves a native callback ends the
 * process. It catches errors itself, because it must need no memory for that. Thread-safe.
 */
public final class UpcallGuard {

    /** An operation. It returns 0 or more, such as a number of bytes. */
    @FunctionalInterface
    public interface Body {
        int run();
    }

    private static final Logger LOG = LoggerFactory.getLogger(UpcallGuard.class);

    private final OperationMeter meter;
    private final RateLimit logged = new RateLimit(20, 60);

    public UpcallGuard(OperationMeter meter) {
        this.meter = meter;
    }

    /**
     * Runs an operation and returns its result, or a negative error number if it failed.
     *
     * @param subject what the operation is about; converted to a string only for a log message
     */
    public int run(Operation operation, Object subject, Body body) {
        long start = System.nanoTime();
        Throwable failure = null;
        int result;
        try {
            result = body.run();
        } catch (FsException e) {
            result = -e.errno().number();
        } catch (Throwable e) {
            failure = e;
            result = -Errno.of(code(e)).number();
        }
        Throwable uncounted = null;
        try {
            if (failure != null) {
                meter.failed(operation, code(failure));
            }
            meter.ended(operation, System.nanoTime() - start);
        } catch (Throwable e) {
            uncounted = e;
        }
        try {
            if (failure != null && logged.permits()) {
                log(operation, subject, code(failure), failure);
            }
            if (uncounted != null && logged.permits()) {
                LOG.error("Cannot count {}", operation.tag(), uncounted);
            }
        } catch (Throwable worse) {
            // The answer to the kernel matters more than the log message.
        }
        return result;
    }

    private static ErrorCode code(Throwable failure) {
        return failure instanceof ForebayException refusal ? refusal.code() : ErrorCode.INTERNAL;
    }

    /** Logs a stack trace for defects only; the messages of other failures say what to do. */
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
