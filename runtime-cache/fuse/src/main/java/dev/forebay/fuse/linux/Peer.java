package dev.forebay.fuse.linux;

/**
 * Who is at the other end of a {@link UnixSocket}, as the kernel says.
 *
 * @param process its id when it connected
 * @param user its effective user then
 */
public record Peer(long process, int user) {}
