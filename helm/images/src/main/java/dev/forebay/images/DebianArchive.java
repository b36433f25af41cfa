package dev.forebay.images;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * Downloads packages by this machine's apt, which knows mirrors and proxies, and unpacks them
 * without installation. Keeps the downloads.
 *
 * @param cache where archives are kept, by their checksums
 */
record DebianArchive(Path cache) {

    /** Unpacks packages into a directory, with the metadata that image scanners read. */
    void unpack(List<DebianPackage> packages, Path into) throws IOException, InterruptedException {
        Path known = Files.createDirectories(into.resolve("var/lib/dpkg/status.d"));
        for (DebianPackage one : packages) {
            String archive = fetch(one).toString();
            Command.run(into, List.of("dpkg-deb", "-x", archive, into.toString()));
            // The place for images without a package manager, by the convention of distroless
            // images.
            Files.writeString(
                    known.resolve(one.name()),
                    Command.run(into, List.of("dpkg-deb", "-f", archive)));
        }
    }

    private Path fetch(DebianPackage wanted) throws IOException, InterruptedException {
        Path kept = cache.resolve(wanted.sha256() + ".deb");
        if (Files.exists(kept) && Sha256.of(kept).equals(wanted.sha256())) {
            return kept;
        }
        Path fresh =
                Files.createTempDirectory(Files.createDirectories(cache), wanted.name() + "-fresh");
        try {
            Path archive = download(wanted, fresh);
            String sum = Sha256.of(archive);
            if (!sum.equals(wanted.sha256())) {
                throw new IOException(
                        "%s %s has the SHA-256 %s, and debian.lock says %s"
                                .formatted(wanted.name(), wanted.version(), sum, wanted.sha256()));
            }
            return Files.move(archive, kept, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Directories.delete(fresh);
        }
    }

    private static Path download(DebianPackage wanted, Path into)
            throws IOException, InterruptedException {
        String exactly =
                "%s:%s=%s".formatted(wanted.name(), DebianPackage.ARCHITECTURE, wanted.version());
        List<String> command = List.of("apt-get", "download", exactly);
        try {
            Command.run(into, command);
        } catch (IOException notListed) {
            try {
                Command.run(into, List.of("apt-get", "update"));
                Command.run(into, command);
            } catch (IOException e) {
                throw new IOException(
                        """
                        apt-get has no %s here. It must know Debian 12 (bookworm, bookworm-updates, \
                        bookworm-security). If Debian has replaced that version: put the new one into \
                        debian.lock, or the archive of the old one, which snapshot.debian.org keeps, \
                        into the cache as <SHA-256>.deb."""
                                .formatted(exactly),
                        e);
            }
        }
        try (Stream<Path> files = Files.list(into)) {
            return files.filter(file -> file.toString().endsWith(".deb"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("apt-get downloaded no " + exactly));
        }
    }
}
