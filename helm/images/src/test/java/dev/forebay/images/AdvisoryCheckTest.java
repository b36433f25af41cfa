package dev.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.cyclonedx.model.Component;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdvisoryCheckTest {

    @TempDir private Path repository;

    @BeforeEach
    void programsAreBuilt() throws IOException {
        for (Program program : Program.ALL) {
            Files.createDirectories(program.distribution(repository).resolve("lib"));
            bill(program, "99.0.0.Final");
        }
        Files.createDirectories(repository.resolve("sdk-python-shim"));
    }

    private void bill(Program program, String version) throws IOException {
        Files.writeString(
                program.bom(repository),
                """
                {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
                 "metadata": {"component": {"type": "library", "bom-ref": "p", "group": "g", "name": "p", "version": "1", "purl": "pkg:maven/g/p@1?type=jar"}},
                 "components": [
                   {"type": "library", "bom-ref": "a", "group": "io.netty", "name": "netty-codec-http2", "version": "%s", "purl": "pkg:maven/io.netty/netty-codec-http2@%s?type=jar"}]}
                """
                        .formatted(version, version));
        Path library = Path.of("lib", "netty-codec-http2-%s.jar".formatted(version));
        Files.writeString(program.distribution(repository).resolve(library), "");
    }

    @Test
    void programsWithoutAVulnerableLibraryPass() throws IOException {
        AdvisoryCheck.check(repository);
    }

    @Test
    void theCheckCoversTheLibrariesOfEachProgram() throws IOException {
        for (Program program : Program.ALL) {
            programsAreBuilt();
            Path current = program.distribution(repository).resolve("lib");
            Files.delete(current.resolve("netty-codec-http2-99.0.0.Final.jar"));
            bill(program, "4.1.130.Final");

            assertThatThrownBy(() -> AdvisoryCheck.check(repository))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(
                            program.name()
                                    + ": pkg:maven/io.netty/netty-codec-http2@4.1.130.Final has"
                                    + " CVE-2026-33871")
                    .hasMessageContaining("Take 4.1.132.Final or later");
            Files.delete(current.resolve("netty-codec-http2-4.1.130.Final.jar"));
        }
    }

    @Test
    void theCheckCoversLibrariesThatQuarkusAdds() throws IOException {
        Path worker = Program.ALL.get(1).distribution(repository);
        Files.writeString(
                worker.resolve("quarkus-app-dependencies.txt"),
                "org.postgresql:postgresql::jar:42.7.10\n");
        Files.writeString(worker.resolve("lib/org.postgresql.postgresql-42.7.10.jar"), "");

        assertThatThrownBy(() -> AdvisoryCheck.check(repository))
                .hasMessageContaining("CVE-2026-42198");
    }

    @Test
    void theCheckFindsAVulnerablePythonPackage() throws IOException {
        Files.writeString(
                repository.resolve("sdk-python-shim/requirements-dev.txt"), "h11==0.14.0\n");

        assertThatThrownBy(() -> AdvisoryCheck.check(repository))
                .hasMessageContaining("python: pkg:pypi/h11@0.14.0 has CVE-2025-43859");
    }

    @Test
    void theCheckFindsLibrariesOfOneFamilyWithDifferentVersions() throws IOException {
        Path worker = Program.ALL.get(1).distribution(repository);
        Files.writeString(
                worker.resolve("quarkus-app-dependencies.txt"),
                "io.netty:netty-common::jar:99.1.0.Final\n");
        Files.writeString(worker.resolve("lib/io.netty.netty-common-99.1.0.Final.jar"), "");

        assertThatThrownBy(() -> AdvisoryCheck.check(repository))
                .hasMessageContaining(
                        "worker: libraries of io.netty have different versions: 99.0.0.Final,"
                                + " 99.1.0.Final");
    }

    @Test
    void theCheckReadsPinnedPythonPackages() throws IOException {
        Files.writeString(
                repository.resolve("sdk-python-shim/requirements-dev.txt"),
                "# tools\nsome_tool==1.2\n");

        assertThat(AdvisoryCheck.pythonPackages(repository))
                .extracting(Component::getPurl)
                .contains("pkg:pypi/some-tool@1.2");
    }

    @Test
    void anErrorNamesAProgramThatWasNotBuilt() throws IOException {
        Path bill = Program.ALL.getFirst().bom(repository);
        Files.delete(bill);

        assertThatThrownBy(() -> AdvisoryCheck.check(repository))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(bill.toString());
    }
}
