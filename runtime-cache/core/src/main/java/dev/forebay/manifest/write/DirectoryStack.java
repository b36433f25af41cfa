package dev.forebay.manifest.write;

import dev.forebay.manifest.Node;
import dev.forebay.manifest.sqlite.NodeRows;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The directories from the root to the object that was added last.
 *
 * <p>Keys come in an order that keeps the content of a directory together, so no other directories
 * need to be kept. A store that lists in another order costs an additional query for each return to
 * a directory.
 */
final class DirectoryStack {

    private static final class Open {
        final long id;
        final String name;
        final long previousId;
        long newestNanos;

        Open(long id, String name, long previousId, long newestNanos) {
            this.id = id;
            this.name = name;
            this.previousId = previousId;
            this.newestNanos = newestNanos;
        }
    }

    private final NodeRows nodes;
    private final PreviousVersion previous;
    private final List<Open> open = new ArrayList<>();

    DirectoryStack(NodeRows nodes, PreviousVersion previous) {
        this.nodes = nodes;
        this.previous = previous;
    }

    /**
     * Makes {@code path} the open directory, and creates its missing components.
     *
     * @param mtimeNanos the time of the object in that directory
     * @return false if a component of the path is a file
     */
    boolean enter(List<String> path, long mtimeNanos) throws SQLException {
        if (open.isEmpty()) {
            nodes.addDirectory(0, "", mtimeNanos);
            open.add(new Open(Node.ROOT_ID, "", previous.root(), mtimeNanos));
        }
        int common = 0;
        while (common < path.size()
                && common + 1 < open.size()
                && open.get(common + 1).name.equals(path.get(common))) {
            common++;
        }
        leaveTo(common + 1);
        for (String name : path.subList(common, path.size())) {
            Open child = create(open.getLast(), name, mtimeNanos);
            if (child == null) {
                return false;
            }
            open.add(child);
        }
        Open last = open.getLast();
        last.newestNanos = Math.max(last.newestNanos, mtimeNanos);
        return true;
    }

    private @Nullable Open create(Open parent, String name, long mtimeNanos) throws SQLException {
        OptionalLong id = nodes.addDirectory(parent.id, name, mtimeNanos);
        if (id.isEmpty()) {
            id = nodes.findDirectory(parent.id, name);
        }
        return id.isEmpty()
                ? null
                : new Open(
                        id.getAsLong(),
                        name,
                        previous.directory(parent.previousId, name),
                        mtimeNanos);
    }

    /**
     * Returns how many directories below the root are open. If {@link #enter} failed, these are the
     * components that it could open.
     */
    int depth() {
        return open.size() - 1;
    }

    long id() {
        return open.getLast().id;
    }

    long previousId() {
        return open.getLast().previousId;
    }

    /** Leaves all directories and writes their final times. */
    void finish() throws SQLException {
        leaveTo(0);
    }

    private void leaveTo(int depth) throws SQLException {
        while (open.size() > depth) {
            Open left = open.removeLast();
            long parentId = 0;
            if (!open.isEmpty()) {
                Open parent = open.getLast();
                parentId = parent.id;
                parent.newestNanos = Math.max(parent.newestNanos, left.newestNanos);
            }
            nodes.touch(left.id, parentId, left.name, left.newestNanos);
        }
    }
}
