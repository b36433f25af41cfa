package dev.forebay.agent.gate;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks only now and then for what is BLOCKED: each time is a new attempt to fill the region, and as
 * long as nobody has done anything about it the last answer holds. Somebody who resumes the region
 * is noticed at once. Safe for use by many threads.
 */
final class SparingPlatform implements Platform {

    static final Duration FIRST_PAUSE = Duration.ofSeconds(30);
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    /** An attempt may take hours until it fails. */
    static final Duration FORGOTTEN_AFTER = Duration.ofDays(1);

    /** They say nothing of what others are answered. */
    private static final Set<String> OF_ONE_REQUEST =
            Set.of(
                    Answer.UNAVAILABLE,
                    Answer.DEADLINE_EXCEEDED,
                    // The next one may have the version created.
                    ErrorCode.NOT_FOUND.name(),
                    ErrorCode.CANCELLED.name(),
                    ErrorCode.ALREADY_EXISTS.name());

    private static final int MOST_REMEMBERED = 10_000;

    private final Platform platform;
    private final LongSupplier nanos;
    // Guarded by itself; in order of the last refusal.
    private final LinkedHashMap<DatasetVersion, Refusal> refusals = new LinkedHashMap<>();

    private record Refusal(Answer answer, Duration pause, long nanos) {}

    SparingPlatform(Platform platform, LongSupplier nanos) {
        this.platform = platform;
        this.nanos = nanos;
    }

    @Override
    public Answer ensure(Gang gang) {
        DatasetVersion version = gang.wish().version();
        Refusal last = last(version);
        if (last != null && isRecent(last) && platform.isBlocked(gang)) {
            return last.answer();
        }
        Answer answer = platform.ensure(gang);
        note(version, answer, last);
        return answer;
    }

    private static boolean isOfVersion(Answer.Refused refused) {
        return !OF_ONE_REQUEST.contains(refused.code());
    }

    private boolean isRecent(Refusal refusal) {
        return nanos.getAsLong() - refusal.nanos() < refusal.pause().toNanos();
    }

    /** What was long ago says nothing of today's troubles. */
    private @Nullable Refusal last(DatasetVersion version) {
        synchronized (refusals) {
            Refusal last = refusals.get(version);
            return last != null && nanos.getAsLong() - last.nanos() < FORGOTTEN_AFTER.toNanos()
                    ? last
                    : null;
        }
    }

    /** An attempt that is under way is none that has succeeded: its pause is the last one's. */
    private void note(DatasetVersion version, Answer answer, @Nullable Refusal last) {
        synchronized (refusals) {
            if (answer instanceof Answer.Warm) {
                refusals.remove(version);
            }
            if (answer instanceof Answer.Refused refused && isOfVersion(refused)) {
                refusals.remove(version);
                Duration pause = last == null ? FIRST_PAUSE : last.pause().multipliedBy(2);
                pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
                refusals.put(version, new Refusal(answer, pause, nanos.getAsLong()));
            }
            if (refusals.size() > MOST_REMEMBERED) {
                refusals.pollFirstEntry();
            }
        }
    }

    @Override
    public boolean isBlocked(Gang gang) {
        return platform.isBlocked(gang);
    }

    @Override
    public void takeBack(Gang gang) {
        platform.takeBack(gang);
    }
}
