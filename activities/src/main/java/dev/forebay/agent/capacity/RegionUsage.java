package dev.forebay.agent.capacity;

import dev.forebay.membership.Mount;
import dev.forebay.membership.Pin;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.service.gateway.UsageReport;
import dev.forebay.service.gateway.UsageReport.Mounted;
import dev.forebay.service.gateway.UsageReport.Share;
import dev.forebay.thread.ParallelCalls;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerUsage;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Asks every worker how many bytes it holds for which versions, and adds up the answers. Safe for
 * use by many threads.
 */
@Singleton
public class RegionUsage {

    private static final Logger LOG = Logger.getLogger(RegionUsage.class);

    /** Shorter than the control plane's timeout for the whole answer. */
    private static final Duration WORKER_TIMEOUT = Duration.ofSeconds(2);

    private final RegionState region;
    private final WorkerClient workers;
    private final SpaceCalculator space;

    RegionUsage(RegionState region, WorkerClient workers, SpaceCalculator space) {
        this.region = region;
        this.workers = workers;
        this.space = space;
    }

    /** The answer of a worker, absent if it did not answer. */
    private record Answer(WorkerNode worker, @Nullable WorkerUsage usage) {}

    /**
     * Returns the usage of the region's live workers. The report names workers that do not answer.
     *
     * @throws ForebayException {@code UNAVAILABLE} if the region's etcd was never reached
     */
    public UsageReport report() {
        RegionView view = region.view();
        List<Answer> answers = answers(view);
        List<WorkerUsage> usages =
                answers.stream()
                        .flatMap(answer -> Optional.ofNullable(answer.usage()).stream())
                        .toList();
        Map<Set<Digest>, Long> bytes = new HashMap<>();
        Map<Digest, Duration> readAgo = new HashMap<>();
        for (WorkerUsage usage : usages) {
            usage.shares()
                    .forEach(share -> bytes.merge(share.manifests(), share.bytes(), Long::sum));
            usage.readAgo()
                    .forEach(
                            (manifest, ago) ->
                                    readAgo.merge(
                                            manifest,
                                            ago,
                                            (one, other) ->
                                                    one.compareTo(other) < 0 ? one : other));
        }
        return new UsageReport(
                usages.stream().mapToLong(WorkerUsage::capacityBytes).sum(),
                usages.stream().mapToLong(WorkerUsage::usedBytes).sum(),
                bytes.getOrDefault(Set.<Digest>of(), 0L),
                unknown(view, answers),
                versions(view, readAgo),
                shares(view, bytes),
                space(view));
    }

    private List<Answer> answers(RegionView view) {
        List<WorkerNode> live =
                view.workers().stream()
                        .filter(worker -> view.live().contains(worker.id()))
                        .toList();
        List<Optional<WorkerUsage>> usages =
                ParallelCalls.answers(live, WORKER_TIMEOUT, workers::usage);
        return IntStream.range(0, live.size())
                .mapToObj(i -> new Answer(live.get(i), usages.get(i).orElse(null)))
                .toList();
    }

    private List<String> unknown(RegionView view, List<Answer> answers) {
        List<String> unknown = new ArrayList<>();
        if (!region.connected()) {
            unknown.add("etcd does not answer the agent");
        }
        view.hiddenClaims()
                .forEach(
                        key ->
                                unknown.add(
                                        "a later release wrote etcd key %s: upgrade the agent"
                                                .formatted(key)));
        if (answers.isEmpty()) {
            unknown.add("no worker is live");
        }
        for (Answer answer : answers) {
            WorkerUsage usage = answer.usage();
            if (usage == null) {
                unknown.add("worker %s does not answer".formatted(answer.worker().id()));
            } else if (!usage.complete()) {
                unknown.add("worker %s cannot read all manifests".formatted(answer.worker().id()));
            }
        }
        return unknown;
    }

    private static List<Mounted> versions(RegionView view, Map<Digest, Duration> readAgo) {
        Set<DatasetVersion> pinned =
                view.pins().stream().map(Pin::version).collect(Collectors.toSet());
        return view.mounts().stream()
                .map(
                        mount -> {
                            Duration ago = readAgo.get(mount.manifest().digest());
                            return new Mounted(
                                    mount.version(),
                                    mount.manifest(),
                                    mount.state() == Mount.State.EVICTING,
                                    mount.state() == Mount.State.UNKNOWN
                                            || pinned.contains(mount.version()),
                                    ago == null ? null : ago.toSeconds());
                        })
                .toList();
    }

    private Map<String, Long> space(RegionView view) {
        Map<String, List<Mount>> mounts =
                view.mounts().stream()
                        .collect(
                                Collectors.groupingBy(
                                        mount -> mount.version().dataset().namespace()));
        Map<String, Long> bytes = new HashMap<>();
        mounts.forEach(
                (namespace, own) -> {
                    try {
                        bytes.put(namespace, space.of(own));
                    } catch (ForebayException e) {
                        LOG.warnf(
                                e, "Cannot calculate the space that namespace %s uses", namespace);
                    }
                });
        return bytes;
    }

    /**
     * Returns the bytes of chunks by the mounts that own them. Bytes of a version that was
     * unmounted meanwhile count for their other owners.
     */
    private static List<Share> shares(RegionView view, Map<Set<Digest>, Long> bytes) {
        List<Mount> mounts = view.mounts();
        return bytes.entrySet().stream()
                .filter(share -> !share.getKey().isEmpty())
                .map(
                        share ->
                                new Share(
                                        share.getValue(),
                                        IntStream.range(0, mounts.size())
                                                .filter(
                                                        i ->
                                                                share.getKey()
                                                                        .contains(
                                                                                mounts.get(i)
                                                                                        .manifest()
                                                                                        .digest()))
                                                .boxed()
                                                .toList()))
                .filter(share -> !share.owners().isEmpty())
                .toList();
    }
}
