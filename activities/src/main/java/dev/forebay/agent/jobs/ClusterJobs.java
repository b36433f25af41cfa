package dev.forebay.agent.jobs;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.api.model.batch.v1.JobList;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of all namespaces, by the API server. Needs the verbs {@code list} and {@code watch} on
 * them.
 */
public final class ClusterJobs implements Jobs {

    /** Bounds what one answer takes of the heap. */
    private static final long PAGE = 500;

    /** A Job has one of these when no pod of it runs any more, and none will. */
    private static final Set<String> FOR_GOOD = Set.of("Complete", "Failed");

    private final KubernetesClient client;

    // Guarded by this.
    private @Nullable SharedIndexInformer<Job> informer;

    private ClusterJobs(KubernetesClient client) {
        this.client = client;
    }

    /** Of the cluster that this process is in, or that {@code KUBECONFIG} names. */
    public static ClusterJobs connect() {
        Config config = Config.autoConfigure(null);
        // Who asks asks again.
        config.setRequestRetryBackoffLimit(1);
        return of(new KubernetesClientBuilder().withConfig(config).build());
    }

    /**
     * Of the cluster that a client reaches.
     *
     * @param client closed with this
     */
    static ClusterJobs of(KubernetesClient client) {
        return new ClusterJobs(client);
    }

    /**
     * The pages of a list are one state of the cluster, not older than the first question. If that
     * state is not kept for as long as this takes, there is no answer.
     */
    @Override
    public Set<String> over(Set<String> uids) {
        Set<String> over = new HashSet<>(uids);
        ListOptions options = new ListOptionsBuilder().withLimit(PAGE).build();
        do {
            JobList page = page(options);
            page.getItems().stream()
                    .filter(job -> !isOver(job))
                    .map(job -> job.getMetadata().getUid())
                    .forEach(over::remove);
            options.setContinue(page.getMetadata().getContinue());
        } while (options.getContinue() != null && !options.getContinue().isEmpty());
        return over;
    }

    private JobList page(ListOptions options) {
        try {
            return client.batch().v1().jobs().inAnyNamespace().list(options);
        } catch (KubernetesClientException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "the API server does not list Jobs: " + e.getMessage(),
                    e);
        }
    }

    @Override
    public synchronized void onEnd(Consumer<String> listener) {
        if (informer != null) {
            throw new IllegalStateException("somebody listens already");
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
        // It tries for ever, also if the API server is not there yet.
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
                && job.getStatus().getConditions().stream().anyMatch(ClusterJobs::isForGood);
    }

    private static boolean isForGood(JobCondition condition) {
        return FOR_GOOD.contains(condition.getType()) && condition.getStatus().equals("True");
    }

    @Override
    public synchronized void close() {
        if (informer != null) {
            informer.close();
        }
        client.close();
    }
}
