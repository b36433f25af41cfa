package dev.forebay.fuse.linux;

import dev.forebay.linux.Descriptor;
import java.util.List;

/**
 * A message over a {@link UnixSocket}.
 *
 * @param descriptors the descriptors that came with it; the receiver closes them
 */
public record Packet(String text, List<Descriptor> descriptors) {

    public Packet {
        descriptors = List.copyOf(descriptors);
    }
}
