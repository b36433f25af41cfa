package dev.forebay.worker;

import io.smallrye.config.ConfigMapping;
import java.net.URI;
import java.util.List;

/** Where the region's etcd is, below {@code forebay.etcd}. */
@ConfigMapping(prefix = "forebay.etcd")
public interface RegionEtcdConfig {

    /** The members' client URIs, separated by commas. */
    List<URI> endpoints();
}
