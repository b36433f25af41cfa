package dev.forebay.agent.gate;

import dev.forebay.model.Backoff;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits requests for versions that are BLOCKED. Each request starts a new fill, so the last
 * refusal is returned until a pause has passed. The pauses grow. After an operator resumes the
 * region, the next request goes out at once. Safe for use by many threads.
 */
final class BackoffVersionRequester implements VersionRequester {

    static final Backoff BACKOFF = new Backoff(Duration.ofSeconds(30), Duration.ofMinutes(10));

    /** A fill may take hours until it fails. */
    static final Duration FORGOTTEN_AFTER = Duration.ofDays(1);

    /** Codes that depend on the single request, and not on the version. */
    private static final Set<String> OF_ONE_REQUEST =
            Set.of(
                    RequestAnswer.UNAVAILABLE,
                    RequestAnswer.DEADLINE_EXCEEDED,
                    // the next request may create the version
                    ErrorCode.NOT_FOUND.name(),
                    ErrorCode.CANCELLED.name(),
                    ErrorCode.ALREADY_EXISTS.name());

    private static final int MOST_REMEMBERED = 10_000;

    private final VersionRequester requester;
    private final LongSupplier nanos;
    // Guarded by itself; in order of the last refusal.
    private final LinkedHashMap<DatasetVersion, Refusal> refusals = new LinkedHashMap<>();

    private record Refusal(RequestAnswer answer, Duration pause, long nanos) {}

    BackoffVersionRequester(VersionRequester requester, LongSupplier nanos) {
        this.requester = requester;
        this.nanos = nanos;
    }

    @Override
    public RequestAnswer ensure(Gang gang) {
        DatasetVersion version = gang.versionRequest().version();
        Refusal last = last(version);
        if (last != null && isRecent(last) && requester.isBlocked(gang)) {
            return last.answer();
        }
        RequestAnswer answer = requester.ensure(gang);
        note(version, answer, last);
        return answer;
    }

    private static boolean isOfVersion(RequestAnswer.Refused refused) {
        return !OF_ONE_REQUEST.contains(refused.code());
    }

    private boolean isRecent(Refusal refusal) {
        return nanos.getAsLong() - refusal.nanos() < refusal.pause().toNanos();
    }

    /** Returns the last refusal, unless it is too old to matter. */
    private @Nullable Refusal last(DatasetVersion version) {
        synchronized (refusals) {
            Refusal last = refusals.get(version);
            return last != null && nanos.getAsLong() - last.nanos() < FORGOTTEN_AFTER.toNanos()
                    ? last
                    : null;
        }
    }

    /**
     * Keeps the pause of the last refusal while a fill runs, because a running fill has not
     * succeeded.
     */
    private void note(DatasetVersion version, RequestAnswer answer, @Nullable Refusal last) {
        synchronized (refusals) {
            if (answer instanceof RequestAnswer.Warm) {
                refusals.remove(version);
            }
            if (answer instanceof RequestAnswer.Refused refused && isOfVersion(refused)) {
                refusals.remove(version);
                Duration pause = last == null ? BACKOFF.first() : BACKOFF.following(last.pause());
                refusals.put(version, new Refusal(answer, pause, nanos.getAsLong()));
            }
            if (refusals.size() > MOST_REMEMBERED) {
                refusals.pollFirstEntry();
            }
        }
    }

    @Override
    public boolean isBlocked(Gang gang) {
        return requester.isBlocked(gang);
    }

    @Override
    public void cancel(Gang gang) {
        requester.cancel(gang);
    }
}
