package dev.forebay.worker;

import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.lake.Lake;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.s3.S3Credentials;
import dev.forebay.lake.s3.S3Lake;
import dev.forebay.lake.s3.S3LakeConfig;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.manifest.write.ManifestWriter;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.membership.etcd.EtcdRegionState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.async.AsyncRequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;

/** A region without workers: an etcd, a lake, and the part of an agent that mounts versions. */
final class TestRegion implements AutoCloseable {

    static final String NAME = "test-region";
    static final String BUCKET = "originals";
    static final String MANIFESTS = "manifests";

    final EtcdServer etcd;
    final S3Server s3;
    final RegionState state;
    final Lake lake;
    private final S3AsyncClient client;
    private final Path directory;
    private int manifests;

    TestRegion(Path directory) {
        this.directory = directory;
        this.etcd = EtcdServer.start(directory.resolve("etcd"));
        this.s3 = S3Server.start(directory.resolve("s3"));
        s3.createBucket(BUCKET).createBucket(MANIFESTS);
        this.state =
                EtcdRegionState.connect(
                        EtcdConfig.of(List.of(etcd.endpoint())), new RegionName(NAME));
        this.lake =
                S3Lake.open(
                        S3LakeConfig.of(s3.endpoint(), S3Server.REGION, true),
                        new S3Credentials(s3.accessKey(), s3.secretKey()));
        this.client =
                S3AsyncClient.builder()
                        .endpointOverride(s3.endpoint())
                        .region(Region.of(S3Server.REGION))
                        .forcePathStyle(true)
                        .credentialsProvider(
                                StaticCredentialsProvider.create(
                                        AwsBasicCredentials.create(s3.accessKey(), s3.secretKey())))
                        .build();
    }

    void put(String key, byte[] bytes) {
        client.putObject(b -> b.bucket(BUCKET).key(key), AsyncRequestBody.fromBytes(bytes)).join();
    }

    /** Freezes the objects below a prefix as a version and mounts it. */
    TestVersion mount(String version, String prefix) {
        return mount(version, prefix, null);
    }

    /** Works like {@link #mount}, and reuses the packs of an earlier version. */
    TestVersion mountAfter(String version, String prefix, TestVersion before) {
        try (Manifest manifest = SqliteManifest.open(before.file())) {
            return mount(version, prefix, manifest);
        }
    }

    private TestVersion mount(String version, String prefix, @Nullable Manifest before) {
        return mount(
                version,
                prefix,
                before,
                writer ->
                        lake.list(
                                BUCKET,
                                prefix,
                                (LakeObject object) -> writer.add(object),
                                count -> {}));
    }

    /** Mounts a version whose objects need not exist in the lake. */
    TestVersion mountListed(String version, String prefix, Consumer<ManifestWriter> listing) {
        return mount(version, prefix, null, listing);
    }

    private TestVersion mount(
            String version,
            String prefix,
            @Nullable Manifest before,
            Consumer<ManifestWriter> listing) {
        Path file = directory.resolve("manifest-" + manifests++ + ".sqlite");
        ManifestFile written;
        try (ManifestWriter writer =
                new ManifestWriter(
                        file, BUCKET, prefix, ManifestWriter.DEFAULT_PACK_BYTES, before)) {
            listing.accept(writer);
            written = writer.finish();
        }
        String key = "manifests/" + written.digest() + ".sqlite";
        lake.putIfAbsent(MANIFESTS, key, file);
        ManifestRef ref =
                new ManifestRef(
                        URI.create("s3://" + MANIFESTS + "/" + key).toString(),
                        written.digest(),
                        written.objects(),
                        written.bytes(),
                        written.chunks());
        DatasetVersion name = DatasetVersion.of("ns", "data", version);
        state.mount(name, ref);
        return new TestVersion(name, ref, file);
    }

    /** Returns the lines of the lake's access log that read objects with this prefix. */
    List<String> reads(String prefix) throws IOException {
        try (var lines = Files.lines(s3.accessLog())) {
            return lines.filter(line -> line.contains("s3_GetObject " + prefix)).toList();
        }
    }

    @Override
    public void close() {
        state.close();
        lake.close();
        client.close();
        s3.close();
        etcd.close();
    }
}
