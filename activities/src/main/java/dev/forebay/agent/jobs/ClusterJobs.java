package dev.forebay.agent.jobs;

import dev.forebay.membership.Pin;
import dev.forebay.model.ForebayException;
import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.GroupVersionForDiscovery;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Listable;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Reads Jobs of all namespaces, of each {@link WorkloadKind}, from the API server. Needs the verb
 * {@code list} on them and {@code watch} on Kubernetes' own Jobs. Needs {@code list} on pods and
 * Workloads, too, if those hold pins.
 */
final class ClusterJobs implements Jobs {

    private static final Logger LOG = Logger.getLogger(ClusterJobs.class);

    /** Bounds the heap for one answer. */
    private static final long PAGE = 500;

    private static final ResourceDefinitionContext PODS =
            new ResourceDefinitionContext.Builder()
                    .withVersion("v1")
                    .withKind("Pod")
                    .withPlural("pods")
                    .withNamespaced(true)
                    .build();

    private final KubernetesClient client;
    private final boolean podsHoldPins;
    private final boolean workloadsHoldPins;
    private final List<WorkloadKind> kinds;
    private final AbsentKinds absent;

    // Guarded by this.
    private @Nullable SharedIndexInformer<Job> informer;

    /**
     * @param client is not closed with this
     * @param podsHoldPins whether pods that the webhook has admitted count as Jobs of their own
     * @param workloadsHoldPins whether Kueue's Workloads count as Jobs
     * @param nanos a clock as {@link System#nanoTime}
     */
    ClusterJobs(
            KubernetesClient client,
            boolean podsHoldPins,
            boolean workloadsHoldPins,
            LongSupplier nanos) {
        this.client = client;
        this.podsHoldPins = podsHoldPins;
        this.workloadsHoldPins = workloadsHoldPins;
        List<WorkloadKind> all = new ArrayList<>(WorkloadKind.ALL);
        if (workloadsHoldPins) {
            all.add(WorkloadKind.WORKLOAD);
        }
        this.kinds = List.copyOf(all);
        this.absent = new AbsentKinds(nanos);
    }

    /**
     * The pages of a list show one state of the cluster, not older than the first request. If the
     * API server drops that state before the last page, the call fails.
     *
     * <p>A kind besides Job may be impossible to list, as when its conversion webhook is gone, or
     * when it is missing {@linkplain AbsentKinds for the moment}. Until then, no pin ends that may
     * belong to that kind. An object that is listed as ended proves its kind.
     */
    @Override
    public Set<String> over(Collection<Pin> pins) {
        Set<String> over =
                pins.stream().map(Pin::job).collect(Collectors.toCollection(HashSet::new));
        Set<String> ended = new HashSet<>();
        List<WorkloadKind> unlisted = new ArrayList<>();
        for (WorkloadKind kind : kinds) {
            if (over.isEmpty()) {
                return over;
            }
            try {
                if (!removeLiving(kind, pins, over, ended)) {
                    unlisted.add(kind);
                }
            } catch (ForebayException unanswered) {
                absent.noAnswer();
                if (kind.equals(WorkloadKind.JOB)) {
                    throw unanswered;
                }
                LOG.warnf(
                        "Cannot read objects of kind %s, so their pins stay for now: %s",
                        kind.name(), unanswered.getMessage());
                unlisted.add(kind);
            }
        }
        if (podsHoldPins && !over.isEmpty()) {
            removeLiving(
                    client.genericKubernetesResources(PODS)
                            .inAnyNamespace()
                            .withLabel(Pods.ADMITTED, "true"),
                    "Pod",
                    over,
                    ended);
        }
        unlisted.forEach(kind -> removeUnlessOfAnother(kind, pins, over, ended));
        return over;
    }

    @Override
    public boolean asksFor(Pin pin) {
        return (podsHoldPins || !PinOwner.isOfKind("Pod", pin))
                && (workloadsHoldPins || !PinOwner.isOfKind(WorkloadKind.WORKLOAD.name(), pin));
    }

    /** Returns whether the living objects of this kind are known. */
    private boolean removeLiving(
            WorkloadKind kind, Collection<Pin> pins, Set<String> over, Set<String> ended) {
        Optional<ResourceDefinitionContext> served = served(kind);
        if (served.isPresent()) {
            absent.isThere(kind);
            removeLiving(
                    client.genericKubernetesResources(served.get()).inAnyNamespace(),
                    kind.name(),
                    over,
                    ended);
            return true;
        }
        if (absent.isGone(kind)) {
            return true;
        }
        if (absent.wasThere(kind)) {
            LOG.warnf(
                    "The cluster no longer has the kind %s, so pins of its objects stay until "
                            + "their leases end",
                    kind.name());
            return false;
        }
        if (!kind.name().equals(WorkloadKind.JOB.name())) {
            remove(over, pins, pin -> PinOwner.isOfKind(kind.name(), pin));
        }
        return true;
    }

