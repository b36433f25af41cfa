package dev.forebay.system;

import java.util.List;

/** A way to show versions, and a transport. Another one is one more line. */
enum ModelSetup {
    PORTABLE_KERNEL("portable", "64M", "kernel", true, Shown.BY_FUSE),
    ON_DEMAND_KERNEL("on-demand", "64M", "kernel", true, Shown.BY_IMAGE),
    NATIVE_KERNEL("auto", "1G", "kernel", true, Shown.NATIVELY),
    /** Not all versions find room: views get better and worse. */
    CROWDED_KERNEL("auto", "64M", "kernel", true, Shown.BY_IMAGE),
    STRICT_KERNEL("portable", "64M", "kernel", true, Shown.BY_FUSE, true),
    STRICT_ON_DEMAND_KERNEL("on-demand", "64M", "kernel", true, Shown.BY_IMAGE, true),
    PORTABLE_JNR("portable", "64M", "jnr", false, Shown.BY_FUSE),
    ON_DEMAND_JNR("on-demand", "64M", "jnr", false, Shown.BY_IMAGE),
    NATIVE_JNR("auto", "1G", "jnr", false, Shown.NATIVELY);

    /** What is mounted at a version's path. */
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

    /** Whether a holder keeps the mount, so that pods can be killed. */
    boolean held() {
        return held;
    }

    /** What is mounted at least, when all is as it should be. */
    Shown shown() {
        return shown;
    }

    /** Whether all that is read is compared, so that bits may flip on the node's disk. */
    boolean strict() {
        return strict;
    }

    /** EROFS does not over packs in plain files. */
    boolean readsDirectly() {
        return shown == Shown.BY_FUSE;
    }

    /** Of the pod. */
    List<String> options() {
        return List.of(
                "--view=" + view,
                "--transport=" + transport,
                "--pack-cache=" + packCache,
                "--strict=" + strict);
    }
}
