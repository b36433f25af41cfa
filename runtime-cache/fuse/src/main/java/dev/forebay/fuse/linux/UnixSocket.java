package dev.forebay.fuse.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.forebay.linux.CLibrary;
import dev.forebay.linux.CallState;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

/**
 * A Unix socket that preserves message boundaries (SOCK_SEQPACKET) and passes descriptors. Java's
 * own channels do neither.
 *
 * <p>One thread receives or accepts, and closes. Any thread may send, and may call {@link #hangUp}
 * to end the receiving thread's wait.
 */
public final class UnixSocket implements AutoCloseable {

    private static final int AF_UNIX = 1;
    private static final int SOCK_SEQPACKET = 5;
    private static final int SOCK_CLOEXEC = 02000000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_PEERCRED = 17;
    private static final int SHUT_RDWR = 2;
    private static final int MSG_PEEK = 0x2;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;
    private static final int BACKLOG = 16;
    private static final int PATH_BYTES = 108;

    private static final MethodHandle SOCKET =
            CLibrary.function(
                    "socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle SOCKETPAIR =
            CLibrary.function(
                    "socketpair",
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle BIND =
            CLibrary.function("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle CONNECT =
            CLibrary.function(
                    "connect", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle LISTEN =
            CLibrary.function("listen", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle ACCEPT4 =
            CLibrary.function(
                    "accept4",
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
    private static final MethodHandle SHUTDOWN =
            CLibrary.function("shutdown", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle GETSOCKOPT =
            CLibrary.function(
                    "getsockopt",
                    FunctionDescriptor.of(
                            JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle SENDMSG =
            CLibrary.function(
                    "sendmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle RECVMSG =
            CLibrary.function(
                    "recvmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));

    /** Shared and never read: there may be no memory for a new one when a connection must end. */
    private static final CallState OF_HANG_UP = new CallState();

    private final Descriptor descriptor;

    private UnixSocket(Descriptor descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * Listens on a socket that only this user may connect to. Replaces a socket that an earlier
     * process left.
     *
     * @param path of any length
     */
    public static UnixSocket listen(Path path) throws IOException {
        Files.deleteIfExists(path);
        UnixSocket socket = create();
        try {
            at(BIND, "bind", socket, path);
            // Clients can only connect after listen(2).
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            CallState state = new CallState();
            int result = CLibrary.call(LISTEN, state, socket.descriptor.number(), BACKLOG);
            state.check(result, "listen on", path);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Connects to a listening socket. */
    public static UnixSocket connect(Path path) throws IOException {
        UnixSocket socket = create();
        try {
            at(CONNECT, "connect to", socket, path);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Returns the two ends of a connection within this process. */
    public static List<Descriptor> pair() throws SystemCallException {
        CallState state = new CallState();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ends = arena.allocate(JAVA_INT, 2);
            int result =
                    CLibrary.makeInt(
                            () ->
                                    (int)
                                            SOCKETPAIR.invokeExact(
                                                    state.segment(),
                                                    AF_UNIX,
                                                    SOCK_SEQPACKET | SOCK_CLOEXEC,
                                                    0,
                                                    ends));
            if (result < 0) {
                throw state.failed("socketpair");
            }
            return List.of(
                    Descriptor.of(ends.getAtIndex(JAVA_INT, 0)),
                    Descriptor.of(ends.getAtIndex(JAVA_INT, 1)));
        }
    }

    private static UnixSocket create() throws SystemCallException {
        CallState state = new CallState();
        int number =
                CLibrary.makeInt(
                        () ->
                                (int)
                                        SOCKET.invokeExact(
                                                state.segment(),
                                                AF_UNIX,
                                                SOCK_SEQPACKET | SOCK_CLOEXEC,
                                                0));
        if (number < 0) {
            throw state.failed("socket");
        }
        return new UnixSocket(Descriptor.of(number));
    }

    /**
     * Binds or connects. An address holds at most 107 bytes, so the path starts at a descriptor of
     * the directory, which has a short name.
     */
    private static void at(MethodHandle call, String what, UnixSocket socket, Path path)
            throws SystemCallException {
        Path absolute = path.toAbsolutePath();
        Path parent = absolute.getParent();
        if (parent == null) {
            throw new IllegalArgumentException(path + " is no file");
        }
        CallState state = new CallState();
        try (Descriptor directory = Descriptor.open(parent, Descriptor.O_PATH);
                Arena arena = Arena.ofConfined()) {
            String name = "/proc/self/fd/" + directory.number() + "/" + absolute.getFileName();
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            if (bytes.length >= PATH_BYTES) {
                throw new IllegalArgumentException(name + " is too long a name");
            }
            // struct sockaddr_un: the family, and the path with a NUL at its end.
            MemorySegment address = arena.allocate(Short.BYTES + PATH_BYTES, Short.BYTES);
            address.set(JAVA_SHORT, 0, (short) AF_UNIX);
            MemorySegment.copy(bytes, 0, address, JAVA_BYTE, Short.BYTES, bytes.length);
            int length = (int) address.byteSize();
            int result =
                    CLibrary.makeInt(
                            () ->
                                    (int)
                                            call.invokeExact(
                                                    state.segment(),
                                                    socket.descriptor.number(),
                                                    address,
                                                    length));
            state.check(result, what, path);
        }
    }

    /** Waits for the next connection; returns empty after {@link #hangUp}. */
    public Optional<UnixSocket> accept() throws SystemCallException {
        CallState state = new CallState();
        int number =
                CLibrary.makeInt(
                        () ->
                                (int)
                                        ACCEPT4.invokeExact(
                                                state.segment(),
                                                descriptor.number(),
                                                MemorySegment.NULL,
                                                MemorySegment.NULL,
                                                SOCK_CLOEXEC));
        if (number >= 0) {
            return Optional.of(new UnixSocket(Descriptor.of(number)));
        }
        if (state.errno() == ErrorNumber.EINVAL) {
            return Optional.empty();
        }
        throw state.failed("accept");
    }

    /** Returns the process at the other end. */
    public Peer peer() throws SystemCallException {
        CallState state = new CallState();
        try (Arena arena = Arena.ofConfined()) {
            // struct ucred: process, user, group.
            MemorySegment credentials = arena.allocate(3L * Integer.BYTES, Integer.BYTES);
            MemorySegment length = arena.allocateFrom(JAVA_INT, (int) credentials.byteSize());
            int result =
                    CLibrary.makeInt(
                            () ->
                                    (int)
                                            GETSOCKOPT.invokeExact(
                                                    state.segment(),
                                                    descriptor.number(),
                                                    SOL_SOCKET,
                                                    SO_PEERCRED,
                                                    credentials,
                                                    length));
            if (result < 0) {
                throw state.failed("getsockopt");
            }
            return new Peer(
                    credentials.getAtIndex(JAVA_INT, 0), credentials.getAtIndex(JAVA_INT, 1));
        }
    }

    /**
     * Sends a message without blocking. The receiver's queue holds some hundred messages. If it is
     * full, the receiver is stopped or does not read.
     *
     * @param text at most 8 KiB in UTF-8, not empty
     * @param descriptors the other end gets copies of these
     * @throws SystemCallException if the other end is closed, or its queue is full
     */
    public void send(String text, List<Descriptor> descriptors) throws SystemCallException {
        CallState state = new CallState();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment header = SocketMessage.of(arena, text, descriptors).header();
            long sent =
                    CLibrary.makeLong(
                            () ->
                                    (long)
                                            SENDMSG.invokeExact(
                                                    state.segment(),
                                                    descriptor.number(),
                                                    header,
                                                    MSG_NOSIGNAL | MSG_DONTWAIT));
            if (sent < 0) {
                throw state.failed("send");
            }
        }
    }

    /**
     * Waits for the next message; returns empty if the other end closed, or after {@link #hangUp}.
     */
    public Optional<Packet> receive() throws SystemCallException {
        CallState state = new CallState();
        try (Arena arena = Arena.ofConfined()) {
            SocketMessage message = SocketMessage.empty(arena);
            MemorySegment header = message.header();
            long received = receive(header, MSG_CMSG_CLOEXEC, state);
            if (received < 0) {
                throw state.failed("receive");
            }
            return received == 0 ? Optional.empty() : Optional.of(message.received(received));
        }
    }

    /** Returns whether there is nothing to receive now: neither a message nor the end. */
    public boolean isQuiet() {
        CallState state = new CallState();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment header = arena.allocate(SocketMessage.MSGHDR);
            return receive(header, MSG_PEEK | MSG_DONTWAIT, state) < 0
                    && state.errno() == ErrorNumber.EAGAIN;
        }
    }

    private long receive(MemorySegment header, int flags, CallState state) {
        return CLibrary.makeLong(
                () ->
                        (long)
                                RECVMSG.invokeExact(
                                        state.segment(), descriptor.number(), header, flags));
    }

    /** Shuts the connection or the listening socket down; a waiting thread then sees the end. */
    public void hangUp() {
        int _ = CLibrary.call(SHUTDOWN, OF_HANG_UP, descriptor.number(), SHUT_RDWR);
    }

    @Override
    public void close() {
        descriptor.close();
    }
}
