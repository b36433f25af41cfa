package dev.forebay.control.api;

import dev.forebay.control.catalogue.VersionLookup;
import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import jakarta.validation.constraints.Pattern;
import jakarta.ws.rs.PathParam;

/**
 * The path parameters that name a version, by any reference that {@link VersionLookup} resolves.
 */
public record VersionPath(
        @PathParam("namespace")
                @Pattern(regexp = RequestRules.NAME, message = RequestRules.NAME_RULE)
                String namespace,
        @PathParam("name") @Pattern(regexp = RequestRules.NAME, message = RequestRules.NAME_RULE)
                String name,
        @PathParam("version")
                @Pattern(regexp = RequestRules.VERSION, message = RequestRules.VERSION_RULE)
                String version) {

    /** Returns the version that the reference means now. */
    public DatasetVersion toVersion(VersionLookup versions) {
        return versions.find(toDataset(), version);
    }

    /**
     * Returns the version with this name, without a lookup in the catalogue.
     *
     * @throws dev.forebay.model.ForebayException {@code INVALID_ARGUMENT} for {@code latest} or a
     *     digest
     */
    public DatasetVersion toNamed() {
        VersionLookup.requireName("version", version);
        return new DatasetVersion(toDataset(), version);
    }

    public DatasetName toDataset() {
        return new DatasetName(namespace, name);
    }
}
