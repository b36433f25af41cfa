package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.server.EtcdServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A region of a running stack. */
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

    /** Returns the name, such as {@code us-east-1}. */
    public String name() {
        return name;
    }

    /** Returns the region's etcd. Throws if the stack did not start one. */
    public EtcdServer etcd() {
        return etcd.orElseThrow(() -> new DevstackException("this stack uses an external etcd"));
    }

    /** Returns one of the workers, counted from 0. */
    public QuarkusProcess worker(int index) {
        return workers.get(index);
    }

    /** Returns all workers. */
    public List<QuarkusProcess> workers() {
        return workers;
    }

    /** Returns the agent. */
    public QuarkusProcess agent() {
        return agent;
    }

    /** Returns the FUSE pod. */
    public FuseMount fuse() {
        return fuse;
    }

    /** Returns the folder that shows the region's versions as files. */
    public Path mountpoint() {
        return fuse.mountpoint();
    }
}
