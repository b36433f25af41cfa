package dev.forebay.manifest;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the files of a manifest in the order of their {@link FilePath}s, from any path on.
 * It keeps at most 256 nodes of each open folder in memory. Not thread-safe.
 */
public final class FileWalk implements Iterator<FileWalk.Found> {

    private static final int PAGE = 256;

    private final Manifest manifest;
    private final Deque<Folder> open = new ArrayDeque<>();
    private @Nullable Found next;

    private FileWalk(Manifest manifest) {
        this.manifest = manifest;
    }

    /** A file and its path. */
    public record Found(FilePath path, Node.File file) {}

    /**
     * Starts a walk at the first file whose path comes after {@code after}, which need not exist.
     */
    public static FileWalk after(Manifest manifest, FilePath after) {
        FileWalk walk = new FileWalk(manifest);
        walk.descend(after.text());
        walk.next = walk.find();
        return walk;
    }

    /**
     * Opens the folders on the way to a path. Each continues after the name that leads to the next
     * one.
     */
    private void descend(String path) {
        long folder = Node.ROOT_ID;
        String above = "";
        String rest = path;
        while (true) {
            int slash = rest.indexOf('/');
            String name = slash < 0 ? rest : rest.substring(0, slash);
            open.push(new Folder(folder, above, name));
            Optional<Node> below = slash < 0 ? Optional.empty() : manifest.lookup(folder, name);
            if (!(below.orElse(null) instanceof Node.Directory directory)) {
                return;
            }
            folder = directory.id();
            above = above + name + "/";
            rest = rest.substring(slash + 1);
        }
    }

    @Override
    public boolean hasNext() {
        return next != null;
    }

    @Override
    public Found next() {
        Found found = next;
        if (found == null) {
            throw new NoSuchElementException();
        }
        next = find();
        return found;
    }

    private @Nullable Found find() {
        while (!open.isEmpty()) {
            Folder folder = open.element();
            Node node = folder.next();
            if (node == null) {
                open.pop();
            } else if (node instanceof Node.File file) {
                return new Found(new FilePath(folder.above + file.name()), file);
            } else {
                open.push(new Folder(node.id(), folder.above + node.name() + "/", ""));
            }
        }
        return null;
    }

    /** A folder that is being read. */
    private final class Folder {

        private final long id;
        private final String above;
        private String last;
        private Iterator<Node> page = List.<Node>of().iterator();

        /**
         * @param above its path, with a slash at its end
         * @param after the name after which to begin
         */
        Folder(long id, String above, String after) {
            this.id = id;
            this.above = above;
            this.last = after;
        }

        /** Returns the next node; null after the last one. */
        @Nullable Node next() {
            if (!page.hasNext()) {
                page = manifest.readdir(id, last, PAGE).iterator();
            }
            if (!page.hasNext()) {
                return null;
            }
            Node node = page.next();
            last = node.name();
            return node;
        }
    }
}
