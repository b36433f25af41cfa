package dev.forebay.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.forebay.model.Digest;
import java.io.IOException;
import java.nio.file.Path;

/** What is beside the manifests and says which manifest a version has. */
final class PointerFile {

    private static final ObjectMapper JSON = new ObjectMapper();

    private PointerFile() {}

    /** But for parts of a microsecond, which the catalogue does not keep. */
    static JsonNode said(Path pointer) throws IOException {
        ObjectNode said = (ObjectNode) JSON.readTree(pointer.toFile()).get("pointer");
        said.remove("frozen_at");
        return said;
    }

    /** Gives it the checksum of what is in it now. */
    static void seal(Path pointer) throws IOException {
        ObjectNode sealed = (ObjectNode) JSON.readTree(pointer.toFile());
        sealed.put("sha256", Digest.of(JSON.writeValueAsBytes(sealed.get("pointer"))).hex());
        JSON.writeValue(pointer.toFile(), sealed);
    }
}
