package dev.forebay.agent;

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
     * A file with the authorities, in PEM, that sign the certificates of workers that speak TLS;
     * without it those that the JVM trusts.
     */
    Optional<Path> workerCa();

    /** Where nodes of the region see versions. */
    @WithDefault("/mnt/forebay")
    String mountRoot();

    /** How long a worker that is down keeps its place before its chunks go to others. */
    @WithDefault("60S")
    Duration workerGrace();

    /**
     * How long after a worker has left a version waits that only it had room for; then, or if there
     * never was room, it is refused.
     */
    @WithDefault("1H")
    Duration workersRemembered();

    /**
     * How many activities other than warming run at once in this agent: mounting, confirming, pins
     * and evictions. None of them waits for a warming.
     */
    @WithDefault("32")
    int activities();

    /** The filling of a region. */
    Warm warm();

    /** Seeing to it that what is pinned stays complete. */
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

    /** What other regions read here. */
    Gateway gateway();

    /** The region's etcd. */
    interface Etcd {

        /** Its addresses, separated by commas. */
        Optional<List<URI>> endpoints();

        /** Files for TLS, where the addresses say {@code https}. */
        EtcdTls tls();
    }

    /** Files for TLS to etcd. */
    interface EtcdTls {

        /** The authorities, in PEM, that sign the members' certificates; else those of the JVM. */
        Optional<Path> ca();

        /** A certificate to show, in PEM. */
        Optional<Path> certificate();

        /** Its key, in PEM. */
        Optional<Path> key();
    }

    /** Seeing to it that what is pinned stays complete. */
    interface Upkeep {

        /**
         * How often workers are asked whether they still hold what is pinned, though none was lost;
         * after a loss they are asked when the grace period of a worker has passed.
         */
        @WithDefault("1H")
        Duration interval();
    }

    /** The Kubernetes Jobs that hold pins. */
    interface Jobs {

        /**
         * Whether pins end with the Kubernetes Jobs that they name. All of these Jobs must then be
         * in the cluster that this agent is in, or that {@code KUBECONFIG} names.
         */
        @WithDefault("false")
        boolean watch();

        /**
         * How often the API server is asked though no Job was seen to end, and pods that run are
         * compared with the pins that they should have.
         */
        @WithDefault("60S")
        Duration interval();
    }

    /** The webhook that changes training pods. */
    interface Admission {

        /** Whether there is one, and a gate. */
        @WithDefault("false")
        boolean enabled();

        /** Where it listens. */
        @WithDefault("127.0.0.1")
        String host();

        /** Where it listens, with TLS. */
        @WithDefault("8443")
        int port();

        /**
         * What the bodies of requests that are being read may have together. The heap takes more:
         * up to twice that for what they come in, and for one at a time what it becomes when it is
         * understood, about ten times its bytes for a pod and at worst 30 times.
         */
        @WithDefault("64M")
        MemorySize requestBytes();

        /** What the API server calls it: a DNS name, or an IP address. */
        Optional<String> name();

        /** The namespace of its Secret. */
        Optional<String> namespace();

        /** The Secret with its key, which all agents of the region share. */
        Optional<String> secret();

        /** The MutatingWebhookConfiguration that names it. */
        Optional<String> configuration();

        /** How long a certificate of it is valid; the next is made when a third is left. */
        @WithDefault("90D")
        Duration certificateLife();

        /** How often its certificate is looked at. */
        @WithDefault("60S")
        Duration interval();

        /**
         * A directory that nodes have only while they have the tree mounted, so that no pod sees
         * the empty directory below it; not looked for if empty.
         */
        Optional<String> mountedSign();

        /** The labels of the nodes that see versions; a value may be empty. */
        Map<String, @WithConverter(LabelValue.class) String> nodes();
    }

    /** The AdmissionCheck of Kueue. */
    interface Kueue {

        /** Whether this agent looks after it, by the settings of the gate. */
        @WithDefault("false")
        boolean enabled();
    }

    /** The gate at which training pods wait, and how Kueue's check asks. */
    interface Gate {

        /** The address of the control plane. */
        Optional<URI> api();

        /** The lease of pins, which the agent renews while their Jobs run. */
        @WithDefault("1H")
        Duration lease();

        /** How often the control plane is asked for what pods wait for. */
        @WithDefault("10S")
        Duration interval();

        /** How long the control plane may take to answer. */
        @WithDefault("10S")
        Duration timeout();

        /** How many Jobs it is asked for at once. */
        @WithDefault("16")
        int concurrency();
    }

    /** The labels of nodes that hold versions. */
    interface NodeLabels {

        /**
         * Whether the agent sees to them, and has training pods prefer such nodes. The nodes must
         * then be in the cluster that this agent is in, or that {@code KUBECONFIG} names.
         */
        @WithDefault("false")
        boolean enabled();

        /** How often labels are compared with what nodes say. */
        @WithDefault("30S")
        Duration interval();

        /** How much a training pod prefers a node that holds its version, 1 to 100. */
        @WithDefault("100")
        int weight();
    }

    /** The filling of a region. */
    interface Warm {

        /** How many chunks one activity has filled at once. */
        @WithDefault("16")
        int concurrency();

        /** How many warmings run at once in this agent. */
        @WithDefault("32")
        int activities();
    }

    /** What other regions read here. */
    interface Gateway {

        /**
         * How many ranges of packs are on their way at once; each takes up to 8 MiB of the heap.
         */
        @WithDefault("8")
        int reads();

        /** How long one waits for its turn before the other region is told to go elsewhere. */
        @WithDefault("2S")
        Duration patience();

        /** How long a worker of this region may take to give what it holds. */
        @WithDefault("2S")
        Duration timeout();

        /** How long it may take to begin its answer, which needs nothing but its disk. */
        @WithDefault("1S")
        Duration firstByte();
    }
}
