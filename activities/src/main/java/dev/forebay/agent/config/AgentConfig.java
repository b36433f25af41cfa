package dev.forebay.agent.config;

import dev.forebay.settings.InRange;
import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The settings of an agent. */
@ConfigMapping(prefix = "forebay")
public interface AgentConfig {

    /** The region whose activities this agent runs. */
    Optional<String> region();

    /** The region's etcd. */
    Etcd etcd();

    /**
     * A PEM file with the authorities that sign the certificates of workers that use TLS. By
     * default those that the JVM trusts.
     */
    Optional<Path> workerCa();

    /** Where nodes of the region see versions. */
    @WithDefault("/mnt/forebay")
    String mountRoot();

    /** How long a worker that is down keeps its place before its chunks go to other workers. */
    @WithDefault("60S")
    Duration workerGrace();

    /**
     * How long after a worker's departure a version keeps waiting that only fits with that worker's
     * capacity. After that, or if the capacity was never enough, the version is refused.
     */
    @WithDefault("1H")
    Duration workersRemembered();

    /**
     * How many activities other than fills run at once in this agent: mounting, confirming, pins
     * and evictions. Fills do not delay them.
     */
    @WithDefault("32")
    @InRange(min = "1")
    int activities();

    /** The filling of a region. */
    Warm warm();

    /** The checks that pinned copies are complete. */
    Upkeep upkeep();

    /** The Kubernetes Jobs that hold pins. */
    Jobs jobs();

    /** The webhook that changes training pods. */
    Admission admission();

    /** The gate at which training pods wait. */
    Gate gate();

    /** The labels of nodes that hold versions. */
    NodeLabels nodeLabels();

    /** The AdmissionCheck of Kueue. */
    Kueue kueue();

    /** The data that other regions read here. */
    Gateway gateway();

    /** The region's etcd. */
    interface Etcd {

        /** Its addresses, separated by commas. */
        Optional<List<URI>> endpoints();

        /** Files for TLS, used with {@code https} addresses. */
        EtcdTls tls();
    }

    /** Files for TLS to etcd. */
    interface EtcdTls {

        /**
         * The authorities, in PEM, that sign the members' certificates. By default those of the
         * JVM.
         */
        Optional<Path> ca();

        /** The client certificate, in PEM. */
        Optional<Path> certificate();

        /** The key of the client certificate, in PEM. */
        Optional<Path> key();
    }

    /** The checks that pinned copies are complete. */
    interface Upkeep {

        /**
         * How often workers are asked whether they still hold the pinned versions, even if no
         * worker was lost. After a loss they are asked when the worker's grace period has passed.
         */
        @WithDefault("1H")
        @InRange(min = "1s")
        Duration interval();
    }

    /** The Kubernetes Jobs that hold pins. */
    interface Jobs {

        /**
         * Whether pins end with the Kubernetes Jobs that they name. All of these Jobs must then be
         * in the cluster of this agent, or in the one that {@code KUBECONFIG} names.
         */
        @WithDefault("false")
        boolean watch();

        /**
         * How often the agent queries the API server although no Job was seen to end, and compares
         * running pods with the pins that they need.
         */
        @WithDefault("60S")
        @InRange(min = "1s")
        Duration interval();
    }

    /** The webhook that changes training pods. */
    interface Admission {

        /** Whether the agent runs the webhook and the gate. */
        @WithDefault("false")
        boolean enabled();

        /** The address that the webhook listens on. */
        @WithDefault("127.0.0.1")
        String host();

        /** The port that the webhook listens on, with TLS. */
        @WithDefault("8443")
        int port();

        /**
         * The most bytes of request bodies that are being read at the same time. The heap needs
         * more: up to twice that for the buffers. Parsing, one body at a time, takes about ten
         * times the bytes of a pod, and 30 times at worst.
         */
        @WithDefault("64M")
        @InRange(min = "4M")
        MemorySize requestBytes();

        /** The name of the webhook for the API server: a DNS name or an IP address. */
        Optional<String> name();

        /** The namespace of the webhook's Secret. */
        Optional<String> namespace();

        /** The Secret with the webhook's key, which all agents of the region share. */
        Optional<String> secret();

        /** The MutatingWebhookConfiguration that names the webhook. */
        Optional<String> configuration();

        /**
         * How long a certificate of the webhook is valid. A new one is created when a third of that
         * is left.
         */
        @WithDefault("90D")
        @InRange(min = "1d")
        Duration certificateLife();

        /** How often the webhook's certificate is checked. */
        @WithDefault("60S")
        @InRange(min = "1ms")
        Duration interval();

        /**
         * A directory that exists on a node only while the tree is mounted, so that no pod sees the
         * empty directory below the mount. No check if empty.
         */
        Optional<String> mountedSign();

        /** The labels of the nodes that see versions. A value may be empty. */
        Map<String, @WithConverter(LabelValue.class) String> nodes();
    }

    /** The AdmissionCheck of Kueue. */
    interface Kueue {

        /** Whether this agent answers the check, with the settings of the gate. */
        @WithDefault("false")
        boolean enabled();
    }

    /** The gate at which training pods wait. Kueue's check has the same settings. */
    interface Gate {

        /** The address of the control plane. */
        Optional<URI> api();

        /** The lease of pins, which the agent renews while their Jobs run. */
        @WithDefault("1H")
        Duration lease();

        /** How often the control plane is asked for the versions that pods wait for. */
        @WithDefault("10S")
        @InRange(min = "1ms")
        Duration interval();

        /** The timeout of a request to the control plane. */
        @WithDefault("10S")
        Duration timeout();

        /** How many requests to the control plane run at once, each for one Job. */
        @WithDefault("16")
        @InRange(min = "1")
        int concurrency();
    }

    /** The labels of nodes that hold versions. */
    interface NodeLabels {

        /**
         * Whether the agent sets the labels and has training pods prefer such nodes. The nodes must
         * then be in the cluster of this agent, or in the one that {@code KUBECONFIG} names.
         */
        @WithDefault("false")
        boolean enabled();

        /** How often labels are compared with the reports of nodes. */
        @WithDefault("30S")
        @InRange(min = "1s")
        Duration interval();

        /** How much a training pod prefers a node that holds its version, 1 to 100. */
        @WithDefault("100")
        @InRange(min = "1", max = "100")
        int weight();
    }

    /** The filling of a region. */
    interface Warm {

        /** How many chunks one activity fills at once. */
        @WithDefault("16")
        @InRange(min = "1")
        int concurrency();

        /** How many activities fill at once in this agent. */
        @WithDefault("32")
        @InRange(min = "1")
        int activities();
    }

    /** The data that other regions read here. */
    interface Gateway {

        /** How many ranges of packs are sent at once. Each takes up to 8 MiB of the heap. */
        @WithDefault("8")
        @InRange(min = "1")
        int reads();

        /** How long a request waits for one of these slots before the other region gets a miss. */
        @WithDefault("2S")
        Duration queueTimeout();

        /** How long a worker of this region may take to send a range. */
        @WithDefault("2S")
        Duration timeout();

        /** How long a worker may take to begin its answer, which needs only its disk. */
        @WithDefault("1S")
        Duration firstByte();
    }
}
