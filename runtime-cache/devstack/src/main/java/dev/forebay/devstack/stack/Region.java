package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.server.EtcdServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** One region of a running stack. */
public final class Region {
    private final String name;
    private final Optional<EtcdServer> etcd;
    private final List<QuarkusProcess> workers;
    private final QuarkusProcess agent;
    private final FuseMount fuse;

    Region(
            String name,
            Optional<EtcdServer> etcd,
            List<QuarkusProcess> workers,
            QuarkusProcess agent,
            FuseMount fuse) {
        this.name = name;
        this.etcd = etcd;
        this.workers = List.copyOf(workers);
        this.agent = agent;
        this.fuse = fuse;
    }

    /** Its name, such as {@code us-east-1}. */
    public String name() {
        return name;
    }

    /** Its etcd, if the stack started one. */
    public EtcdServer etcd() {
        return etcd.orElseThrow(() -> new DevstackException("etcd is not this stack's own"));
    }

    /** One of its workers, counted from 0. */
    public QuarkusProcess worker(int index) {
        return workers.get(index);
    }

    /** All its workers. */
    public List<QuarkusProcess> workers() {
        return workers;
    }

    /** Its agent. */
    public QuarkusProcess agent() {
        return agent;
    }

    /** Its FUSE pod. */
    public FuseMount fuse() {
        return fuse;
    }

    /** Where its versions are as files. */
    public Path mountpoint() {
        return fuse.mountpoint();
    }
}
