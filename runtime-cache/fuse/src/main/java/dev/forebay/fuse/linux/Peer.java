package dev.forebay.fuse.linux;

/**
 * The process at the other end of a {@link UnixSocket}, according to the kernel.
 *
 * @param process its id when it connected
 * @param user its effective user at that time
 */
public record Peer(long process, int user) {}
