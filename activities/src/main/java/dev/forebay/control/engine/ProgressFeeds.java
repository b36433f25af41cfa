package dev.forebay.control.engine;

import dev.forebay.control.ControlPlaneConfig;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lets many follow how far versions are, for the price of one per version. Safe for use by many
 * threads.
 */
@Singleton
public class ProgressFeeds {

    private final ProgressReader reader;
    private final int most;
    private final Duration interval;
    private final Map<DatasetVersion, Feed> feeds = new HashMap<>();
    private int followers;

    ProgressFeeds(ProgressReader reader, ControlPlaneConfig config, MeterRegistry registry) {
        this.reader = reader;
        this.most = config.progress().streams();
        this.interval = config.progress().interval();
        registry.gauge("forebay.control.progress.streams", this, ProgressFeeds::followers);
    }

    /**
     * Begins to follow a version; to be closed.
     *
     * @throws ForebayException {@code UNAVAILABLE} if there are too many followers already
     */
    public synchronized Follower follow(DatasetVersion version) {
        if (followers >= most) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "%d streams of progress are open, the most there can be (forebay.progress.streams): ask for the version itself"
                            .formatted(followers));
        }
        followers++;
        Feed feed = feeds.computeIfAbsent(version, Feed::new);
        feed.followers++;
        return new Follower(feed);
    }

    private synchronized int followers() {
        return followers;
    }

    private synchronized void leave(Feed feed) {
        followers--;
        feed.followers--;
        if (feed.followers == 0) {
            feeds.remove(feed.version);
        }
    }

    /** One who follows a version. For one thread. */
    public final class Follower implements AutoCloseable {

        private final Feed feed;

        private Follower(Feed feed) {
            this.feed = feed;
        }

        /**
         * How far the version is, at most as long ago as the configured interval.
         *
         * @throws ForebayException as {@link ProgressReader#of(DatasetVersion)}
         */
        public VersionProgress now() {
            return feed.now();
        }

        @Override
        public void close() {
            leave(feed);
        }
    }

    /** What all who follow a version share. */
    private final class Feed {

        private final DatasetVersion version;
        private int followers;
        private @Nullable VersionProgress latest;
        private long readAt;

        private Feed(DatasetVersion version) {
            this.version = version;
        }

        private synchronized VersionProgress now() {
            VersionProgress known = latest;
            if (known != null && System.nanoTime() - readAt < interval.toNanos()) {
                return known;
            }
            VersionProgress read = reader.of(version);
            latest = read;
            readAt = System.nanoTime();
            return read;
        }
    }
}
