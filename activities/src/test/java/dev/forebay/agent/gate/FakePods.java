package dev.forebay.agent.gate;

import dev.forebay.agent.admission.PodVersionRequest;
import dev.forebay.agent.jobs.AdmittedPod;
import dev.forebay.agent.jobs.ControllerReference;
import dev.forebay.agent.jobs.PinOwner;
import dev.forebay.agent.jobs.Pods;
import dev.forebay.agent.jobs.VersionNotice;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A cluster in memory. A released or failed pod has no gate any more. A released pod runs until it
 * is deleted.
 */
final class FakePods implements Pods {

    private final Map<String, AdmittedPod> all = new TreeMap<>();
    final Map<String, VersionNotice> told = new ConcurrentHashMap<>();
    static final String UNPINNED = "";
    final Map<String, String> opened = new ConcurrentHashMap<>();
    final Set<String> failed = ConcurrentHashMap.newKeySet();
    final Set<String> unknownOwners = ConcurrentHashMap.newKeySet();
    volatile boolean down;
    volatile boolean clockIsDown;
    Runnable beforeRunning = () -> {};
    int lookedUp;
    Instant now = Instant.parse("2026-11-20T12:00:00Z");

    void add(String name, String owner, String dataset) {
        add(name, owner, dataset, Map.of());
    }

    void add(String name, String owner, String dataset, Map<String, String> more) {
        Map<String, String> annotations = new HashMap<>(more);
        annotations.put(PodVersionRequest.DATASET, dataset);
        all.put(
                name,
                new AdmittedPod(
                        "default",
                        name,
                        "uid-" + name,
                        now,
                        annotations,
                        Optional.of(new ControllerReference("batch/v1", "Job", owner, owner)),
                        Optional.empty()));
    }

    void delete(String name) {
        all.remove(name);
    }

    /** Releases a pod as another agent would. */
    void open(String name) {
        opened.put(name, "by another");
    }

    @Override
    public boolean isOpen(AdmittedPod pod) {
        requireUp();
        return opened.containsKey(pod.name());
    }

    @Override
    public void follow() {}

    @Override
    public List<AdmittedPod> gated() {
        return all.values().stream()
                .filter(pod -> !opened.containsKey(pod.name()) && !failed.contains(pod.name()))
                .toList();
    }

    @Override
    public List<AdmittedPod> running() {
        requireUp();
        beforeRunning.run();
        return all.values().stream().filter(pod -> opened.containsKey(pod.name())).toList();
    }

    @Override
    public Instant clock() {
        if (clockIsDown) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, "down");
        }
        return now;
    }

    @Override
    public PinOwner holder(AdmittedPod pod) {
        requireUp();
        lookedUp++;
        ControllerReference owner = pod.owner().orElseThrow();
        return unknownOwners.contains(owner.uid())
                ? new PinOwner("Pod", pod.namespace(), pod.name(), pod.uid())
                : new PinOwner(owner.kind(), pod.namespace(), owner.name(), owner.uid());
    }

    @Override
    public void tell(AdmittedPod pod, VersionNotice notice) {
        requireUp();
        told.put(pod.name(), notice);
    }

    @Override
    public void open(AdmittedPod pod, VersionNotice notice, Optional<String> pinId) {
        requireUp();
        opened.put(pod.name(), pinId.orElse(UNPINNED));
    }

    @Override
    public void fail(AdmittedPod pod, VersionNotice notice) {
        requireUp();
        failed.add(pod.name());
    }

    private void requireUp() {
        if (down) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, "down");
        }
    }

    @Override
    public void close() {}
}
