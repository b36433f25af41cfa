package dev.forebay.control.progress;

import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Shares the progress of each version among all clients that follow it. One read of a version
 * serves all of them. Thread-safe.
 */
@Singleton
public class ProgressFeeds {

    private final SharedReads<DatasetVersion, VersionProgress> readings;
    private final int most;
    private final AtomicInteger followers = new AtomicInteger();

    ProgressFeeds(ProgressReader reader, ControlPlaneConfig config, MeterRegistry registry) {
        this.readings =
                new SharedReads<>(reader::of, config.progress().interval(), System::nanoTime);
        this.most = config.progress().streams();
        registry.gauge("forebay.control.progress.streams", followers);
    }

    /**
     * Returns the current progress of a version.
     *
     * @throws ForebayException as {@link ProgressReader#of(DatasetVersion)}
     */
    public VersionProgress fresh(DatasetVersion version) {
        return readings.fresh(version);
    }

    /**
     * Returns the progress of a version, at most as old as the configured interval.
     *
     * @throws ForebayException as {@link ProgressReader#of(DatasetVersion)}
     */
    public VersionProgress recent(DatasetVersion version) {
        return readings.recent(version);
    }

    /**
     * Starts following a version. The caller must close the follower.
     *
     * @throws ForebayException {@code UNAVAILABLE} if there are too many followers
     */
    public Follower follow(DatasetVersion version) {
        int others = followers.getAndIncrement();
        if (others >= most) {
            followers.decrementAndGet();
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "forebay.progress.streams allows %d open streams of progress: poll the version instead"
                            .formatted(others));
        }
        return new Follower(version);
    }

    /** A client that follows a version. Not thread-safe. */
    public final class Follower implements AutoCloseable {

        private final DatasetVersion version;

        private Follower(DatasetVersion version) {
            this.version = version;
        }

        /**
         * Returns the progress of the version, at most as old as the configured interval.
         *
         * @throws ForebayException as {@link ProgressReader#of(DatasetVersion)}
         */
        public VersionProgress now() {
            return recent(version);
        }

        @Override
        public void close() {
            followers.decrementAndGet();
        }
    }
}
