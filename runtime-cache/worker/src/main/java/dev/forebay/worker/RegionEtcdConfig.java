package dev.forebay.worker;

import io.smallrye.config.ConfigMapping;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Settings of the region's etcd, below {@code forebay.etcd}. */
@ConfigMapping(prefix = "forebay.etcd")
public interface RegionEtcdConfig {

    /** The client URIs of the members, separated by commas. */
    List<URI> endpoints();

    /** Files for TLS, if the endpoints use {@code https}. */
    Tls tls();

    /** Files for TLS. */
    interface Tls {

        /**
         * The authorities, in PEM, that sign the members' certificates. Default: those of the JVM.
         */
        Optional<Path> ca();

        /** The client certificate, in PEM. */
        Optional<Path> certificate();

        /** The private key of the client certificate, in PEM. */
        Optional<Path> key();
    }
}
