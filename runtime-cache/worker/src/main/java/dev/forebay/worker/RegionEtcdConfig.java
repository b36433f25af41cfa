package dev.forebay.worker;

import io.smallrye.config.ConfigMapping;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Where the region's etcd is, below {@code forebay.etcd}. */
@ConfigMapping(prefix = "forebay.etcd")
public interface RegionEtcdConfig {

    /** The members' client URIs, separated by commas. */
    List<URI> endpoints();

    /** Files for TLS, where the endpoints say {@code https}. */
    Tls tls();

    /** Files for TLS. */
    interface Tls {

        /** The authorities, in PEM, that sign the members' certificates; else those of the JVM. */
        Optional<Path> ca();

        /** A certificate to show, in PEM. */
        Optional<Path> certificate();

        /** Its key, in PEM. */
        Optional<Path> key();
    }
}
