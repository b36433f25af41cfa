package dev.forebay.fuse.fs;

import dev.forebay.manifest.Node;
import dev.forebay.membership.Mount;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The extended attributes of a node: version and manifest of a directory, lake object of a file.
 */
final class ExtendedAttributes {

    private static final String PREFIX = "user.forebay.";

    private ExtendedAttributes() {}

    static Map<String, String> of(Mount mount, Node node) {
        Map<String, String> attributes = new LinkedHashMap<>();
        switch (node) {
            case Node.Directory _ -> {
                attributes.put(PREFIX + "version", mount.version().toString());
                attributes.put(PREFIX + "manifest", mount.manifest().digest().hex());
            }
            case Node.File file -> {
                attributes.put(PREFIX + "key", file.key());
                attributes.put(PREFIX + "etag", file.etag());
                if (file.versionId() != null) {
                    attributes.put(PREFIX + "version-id", file.versionId());
                }
            }
        }
        return attributes;
    }
}
