package dev.forebay.control.api;

import dev.forebay.model.DatasetName;
import jakarta.validation.constraints.Pattern;
import jakarta.ws.rs.PathParam;

/** The path parameters that name a dataset. */
public record DatasetPath(
        @PathParam("namespace")
                @Pattern(regexp = RequestRules.NAME, message = RequestRules.NAME_RULE)
                String namespace,
        @PathParam("name") @Pattern(regexp = RequestRules.NAME, message = RequestRules.NAME_RULE)
                String name) {

    public DatasetName toName() {
        return new DatasetName(namespace, name);
    }
}
