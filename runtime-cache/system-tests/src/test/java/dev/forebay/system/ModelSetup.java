package dev.forebay.system;

import java.util.List;

/** A view and a transport for a run of the model. To add a setup, add a line. */
enum ModelSetup {
    PORTABLE_KERNEL("portable", "64M", "kernel", true, Shown.BY_FUSE),
    ON_DEMAND_KERNEL("on-demand", "64M", "kernel", true, Shown.BY_IMAGE),
    NATIVE_KERNEL("auto", "1G", "kernel", true, Shown.NATIVELY),
    /** The cache has no space for all versions, so views change in both directions. */
    CROWDED_KERNEL("auto", "64M", "kernel", true, Shown.BY_IMAGE),
    STRICT_KERNEL("portable", "64M", "kernel", true, Shown.BY_FUSE, true),
    STRICT_ON_DEMAND_KERNEL("on-demand", "64M", "kernel", true, Shown.BY_IMAGE, true),
    PORTABLE_JNR("portable", "64M", "jnr", false, Shown.BY_FUSE),
    ON_DEMAND_JNR("on-demand", "64M", "jnr", false, Shown.BY_IMAGE),
    NATIVE_JNR("auto", "1G", "jnr", false, Shown.NATIVELY);

    /** The mount at a version's path. */
    enum Shown {
        BY_FUSE,
        BY_IMAGE,
        NATIVELY
    }

    private final String view;
    private final String packCache;
    private final String transport;
    private final boolean held;
    private final Shown shown;
    private final boolean strict;

    ModelSetup(String view, String packCache, String transport, boolean held, Shown shown) {
        this(view, packCache, transport, held, shown, false);
    }

    ModelSetup(
            String view,
            String packCache,
            String transport,
            boolean held,
            Shown shown,
            boolean strict) {
        this.view = view;
        this.packCache = packCache;
        this.transport = transport;
        this.held = held;
        this.shown = shown;
        this.strict = strict;
    }

    /** Returns whether a holder keeps the mount, so that pods can be killed. */
    boolean held() {
        return held;
    }

    /** Returns the view that the setup reaches without faults. */
    Shown shown() {
        return shown;
    }

    /** Returns whether every read is verified, so that bits on the node's disk may flip. */
    boolean strict() {
        return strict;
    }

    /** Returns whether O_DIRECT works. EROFS does not support it over packs in plain files. */
    boolean readsDirectly() {
        return shown == Shown.BY_FUSE;
    }

    /** Returns the options of the pod. */
    List<String> options() {
        return List.of(
                "--view=" + view,
                "--transport=" + transport,
                "--pack-cache=" + packCache,
                "--strict=" + strict);
    }
}
