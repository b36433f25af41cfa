package dev.forebay.devstack.stack;

import java.nio.file.Path;

/**
 * The paths of all files and folders below the data directory.
 *
 * @param data the data directory, absolute
 */
record Layout(Path data) {
    Path lake() {
        return data.resolve("lake");
    }

    Path temporal() {
        return data.resolve("temporal");
    }

    Path postgres() {
        return data.resolve("postgres");
    }

    Path controlPlane() {
        return data.resolve("control-plane");
    }

    Path tls() {
        return data.resolve("tls");
    }

    Path regions() {
        return data.resolve("regions");
    }

    Path region(String name) {
        return regions().resolve(name);
    }

    Path etcd(String region) {
        return region(region).resolve("etcd");
    }

    Path agent(String region) {
        return region(region).resolve("agent");
    }

    Path worker(String region, int index) {
        return region(region).resolve("worker-" + index);
    }

    Path fuse(String region) {
        return region(region).resolve("fuse");
    }

    Path holder(String region) {
        return region(region).resolve("holder");
    }

    /** Returns the mountpoint of this region's FUSE pod. */
    Path mountpoint(String region) {
        return region(region).resolve("mnt");
    }

    /** Returns the folder where a training process of any region sees its region's mount. */
    Path mountRoot() {
        return data.resolve("mnt");
    }

    Path addresses() {
        return data.resolve("stack.properties");
    }

    Path portBase() {
        return data.resolve("port-base");
    }

    Path lock() {
        return data.resolve("lock");
    }
}
