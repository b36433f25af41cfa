package dev.forebay.fuse.kernel;

/** Answers one kind of request. Safe for use by many threads. */
@FunctionalInterface
interface Handler {

    /**
     * Answers a request.
     *
     * @param reply where to put the answer, behind the header
     * @return how many bytes that are
     * @throws dev.forebay.fuse.fs.FsException for an error that the caller asked for
     */
    int handle(Request request, Reply reply);
}
