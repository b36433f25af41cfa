package dev.forebay.system;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Faults and changes during a run of the reference model. */
enum ModelEvent {
    LAKE_FAULTS(4),
    WORKER_STOPPED(2),
    WORKER_KILLED(2),
    CHUNK_DAMAGED(2),
    VERSION_EVICTED(3),
    ETCD_KILLED(2),
    POD_KILLED(4),
    PODS_KILLED_WITHOUT_ETCD(1),
    POD_UPGRADED(2),
    HOLDER_KILLED(1),
    MANIFESTS_LOST(2),
    MANIFESTS_DAMAGED(2),
    PACKS_DAMAGED(4),
    NATIVE_PACK_DAMAGED(3);

    private static final Map<ModelSetup, List<ModelEvent>> DUE = shareOut();

    private final int weight;

    ModelEvent(int weight) {
        this.weight = weight;
    }

    /** Returns the relative probability of the event. */
    int weight() {
        return weight;
    }

    /** Returns the events that are possible in a setup. */
    static List<ModelEvent> possibleIn(ModelSetup setup) {
        return Stream.of(values()).filter(event -> event.isPossibleIn(setup)).toList();
    }

    /**
     * Returns the events that a run of this setup must include. Each event is assigned to one
     * setup.
     */
    static List<ModelEvent> dueIn(ModelSetup setup) {
        return DUE.getOrDefault(setup, List.of());
    }

    /** Assigns each event to the setup with the fewest so far, starting with the rarest events. */
    private static Map<ModelSetup, List<ModelEvent>> shareOut() {
        Map<ModelSetup, List<ModelEvent>> due = new EnumMap<>(ModelSetup.class);
        for (ModelSetup setup : ModelSetup.values()) {
            due.put(setup, new ArrayList<>());
        }
        Stream.of(values())
                .sorted(Comparator.comparingLong(event -> event.setups().count()))
                .forEach(
                        event ->
                                event.setups()
                                        .map(due::get)
                                        .min(Comparator.comparingInt(List::size))
                                        .orElseThrow()
                                        .add(event));
        return due;
    }

    private Stream<ModelSetup> setups() {
        return Stream.of(ModelSetup.values()).filter(this::isPossibleIn);
    }

    private boolean isPossibleIn(ModelSetup setup) {
        return switch (this) {
            case LAKE_FAULTS,
                    WORKER_STOPPED,
                    WORKER_KILLED,
                    CHUNK_DAMAGED,
                    VERSION_EVICTED,
                    ETCD_KILLED ->
                    true;
            case POD_KILLED,
                    PODS_KILLED_WITHOUT_ETCD,
                    POD_UPGRADED,
                    HOLDER_KILLED,
                    MANIFESTS_LOST ->
                    setup.held();
            // An image shows names without the manifest.
            case MANIFESTS_DAMAGED -> setup.held() && setup.shown() == ModelSetup.Shown.BY_FUSE;
            case PACKS_DAMAGED -> setup.strict();
            case NATIVE_PACK_DAMAGED -> setup.shown() == ModelSetup.Shown.NATIVELY;
        };
    }
}
