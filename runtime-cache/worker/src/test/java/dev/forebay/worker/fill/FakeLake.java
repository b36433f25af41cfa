package dev.forebay.worker.fill;

import dev.forebay.lake.LakeObject;
import dev.forebay.lake.LakeReader;
import dev.forebay.lake.Listing;
import dev.forebay.lake.ReadMeter;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A lake in memory that records every read, with faults on request. */
final class FakeLake implements LakeReader {

    private final Map<String, byte[]> objects = new ConcurrentHashMap<>();
    private final Map<String, ErrorCode> failures = new ConcurrentHashMap<>();
    private final List<String> reads = Collections.synchronizedList(new ArrayList<>());
    private volatile Runnable beforeEach = () -> {};

    void put(String key, byte[] bytes) {
        objects.put(key, bytes);
    }

    void fail(String key, ErrorCode code) {
        failures.put(key, code);
    }

    void mend(String key) {
        failures.remove(key);
    }

    void beforeEachRead(Runnable action) {
        beforeEach = action;
    }

    /** Returns and clears the reads so far, as {@code key[from, to)}, ordered by key. */
    List<String> takeReads() {
        synchronized (reads) {
            List<String> taken = reads.stream().sorted().toList();
            reads.clear();
            return taken;
        }
    }

    @Override
    public void read(
            String bucket, LakeObject object, long offset, ByteBuffer target, ReadMeter meter) {
        String key = object.key();
        int asked = target.remaining();
        meter.asking(asked);
        try {
            read(key, object.size(), offset, target);
        } finally {
            meter.answered(asked, failures.containsKey(key) ? 0 : asked);
        }
    }

    private void read(String key, long size, long offset, ByteBuffer target) {
        beforeEach.run();
        reads.add("%s[%d, %d)".formatted(key, offset, offset + target.remaining()));
        ErrorCode failure = failures.get(key);
        if (failure != null) {
            target.put((byte) 0xEE);
            throw new ForebayException(failure, key + " fails on purpose");
        }
        byte[] bytes = objects.get(key);
        if (bytes == null || bytes.length != size) {
            throw new AssertionError("no object " + key + " of " + size + " bytes");
        }
        target.put(bytes, (int) offset, target.remaining());
    }

    @Override
    public Listing listing(String bucket, String prefix) {
        throw new UnsupportedOperationException();
    }
}
