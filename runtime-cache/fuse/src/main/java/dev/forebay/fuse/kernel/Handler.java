package dev.forebay.fuse.kernel;

/** Answers one kind of request. Thread-safe. */
@FunctionalInterface
interface Handler {

    /**
     * Answers a request.
     *
     * @param reply receives the answer, after the header
     * @return the number of bytes of the answer
     * @throws dev.forebay.fuse.fs.FsException for an error that is a normal answer
     */
    int handle(Request request, Reply reply);
}
