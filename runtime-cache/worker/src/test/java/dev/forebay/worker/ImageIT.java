package dev.forebay.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.image.ErofsImage;
import dev.forebay.image.ImageFile;
import dev.forebay.image.ImageName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.RegionFiles;
import dev.forebay.transfer.RegionFilesConfig;
import dev.forebay.transfer.WorkerSet;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag(Wire.ALSO_OVER_TLS)
class ImageIT extends RunningWorker {

    @TempDir Path directory;

    private static RegionFiles files(WorkerNode node) {
        WorkerSet one = new WorkerSet(List.of(node), Set.of(node.id()));
        return new RegionFiles(client, () -> one, RegionFilesConfig.defaults());
    }

    @Test
    void writesAnImageOnceForAllWhoAsk() throws Exception {
        region.put("image/a/object", random(31, 100));
        region.put("image/b", random(32, 5000));
        TestVersion version = mounted("image");
        ImageName name = new ImageName(version.name(), version.ref().digest());
        ImageFile expected =
                ErofsImage.write(version.file(), name, directory.resolve(name.fileName()));
        WorkerProcess own = ownWorker("images");
        awaitMounted(own, version);
        WorkerNode node = own.node();

        try (ExecutorService nodes = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Digest>> answers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Path file = directory.resolve("copy-" + i);
                answers.add(
                        nodes.submit(
                                () ->
                                        files(node)
                                                .image(
                                                        version.name(),
                                                        version.ref().digest(),
                                                        file)));
            }
            for (Future<Digest> answer : answers) {
                assertThat(answer.get()).isEqualTo(expected.digest());
            }
        }
        assertThat(Files.mismatch(directory.resolve("copy-0"), expected.path())).isEqualTo(-1);
        assertThat(own.metric("forebay_worker_images_written_total")).isEqualTo(1);
    }

    @Test
    void refusesVersionsThatAreNotMountedWithThatManifest() throws Exception {
        region.put("no-image/object", random(33, 100));
        TestVersion version = mounted("no-image");
        WorkerNode node = worker.node();
        DatasetVersion other = DatasetVersion.of("ns", "data", "another");

        assertThatThrownBy(
                        () ->
                                files(node)
                                        .image(
                                                other,
                                                version.ref().digest(),
                                                directory.resolve("image")))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
        HttpResponse<byte[]> nameless = worker.get(version.manifestPath() + "/image");
        assertThat(nameless.statusCode()).isEqualTo(400);
        assertThat(new String(nameless.body(), UTF_8)).contains("\"field\":\"version\"");
    }
}
