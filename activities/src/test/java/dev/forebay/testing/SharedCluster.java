package dev.forebay.testing;

import dev.forebay.devstack.kubernetes.KubernetesCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The Kubernetes cluster of this JVM. The first class that needs it starts it, and it ends with the
 * JVM. A class may kill one of its servers if it starts the server again. A class must leave no
 * webhook or policy behind.
 */
public final class SharedCluster {

    private static final class Holder {
        static final KubernetesCluster CLUSTER = KubernetesCluster.start(directory());

        private static Path directory() {
            try {
                return Files.createTempDirectory("forebay-cluster");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private SharedCluster() {}

    /** Returns the cluster. The caller must not close it. */
    public static KubernetesCluster get() {
        return Holder.CLUSTER;
    }
}
