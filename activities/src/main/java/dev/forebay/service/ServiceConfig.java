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

    /** The role of this process: {@code control-plane} or {@code agent}. */
    Role role();

    /**
     * A file with the bearer token that every request must carry, and that this process sends to
     * other processes. Required when {@code quarkus.http.host} is not loopback.
     */
    Optional<Path> tokenFile();

    /** The encryption of this process' listener. */
    ListenerTls tls();

    /**
     * A PEM file with the authorities that sign the certificates of agents and control planes that
     * use TLS. By default those that the JVM trusts.
     */
    Optional<Path> serviceCa();

    /**
     * The directory for files that need not outlive this process. Each process has a folder of its
     * own in it. By default a folder of this user in the temporary directory, see {@link
     * PrivateFolder}.
     */
    Optional<Path> workDirectory();

    /** The most bytes that copies of manifests take in the work directory. */
    @WithDefault("8G")
    MemorySize manifestCache();

    /** The engine that runs the workflows. */
    Temporal temporal();

    /** The lake. */
    LakeSettings lake();

    /** The address and timeouts of Temporal. */
    interface Temporal {

        /** Host and port of Temporal's frontend. */
        @WithDefault("127.0.0.1:7233")
        String target();

        /** The Temporal namespace. It must exist. */
        @WithDefault("default")
        String namespace();

        /**
         * The base address of Temporal's web UI. Without it answers have no {@code workflow_url}.
         */
        Optional<URI> ui();

        /** TLS to Temporal. */
        Tls tls();

        /**
         * How long a start waits for Temporal. Afterwards a control plane fails, and an agent logs
         * a warning and tries again.
         */
        @WithDefault("60S")
        Duration startTimeout();

        /** How long an API request waits for Temporal to accept something. */
        @WithDefault("10S")
        Duration requestTimeout();

        /** How long a read of the API waits for a workflow before it answers from the catalogue. */
        @WithDefault("2S")
        Duration queryTimeout();

        /** How long a stop waits for running activities and workflow tasks. */
        @WithDefault("10S")
        Duration stopTimeout();
    }

    /** TLS of this process' own listener. */
    interface ListenerTls {

        /**
         * A PEM file with the certificate for this process' name and the intermediate certificates.
         * With it the listener accepts TLS 1.3 only.
         */
        Optional<Path> certificate();

        /** A file with its key, in PEM. */
        Optional<Path> key();
    }

    /** TLS to Temporal. */
    interface Tls {

        /** Whether to use TLS. If not, the other settings must be absent. */
        @WithDefault("false")
        boolean enabled();

        /**
         * The authorities, in PEM, that sign Temporal's certificate. By default those of the JVM.
         */
        Optional<Path> ca();

        /** The client certificate, in PEM. */
        Optional<Path> certificate();

        /** The key of the client certificate, in PEM. */
        Optional<Path> key();

        /** The name in Temporal's certificate, if it is not the host of the target. */
        Optional<String> serverName();
    }

    /** How to reach the lake. Credentials come from the AWS default chain. */
    interface LakeSettings {

        /** The S3 endpoint, if it is not AWS's own. */
        Optional<URI> endpoint();

        /** The AWS region to sign for. */
        @WithDefault("us-east-1")
        String region();

        /** Whether buckets are part of the path, as most stores other than AWS need it. */
        @WithDefault("true")
        boolean pathStyle();

        /**
         * The STS endpoint that exchanges a web identity for credentials of the lake, if it is not
         * AWS's own.
         */
        Optional<URI> stsEndpoint();

        /** Public buckets, which are read without credentials. */
        Optional<List<String>> anonymousBuckets();

        /** Buckets that charge the requester. */
        Optional<List<String>> requesterPaysBuckets();
    }
}
