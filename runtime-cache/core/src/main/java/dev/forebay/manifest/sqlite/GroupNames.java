package dev.forebay.manifest.sqlite;

import dev.forebay.lake.KeyOrder;
import java.util.Set;

/** All names of a {@link NameGroup} whose checksum was right. Immutable. */
record GroupNames(NameGroup group, Set<String> names) {

    /** Returns whether the directory has no such name. False if the name is outside the group. */
    boolean proveAbsent(long parent, String name) {
        return parent == group.parent()
                && KeyOrder.UTF8.compare(group.first(), name) <= 0
                && (group.next() == null || KeyOrder.UTF8.compare(name, group.next()) < 0)
                && !names.contains(name);
    }
}
