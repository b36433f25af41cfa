package dev.forebay.fuse.hold;

import dev.forebay.fuse.kernel.device.FuseDevice;
import dev.forebay.fuse.kernel.device.Protocol;
import dev.forebay.linux.Descriptor;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * A mount, as processes pass it to each other.
 *
 * @param id distinguishes it from other mounts
 * @param mountpoint an absolute path
 */
record HeldMount(String id, FuseDevice device, Path mountpoint) {

    private static final int FIELDS = 5;

    /** Returns a mount that was just made, with a new id. */
    static HeldMount made(FuseDevice device, Path mountpoint) {
        return new HeldMount(UUID.randomUUID().toString(), device, mountpoint);
    }

    /** Returns the text that is sent with the descriptors. */
    String text() {
        Protocol protocol = device.protocol();
        return "%s %d %d %d %s"
                .formatted(
                        id,
                        protocol.minor(),
                        protocol.flags(),
                        protocol.maxRequestBytes(),
                        mountpoint);
    }

    /**
     * @throws IllegalArgumentException if the text was not made by {@link #text}
     */
    static HeldMount parse(String text, List<Descriptor> descriptors) {
        // The last field, a path, may contain blanks.
        String[] fields = text.split(" ", FIELDS);
        if (fields.length < FIELDS || descriptors.isEmpty()) {
            throw new IllegalArgumentException("'%s' is not a mount".formatted(text));
        }
        Protocol protocol =
                new Protocol(
                        Integer.parseInt(fields[1]),
                        Long.parseLong(fields[2]),
                        Integer.parseInt(fields[3]));
        return new HeldMount(fields[0], new FuseDevice(descriptors, protocol), Path.of(fields[4]));
    }
}
