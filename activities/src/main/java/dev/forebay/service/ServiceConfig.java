package dev.forebay.service;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The settings that both roles have. */
@ConfigMapping(prefix = "forebay")
public interface ServiceConfig {

    /** What this process is: {@code control-plane} or {@code agent}. */
    Role role();

    /**
     * A file with the bearer token that every request must carry, and that this process presents to
     * other processes. Required when {@code quarkus.http.host} is not loopback.
     */
    Optional<Path> tokenFile();

    /** The encryption of what this process is asked and answers. */
    ListenerTls tls();

    /**
     * A file with the authorities, in PEM, that sign the certificates of agents and control planes
     * that speak TLS; without it those that the JVM trusts.
     */
    Optional<Path> serviceCa();

    /**
     * Where files are kept that need not outlive this process; each process has its own folder.
     * Without it in a folder of this user in the temporary directory, see {@link PrivateFolder}.
     */
    Optional<Path> workDirectory();

    /** How much of the work directory copies of manifests may take. */
    @WithDefault("8G")
    MemorySize manifestCache();

    /** The engine that runs the workflows. */
    Temporal temporal();

    /** The lake. */
    LakeSettings lake();

    /** Where to find Temporal, and for how long to wait for it. */
    interface Temporal {

        /** Host and port of Temporal's frontend. */
        @WithDefault("127.0.0.1:7233")
        String target();

        /** The Temporal namespace; it must exist. */
        @WithDefault("default")
        String namespace();

        /**
         * The base address of Temporal's web UI; without it answers have no {@code workflow_url}.
         */
        Optional<URI> ui();

        /** How it is reached with TLS. */
        Tls tls();

        /**
         * How long a start waits for Temporal before a control plane gives up, and an agent says so
         * and tries again.
         */
        @WithDefault("60S")
        Duration startTimeout();

        /** How long an API request waits for Temporal to accept something. */
        @WithDefault("10S")
        Duration requestTimeout();

        /** How long a read of the API waits for a workflow before it answers from the catalogue. */
        @WithDefault("2S")
        Duration queryTimeout();

        /** How long a stop waits for activities and workflow tasks that are running. */
        @WithDefault("10S")
        Duration stopTimeout();
    }

    /** TLS of this process' own listener. */
    interface ListenerTls {

        /**
         * A file with a certificate in PEM, for the name under which others reach this process, and
         * those between it and the authority. With it the listener speaks TLS 1.3 and nothing else.
         */
        Optional<Path> certificate();

        /** A file with its key, in PEM. */
        Optional<Path> key();
    }

    /** TLS to Temporal. */
    interface Tls {

        /** Whether it is spoken; without it none of the others may be given. */
        @WithDefault("false")
        boolean enabled();

        /** The authorities, in PEM, that sign Temporal's certificate; else those of the JVM. */
        Optional<Path> ca();

        /** A certificate to show, in PEM. */
        Optional<Path> certificate();

        /** Its key, in PEM. */
        Optional<Path> key();

        /** The name in Temporal's certificate, if that is not the host of the target. */
        Optional<String> serverName();
    }

    /** How to reach the lake; credentials come from the AWS default chain. */
    interface LakeSettings {

        /** The S3 endpoint, if it is not AWS's own. */
        Optional<URI> endpoint();

        /** The AWS region to sign for. */
        @WithDefault("us-east-1")
        String region();

        /** Whether buckets are part of the path, as most stores other than AWS want it. */
        @WithDefault("true")
        boolean pathStyle();

        /** What gives a key of the lake for a web identity, if it is not AWS's own. */
        Optional<URI> stsEndpoint();

        /** Buckets that everybody may read: they are asked without credentials. */
        Optional<List<String>> anonymousBuckets();

        /** Buckets whose owner has each requester pay. */
        Optional<List<String>> requesterPaysBuckets();
    }
}
