package dev.forebay.control.api;

import dev.forebay.model.DatasetVersion;
import jakarta.validation.constraints.Pattern;
import jakarta.ws.rs.PathParam;

/** The version in a path. */
record VersionPath(
        @PathParam("namespace") @Pattern(regexp = Rules.NAME, message = Rules.NAME_RULE)
                String namespace,
        @PathParam("name") @Pattern(regexp = Rules.NAME, message = Rules.NAME_RULE) String name,
        @PathParam("version") @Pattern(regexp = Rules.VERSION, message = Rules.VERSION_RULE)
                String version) {

    DatasetVersion toVersion() {
        return DatasetVersion.of(namespace, name, version);
    }
}
