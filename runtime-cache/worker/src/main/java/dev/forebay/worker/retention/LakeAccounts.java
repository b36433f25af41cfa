package dev.forebay.worker.retention;

import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.worker.fill.LakeAccount;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many bytes this worker has read from the lake for each mounted version, over restarts: what
 * the region's copies of them have cost.
 *
 * <p>A version's account begins with its first fill here and ends when it is dropped or leaves the
 * mount table. Of several mounted versions with the same manifest one pays for a fill, so that the
 * sum over all is what the lake gave. One small file a version holds the figure and the name; it is
 * written with every fill, not flushed to the device. Safe for use by many threads.
 */
public final class LakeAccounts implements LakeAccount {

    private static final Logger LOG = LoggerFactory.getLogger(LakeAccounts.class);

    private final Path directory;
    private final MountedVersions versions;

    // Guarded by this.
    private final Map<DatasetVersion, Long> bytes = new HashMap<>();

    private LakeAccounts(Path directory, MountedVersions versions) {
        this.directory = directory;
        this.versions = versions;
    }

    /**
     * Opens the accounts that are in a directory, which is made if it is not there.
     *
     * @throws ForebayException {@code UNAVAILABLE} if it cannot be read
     */
    public static LakeAccounts open(Path directory, MountedVersions versions) {
        LakeAccounts accounts = new LakeAccounts(directory, versions);
        try {
            Files.createDirectories(directory);
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                for (Path file : files) {
                    accounts.load(file);
                }
            }
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE, "cannot read accounts in " + directory, e);
        }
        return accounts;
    }

    private void load(Path file) throws IOException {
        String line = Files.readString(file).strip();
        try {
            int blank = line.indexOf(' ');
            bytes.put(
                    DatasetVersion.parse(line.substring(blank + 1)),
                    Long.parseLong(line.substring(0, blank)));
        } catch (ForebayException | NumberFormatException | StringIndexOutOfBoundsException e) {
            LOG.warn("{} is not an account and is removed: '{}'", file, line);
            Files.delete(file);
        }
    }

    /** Closes the accounts of versions that are not mounted any more. */
    public synchronized void update(RegionView view) {
        Set<DatasetVersion> mounted =
                view.mounts().stream().map(Mount::version).collect(Collectors.toSet());
        List.copyOf(bytes.keySet()).stream()
                .filter(version -> !mounted.contains(version))
                .forEach(this::close);
    }

    @Override
    public synchronized void took(Digest manifest, long taken) {
        Optional<DatasetVersion> payer =
                mounted(manifest).stream()
                        .min(Comparator.comparing(LakeAccounts::order))
                        .map(Mount::version);
        // None if it was unmounted meanwhile: then nobody will ask.
        payer.ifPresent(
                version -> write(version, bytes.merge(version, taken, (had, more) -> had + more)));
    }

    /** Who is being filled, then who is served, then who goes. */
    private static int order(Mount mount) {
        return switch (mount.state()) {
            case WARMING -> 0;
            case CACHED -> 1;
            case EVICTING -> 2;
        };
    }

    /** What was read for each mounted version with this manifest, in bytes. */
    public synchronized Map<DatasetVersion, Long> of(Digest manifest) {
        return mounted(manifest).stream()
                .map(Mount::version)
                .collect(
                        Collectors.toMap(
                                version -> version, version -> bytes.getOrDefault(version, 0L)));
    }

    private List<Mount> mounted(Digest manifest) {
        return versions.view().mounts().stream()
                .filter(mount -> mount.manifest().digest().equals(manifest))
                .toList();
    }

    /** Ends a version's account; does nothing if it has none. */
    synchronized void close(DatasetVersion version) {
        if (bytes.remove(version) == null) {
            return;
        }
        try {
            Files.deleteIfExists(file(version));
        } catch (IOException e) {
            LOG.warn("Cannot remove the account of {}", version, e);
        }
    }

    private void write(DatasetVersion version, long figure) {
        // Of fixed width, so that one write replaces what was there.
        byte[] line = "%019d %s\n".formatted(figure, version).getBytes(StandardCharsets.UTF_8);
        try (FileChannel file =
                FileChannel.open(
                        file(version), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(line), 0);
        } catch (IOException e) {
            LOG.warn("Cannot write the account of {}; it will be forgotten at exit", version, e);
        }
    }

    /** Names of versions have neither blanks nor commas, so no two have the same file. */
    private Path file(DatasetVersion version) {
        return directory.resolve(version.path().replace('/', ','));
    }
}
