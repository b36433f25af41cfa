package dev.forebay.control.engine;

import dev.forebay.control.ControlPlaneConfig;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets many follow how far versions are, for the price of one per version. Safe for use by many
 * threads.
 */
@Singleton
public class ProgressFeeds {

    private final SharedReadings<DatasetVersion, VersionProgress> readings;
    private final int most;
    private final AtomicInteger followers = new AtomicInteger();

    ProgressFeeds(ProgressReader reader, ControlPlaneConfig config, MeterRegistry registry) {
        this.readings =
                new SharedReadings<>(reader::of, config.progress().interval(), System::nanoTime);
        this.most = config.progress().streams();
        registry.gauge("forebay.control.progress.streams", followers);
    }

    /**
     * How far a version is now.
     *
     * @throws ForebayException as {@link ProgressReader#of(DatasetVersion)}
     */
    public VersionProgress fresh(DatasetVersion version) {
        return readings.fresh(version);
    }

    /**
     * How far a version is, at most as long ago as the configured interval.
     *
     * @throws ForebayException as {@link ProgressReader#of(DatasetVersion)}
     */
    public VersionProgress recent(DatasetVersion version) {
        return readings.recent(version);
    }

    /**
     * Begins to follow a version; to be closed.
     *
     * @throws ForebayException {@code UNAVAILABLE} if there are too many followers already
     */
    public Follower follow(DatasetVersion version) {
        int others = followers.getAndIncrement();
        if (others >= most) {
            followers.decrementAndGet();
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "%d streams of progress are open, the most there can be (forebay.progress.streams): ask for the version itself"
                            .formatted(others));
        }
        return new Follower(version);
    }

    /** One who follows a version. For one thread. */
    public final class Follower implements AutoCloseable {

        private final DatasetVersion version;

        private Follower(DatasetVersion version) {
            this.version = version;
        }

        /**
         * How far the version is, at most as long ago as the configured interval.
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
