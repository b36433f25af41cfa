package dev.forebay.membership.etcd;

import dev.forebay.membership.RegionView;
import dev.forebay.thread.CatchAll;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners for changes of a region, each with the view that it received last. Any thread may
 * add one; only the watch's thread calls them.
 */
final class ViewListeners {

    private static final Logger LOG = LoggerFactory.getLogger(ViewListeners.class);

    private static final class Listener {

        private final Consumer<RegionView> target;
        private @Nullable RegionView received;

        Listener(Consumer<RegionView> target) {
            this.target = target;
        }
    }

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    void add(Consumer<RegionView> target) {
        listeners.add(new Listener(target));
    }

    /**
     * Calls each listener that does not have the current view. A listener that fails is called
     * again by the next call of this method.
     */
    void update(RegionView current) {
        for (Listener listener : listeners) {
            if (!current.equals(listener.received)) {
                boolean _ =
                        CatchAll.run(
                                () -> {
                                    listener.target.accept(current);
                                    listener.received = current;
                                },
                                e ->
                                        LOG.error(
                                                "A listener for changes of the region failed, "
                                                        + "and is called again",
                                                e));
            }
        }
    }
}
