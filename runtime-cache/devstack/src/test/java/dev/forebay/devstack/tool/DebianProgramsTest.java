package dev.forebay.devstack.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unpacks real packages from a local archive by the real {@code apt-get}. */
class DebianProgramsTest {
    /** A package that every Debian machine has installed. */
    private static final String INSTALLED = "base-files";

    @TempDir Path directory;

    private final Machine machine = Machine.current();
    private Path log;
    private Path archive;
    private Path into;
    private Apt apt;

    @BeforeEach
    void archive() throws IOException {
        assumeThat(machine.program("apt-get")).as("this test needs Debian's apt-get").isPresent();
        log = directory.resolve("log");
        archive = Files.createDirectory(directory.resolve("archive"));
        into = Files.createDirectory(directory.resolve("into"));
        Path configuration = Files.createDirectory(directory.resolve("etc"));
        Files.writeString(
                configuration.resolve("sources.list"),
                "deb [trusted=yes] copy:%s ./\n".formatted(archive));
        apt = new Apt(configuration);
    }

    @Test
    void obtainUnpacksDependenciesEvenIfTheyAreInstalled() throws Exception {
        publish("data", "", "usr/share/data/greeting", "hello");
        publish(INSTALLED, "data", "usr/share/base/name", "world");
        publish(
                "greeter",
                INSTALLED,
                "usr/bin/greeter",
                "#!/bin/sh\ncd \"$(dirname \"$0\")/../share\" && cat data/greeting base/name\n");

        new DebianPrograms(apt, "greeter", List.of("usr/bin/greeter")).obtain(machine, into, log);

        Process greeter = new ProcessBuilder(into.resolve("greeter").toString()).start();
        assertThat(new String(greeter.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("helloworld");
        try (var left = Files.list(into)) {
            assertThat(left)
                    .containsExactlyInAnyOrder(into.resolve("greeter"), into.resolve("root"));
        }
    }

    @Test
    void obtainDoesNotUnpackTheCLibrary() throws Exception {
        publish("libc6", "", "usr/lib/libc.so.6", "another C library");
        publish("program", "libc6 (>= 2.3)", "usr/bin/program", "#!/bin/sh\n");

        new DebianPrograms(apt, "program", List.of("usr/bin/program")).obtain(machine, into, log);

        assertThat(into.resolve("root/usr/lib/libc.so.6")).doesNotExist();
    }

    @Test
    void obtainFailsIfADependencyIsUnavailable() throws Exception {
        publish("program", "missing", "usr/bin/program", "#!/bin/sh\n");

        assertThatThrownBy(
                        () ->
                                new DebianPrograms(apt, "program", List.of("usr/bin/program"))
                                        .obtain(machine, into, log))
                .isInstanceOf(DevstackException.class)
                .hasMessageContaining("missing");
    }

    @Test
    void aLibraryMayDependOnlyOnTheCLibrary() throws Exception {
        publish("libc6", "", "usr/lib/libc.so.6", "another C library");
        publish("libalone", "libc6 (>= 2.3)", "usr/lib/x/libalone.so.1", "code");
        publish("libneedy", "libc6, libalone", "usr/lib/x/libneedy.so.1", "code");

        new DebianLibrary(apt, "libalone", "libalone.so.1").obtain(machine, into, log);
        assertThat(into.resolve("libalone.so.1")).hasContent("code");

        Path other = Files.createDirectory(directory.resolve("other"));
        assertThatThrownBy(
                        () ->
                                new DebianLibrary(apt, "libneedy", "libneedy.so.1")
                                        .obtain(machine, other, log))
                .hasMessageContaining("needs more than the C library: libc6, libalone");
    }

    /** Adds a package with one file to the archive. */
    private void publish(String name, String depends, String file, String text)
            throws IOException, GeneralSecurityException {
        Path root = directory.resolve("packages").resolve(name);
        Path content = root.resolve(file);
        Files.createDirectories(content.getParent());
        Files.writeString(content, text);
        assertThat(content.toFile().setExecutable(true)).isTrue();
        String control =
                """
                Package: %s
                Version: 9999
                Architecture: all
                Maintainer: nobody <nobody@example.org>
                Description: a package for a test
                """
                                .formatted(name)
                        + (depends.isEmpty() ? "" : "Depends: " + depends + "\n");
        Files.createDirectory(root.resolve("DEBIAN"));
        Files.writeString(root.resolve("DEBIAN/control"), control);
        Path packed = archive.resolve(name + "_9999_all.deb");
        Command.run(
                directory,
                Map.of(),
                log,
                List.of(
                        machine.program("dpkg-deb").orElseThrow().toString(),
                        "--root-owner-group",
                        "--build",
                        root.toString(),
                        packed.toString()));
        Files.writeString(
                archive.resolve("Packages"),
                control
                        + "Filename: ./%s\nSize: %d\nSHA256: %s\n\n"
                                .formatted(
                                        packed.getFileName(), Files.size(packed), sha256(packed)),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    private static String sha256(Path file) throws IOException, GeneralSecurityException {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }
}