    /** Keeps pins that clients took themselves, because their kind is unknown. */
    private void removeUnlessOfAnother(
            WorkloadKind kind, Collection<Pin> pins, Set<String> over, Set<String> ended) {
        remove(
                over,
                pins,
                pin ->
                        !ended.contains(pin.job())
                                && Stream.concat(
                                                kinds.stream().map(WorkloadKind::name),
                                                Stream.of("Pod"))
                                        .filter(name -> !name.equals(kind.name()))
                                        .noneMatch(name -> PinOwner.isOfKind(name, pin)));
    }

    private static void remove(Set<String> over, Collection<Pin> pins, Predicate<Pin> which) {
        pins.stream().filter(which).map(Pin::job).forEach(over::remove);
    }

    private static void removeLiving(
            Listable<GenericKubernetesResourceList> all,
            String kind,
            Set<String> over,
            Set<String> ended) {
        ListOptions options = new ListOptionsBuilder().withLimit(PAGE).build();
        do {
            GenericKubernetesResourceList page =
                    ApiServer.ask("list objects of kind " + kind, () -> all.list(options));
            for (GenericKubernetesResource job : page.getItems()) {
                String uid = job.getMetadata().getUid();
                if (!JobStatus.isOver(job)) {
                    over.remove(uid);
                } else if (over.contains(uid)) {
                    ended.add(uid);
                }
            }
            options.setContinue(page.getMetadata().getContinue());
        } while (options.getContinue() != null && !options.getContinue().isEmpty());
    }

    /**
     * Returns how to list a kind, empty if the cluster does not have it. Asks again each time: a
     * version that is no longer served does not mean that its objects are gone.
     */
    private Optional<ResourceDefinitionContext> served(WorkloadKind kind) {
        if (kind.equals(WorkloadKind.JOB)) {
            return Optional.of(kind.in("v1"));
        }
        return ApiServer.ask(
                "list one object of kind " + kind.name(),
                () ->
                        Optional.ofNullable(client.getApiGroup(kind.group())).stream()
                                .map(APIGroup::getVersions)
                                .flatMap(versions -> versions.stream())
                                .map(GroupVersionForDiscovery::getVersion)
                                .filter(version -> serves(kind, version))
                                .findFirst()
                                .map(kind::in));
    }

    private boolean serves(WorkloadKind kind, String version) {
        return Optional.ofNullable(client.getApiResources(kind.group() + "/" + version)).stream()
                .map(APIResourceList::getResources)
                .flatMap(resources -> resources.stream())
                .anyMatch(resource -> resource.getName().equals(kind.plural()));
    }

    @Override
    public synchronized void onEnd(Consumer<String> listener) {
        if (informer != null) {
            throw new IllegalStateException("a listener is registered already");
        }
        informer =
                client.batch()
                        .v1()
                        .jobs()
                        .inAnyNamespace()
                        .withLimit(PAGE)
                        .runnableInformer(0)
                        .addEventHandler(new Ends(listener))
                        .exceptionHandler((isStarted, failure) -> true);
        // Tries without end, even if the API server is not available yet.
        var _ = informer.start();
    }

    private record Ends(Consumer<String> listener) implements ResourceEventHandler<Job> {

        @Override
        public void onAdd(Job job) {
            if (isOver(job)) {
                tell(job);
            }
        }

        @Override
        public void onUpdate(Job before, Job job) {
            if (isOver(job) && !isOver(before)) {
                tell(job);
            }
        }

        @Override
        public void onDelete(Job job, boolean unknownFinalState) {
            tell(job);
        }

        private void tell(Job job) {
            listener.accept(job.getMetadata().getUid());
        }
    }

    private static boolean isOver(Job job) {
        return job.getStatus() != null
                && job.getStatus().getConditions().stream()
                        .anyMatch(
                                condition ->
                                        JobStatus.isEnding(
                                                condition.getType(), condition.getStatus()));
    }

    @Override
    public synchronized void close() {
        if (informer != null) {
            informer.close();
        }
    }
}
