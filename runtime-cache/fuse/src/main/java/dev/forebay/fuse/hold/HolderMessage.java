package dev.forebay.fuse.hold;

/**
 * The messages between a holder and its servers. Both may be of different releases, so a message
 * keeps its meaning, and a process ignores unknown messages.
 */
enum HolderMessage {

    /**
     * Server to holder: it can serve. A server with a mount from an earlier holder sends that
     * mount. The holder takes it if it holds the same mount or none.
     */
    JOIN,

    /** Holder to server: the answer to JOIN, with the mount. */
    MOUNT,

    /** Holder to server: serve from now on. */
    SERVE,

    /** Server to holder: it takes requests. Sent directly after JOIN if it already serves. */
    SERVING,

    /** Server to holder: it must end, and continues until it gets GO. */
    LEAVING,

    /** Holder to server: the answer to LEAVING; another server serves, or there is none. */
    GO,

    /** Server to holder: the last message, when all requests that it took are answered. */
    DRAINED,

    /** Either direction: answer PONG to prove that the process is not stopped. */
    PING,

    /** The answer to PING; also a server's first message, to show that it answers pings. */
    PONG,

    /**
     * Holder to server: it did not answer, or did not serve, in time, and another server serves. It
     * must end and must not begin to serve.
     */
    REPLACED,

    /** Either direction: the mount is gone. */
    END
}
