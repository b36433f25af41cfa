package dev.forebay.fuse.hold;

/**
 * What a holder and its servers say to each other, one word a message. As both may be of different
 * releases, a word keeps its meaning, and who does not know one passes over it.
 */
enum Word {

    /**
     * A server's: it could serve. With a mount, if it has one from an earlier holder, which the
     * holder takes back if it is the same that it holds, or if it holds none yet.
     */
    JOIN,

    /** The holder's answer, with the mount. */
    MOUNT,

    /** The holder's: serve from now on. */
    SERVE,

    /** A server's: it takes requests; also directly after JOIN, if it does already. */
    SERVING,

    /** A server's: it is asked to end and goes on until it may. */
    LEAVING,

    /** The holder's answer: another one serves, or there is none. */
    GO,

    /** A server's last: all requests that it took are answered. */
    DRAINED,

    /** Of either: answer, so that it is known that you are not stopped. */
    PING,

    /** The answer; also a server's first, so that it is known that it answers. */
    PONG,

    /**
     * The holder's: you did not answer, or not serve, for too long, another one serves; end, and do
     * not begin to serve.
     */
    REPLACED,

    /** Of either: the mount is no more. */
    END
}
