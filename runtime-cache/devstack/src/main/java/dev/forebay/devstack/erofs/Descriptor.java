package dev.forebay.devstack.erofs;

/** A file descriptor, which closes with this object. */
record Descriptor(long number) implements AutoCloseable {

    @Override
    public void close() {
        SystemCalls.close(number);
    }
}
