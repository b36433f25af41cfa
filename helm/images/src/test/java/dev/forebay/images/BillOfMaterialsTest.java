package dev.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.cyclonedx.Version;
import org.cyclonedx.parsers.JsonParser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BillOfMaterialsTest {

    private static final DebianPackage LIBC = new DebianPackage("libc6", "2.36", "0".repeat(64));

    @TempDir private Path directory;

    @BeforeEach
    void aProgramOfMaven() throws IOException {
        Files.createDirectories(directory.resolve("app/lib"));
        Files.writeString(
                directory.resolve("bom.json"),
                """
                {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
                 "metadata": {"component": {"type": "library", "bom-ref": "p", "group": "g", "name": "p", "version": "1", "purl": "pkg:maven/g/p@1?type=jar"}},
                 "components": [
                   {"type": "library", "bom-ref": "a", "group": "g", "name": "a", "version": "1", "purl": "pkg:maven/g/a@1?type=jar"},
                   {"type": "library", "bom-ref": "b", "group": "g", "name": "b", "version": "1", "purl": "pkg:maven/g/b@1?classifier=linux-x86_64&type=jar"},
                   {"type": "library", "bom-ref": "c", "group": "g", "name": "c", "version": "1", "purl": "pkg:maven/g/c@1?type=jar"}],
                 "dependencies": [{"ref": "p", "dependsOn": ["a", "c"]}, {"ref": "a", "dependsOn": ["b"]}]}
                """);
    }

    @Test
    void theBillListsExactlyTheContentOfTheImage() throws Exception {
        library("a-1.jar");
        library("g.b-1-linux-x86_64.jar");

        String bill = bill();

        assertThat(new JsonMapper().readTree(bill).get("components"))
                .extracting(component -> component.get("name").asText())
                .containsExactlyInAnyOrder("p", "a", "b", "libc6", "openjdk");
        assertThat(
                        new JsonParser()
                                .validate(
                                        bill.getBytes(StandardCharsets.UTF_8), Version.VERSION_16))
                .isEmpty();
    }

    @Test
    void theImageDependsOnComponentsThatNoOtherComponentNeeds() throws Exception {
        library("a-1.jar");
        library("b-1-linux-x86_64.jar");

        JsonNode dependencies = new JsonMapper().readTree(bill()).get("dependencies");

        assertThat(dependencies)
                .filteredOn(it -> it.get("ref").asText().startsWith("pkg:oci/"))
                .singleElement()
                .satisfies(
                        image ->
                                assertThat(image.get("dependsOn"))
                                        .extracting(JsonNode::asText)
                                        .contains("p", LIBC.purl())
                                        .doesNotContain("a", "b", "c"));
    }

    @Test
    void theBillListsLibrariesThatQuarkusAdds() throws Exception {
        library("g.added-2.jar");
        Files.writeString(
                directory.resolve("app/quarkus-app-dependencies.txt"), "g:added::jar:2\n");

        assertThat(bill()).contains("pkg:maven/g/added@2?type=jar");
    }

    @Test
    void anUnknownJarIsRefused() throws Exception {
        library("stranger-1.jar");

        assertThatThrownBy(this::bill)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("stranger-1.jar");
    }

    private void library(String name) throws IOException {
        Files.writeString(directory.resolve("app/lib").resolve(name), "");
    }

    private String bill() throws IOException {
        return BillOfMaterials.of(
                "forebay-x",
                "1",
                "sha256:" + "1".repeat(64),
                directory.resolve("bom.json"),
                directory.resolve("app"),
                List.of(LIBC),
                new JavaRuntime(Path.of(System.getProperty("java.home"))));
    }
}
