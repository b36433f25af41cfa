package dev.forebay.operator;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.operator.DatasetAnswers.Pin;
import dev.forebay.operator.DatasetAnswers.Residency;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A minimal control plane with regions: one dataset, and what one resource holds of it. */
final class ModelPlatform {

    /** A version in a region. */
    record Copy(String version, String region) implements Comparable<Copy> {
        @Override
        public int compareTo(Copy other) {
            return toString().compareTo(other.toString());
        }
    }

    final Set<Copy> pins = new TreeSet<>();

    /** Requests without an answer. */
    final Set<Copy> requests = new TreeSet<>();

    final Set<String> away = new HashSet<>();
    private final Map<Copy, String> states = new TreeMap<>();
    private final String pin;
    private int versions = 1;
    private DatasetAnswers.@Nullable Dataset dataset;

    ModelPlatform(String pin) {
        this.pin = pin;
    }

    String latest() {
        return "v" + versions;
    }

    boolean isRegistered() {
        return dataset != null && dataset.deletedAt() == null;
    }

    ObservedDataset observe() {
        List<Residency> residencies = new ArrayList<>();
        states.forEach(
                (copy, state) -> {
                    if (copy.version().equals(latest())) {
                        residencies.add(Samples.in(copy.region(), state));
                    }
                });
        List<Pin> held =
                pins.stream()
                        .filter(it -> it.version().equals(latest()))
                        .map(it -> new Pin(pin, it.region(), "me"))
                        .toList();
        return new ObservedDataset(
                Optional.ofNullable(dataset),
                Optional.empty(),
                Optional.of(new DatasetAnswers.Version(latest(), null, null, residencies, held)));
    }

    void take(PlanStep step) {
        switch (step) {
            case PlanStep.Register _ -> dataset = Samples.dataset(Samples.URI, null);
            case PlanStep.Delete _ ->
                    dataset = Samples.dataset(Samples.URI, "2026-11-20T10:00:00Z");
            case PlanStep.Release(String version, String region) -> {
                Copy copy = new Copy(version, region);
                if (requests.remove(copy)) {
                    states.remove(copy, "WARMING");
                }
                requireThere(region);
                pins.remove(copy);
            }
            case PlanStep.Renew(String version, String region, boolean orAsk) -> {
                requireThere(region);
                if (orAsk && !pins.contains(new Copy(version, region))) {
                    ask(new Copy(version, region));
                }
            }
            case PlanStep.Ask(String version, String region) -> ask(new Copy(version, region));
            case PlanStep.SetTtl _, PlanStep.Follow _, PlanStep.Check _, PlanStep.Unfollow _ ->
                    throw new AssertionError(step);
        }
    }

    private void ask(Copy copy) {
        if (!isRegistered()) {
            throw new ForebayException(ErrorCode.NOT_FOUND, "it was deleted");
        }
        if (!"CACHED".equals(states.get(copy))) {
            states.put(copy, "WARMING");
            requests.add(copy);
        } else {
            requireThere(copy.region());
            pins.add(copy);
        }
    }

    private void requireThere(String region) {
        if (away.contains(region)) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, region + " is away");
        }
    }

    /** Adds a version, as a change of the lake would. */
    void newVersion() {
        versions++;
    }

    /** Mounts and pins all requested copies in regions that are reachable. */
    void mount() {
        requests.stream().filter(it -> !away.contains(it.region())).forEach(pins::add);
    }

    /** Completes all requested copies in regions that are reachable. */
    void fill() {
        mount();
        for (Copy copy : List.copyOf(requests)) {
            if (!away.contains(copy.region())) {
                requests.remove(copy);
                states.put(copy, "CACHED");
            }
        }
    }

    /** Ends all pins, as after a long time without renewals. */
    void endLeases() {
        pins.clear();
    }

    /** Evicts the copies without a pin. */
    void sweep() {
        states.entrySet()
                .removeIf(it -> it.getValue().equals("CACHED") && !pins.contains(it.getKey()));
    }
}
