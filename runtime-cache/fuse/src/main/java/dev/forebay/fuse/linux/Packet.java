package dev.forebay.fuse.linux;

import dev.forebay.linux.Descriptor;
import java.util.List;

/**
 * A message over a {@link UnixSocket}.
 *
 * @param descriptors what came with it, to be closed by whoever has it
 */
public record Packet(String text, List<Descriptor> descriptors) {

    public Packet {
        descriptors = List.copyOf(descriptors);
    }
}
