package dev.forebay.fuse.fs;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lists children in the order of their names, one page at a time, and remembers where it stopped.
 * Continuing there is cheap; an earlier offset makes it start again at the first child.
 */
final class PagedDirectory implements OpenDirectory {

    record Entry(String name, long inode, boolean directory) {}

    private static final int DOTS = 2;

    private final long self;
    private final long parent;
    private final Function<String, List<Entry>> pageAfter;

    // Guarded by this: the number of children passed, the name of the last one, and the next ones.
    private long position;
    private String lastName = "";
    private final Queue<Entry> upcoming = new ArrayDeque<>();

    /**
     * @param pageAfter returns the children after a name in order, and at least one if any exists;
     *     all children come after the empty name
     */
    PagedDirectory(long self, long parent, Function<String, List<Entry>> pageAfter) {
        this.self = self;
        this.parent = parent;
        this.pageAfter = pageAfter;
    }

    @Override
    public synchronized void list(long offset, Sink sink) {
        if (offset < 1 && !sink.accept(".", self, true, 1)) {
            return;
        }
        if (offset < DOTS && !sink.accept("..", parent, true, DOTS)) {
            return;
        }
        seek(Math.max(0, offset - DOTS));
        for (Entry entry = next(); entry != null; entry = next()) {
            if (!sink.accept(entry.name, entry.inode, entry.directory, position + 1 + DOTS)) {
                return;
            }
            pass(entry);
        }
    }

    private void seek(long target) {
        if (target < position) {
            position = 0;
            lastName = "";
            upcoming.clear();
        }
        while (position < target) {
            Entry entry = next();
            if (entry == null) {
                return;
            }
            pass(entry);
        }
    }

    private @Nullable Entry next() {
        if (upcoming.isEmpty()) {
            upcoming.addAll(pageAfter.apply(lastName));
        }
        return upcoming.peek();
    }

    private void pass(Entry entry) {
        upcoming.remove();
        position++;
        lastName = entry.name;
    }
}
