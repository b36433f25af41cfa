package dev.forebay.devstack.erofs;

/** A file descriptor that the kernel gave. */
record Descriptor(long number) implements AutoCloseable {

    @Override
    public void close() {
        Native.close(number);
    }
}
