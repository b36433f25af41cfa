package dev.forebay.fuse.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.nodecache.NodePacks;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ViewMaintenanceTest {

    @TempDir private Path directory;
    private final AtomicInteger questions = new AtomicInteger();

    /** Fails on the second call, which is for the first version. */
    private Optional<NodePacks> nodePacks() {
        if (questions.incrementAndGet() == 2) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, "no manifest");
        }
        return Optional.empty();
    }

    private static Mount mount(String name, String digit) {
        return new Mount(
                DatasetVersion.of("vision", "digits", name),
                new ManifestRef("s3://manifests/" + name, new Digest(digit.repeat(64)), 1, 1, 1),
                Mount.State.CACHED);
    }

    @Test
    void aFailedCheckOfOneVersionDoesNotStopTheOthers() {
        ImageStacks stacks = new ImageStacks(View.NATIVE);
        stacks.retain(List.of(mount("v1", "a"), mount("v2", "b")));
        Images images =
                new Images(
                        directory.resolve("images"),
                        1,
                        (_, _) -> {
                            throw new ForebayException(ErrorCode.UNAVAILABLE, "no worker");
                        });
        ViewMaintenance upkeep =
                new ViewMaintenance(
                        stacks, images, this::nodePacks, new NativeVersions(System::nanoTime));
        upkeep.checkAll(directory.resolve("mnt"));
        assertThat(questions).as("queries for damage, for each version, and for space").hasValue(4);
    }
}
