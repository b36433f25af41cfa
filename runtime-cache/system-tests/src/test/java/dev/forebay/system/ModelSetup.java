package dev.forebay.system;

import java.util.List;

/** A way to show versions, and a transport. */
enum ModelSetup {
    PORTABLE_KERNEL("portable", "kernel", true, "64M"),
    ON_DEMAND_KERNEL("image", "kernel", false, "64M"),
    PORTABLE_JNR("portable", "jnr", false, "64M"),
    ON_DEMAND_JNR("image", "jnr", false, "64M");

    private final String view;
    private final String transport;
    private final boolean held;
    private final String packCache;

    ModelSetup(String view, String transport, boolean held, String packCache) {
        this.view = view;
        this.transport = transport;
        this.held = held;
        this.packCache = packCache;
    }

    /** Whether a holder keeps the mount, so that pods can be killed. */
    boolean held() {
        return held;
    }

    boolean image() {
        return view.equals("image");
    }

    /** EROFS does not over packs in plain files. */
    boolean readsDirectly() {
        return !image();
    }

    /** Of the pod. */
    List<String> options() {
        return List.of("--view=" + view, "--transport=" + transport, "--pack-cache=" + packCache);
    }
}
