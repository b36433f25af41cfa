package dev.forebay.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.forebay.model.Digest;
import java.io.IOException;
import java.nio.file.Path;

/** Reads and writes the file of a pointer beside the manifests. */
final class PointerFile {

    private static final ObjectMapper JSON = new ObjectMapper();

    private PointerFile() {}

    /**
     * Returns the pointer without its time of freezing, because the catalogue rounds it to
     * microseconds.
     */
    static JsonNode said(Path pointer) throws IOException {
        ObjectNode said = (ObjectNode) JSON.readTree(pointer.toFile()).get("pointer");
        said.remove("frozen_at");
        return said;
    }

    /** Updates the checksum to the present content. */
    static void seal(Path pointer) throws IOException {
        ObjectNode sealed = (ObjectNode) JSON.readTree(pointer.toFile());
        sealed.put("sha256", Digest.of(JSON.writeValueAsBytes(sealed.get("pointer"))).hex());
        JSON.writeValue(pointer.toFile(), sealed);
    }
}
