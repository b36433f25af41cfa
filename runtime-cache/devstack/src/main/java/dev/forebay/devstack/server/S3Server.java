package dev.forebay.devstack.server;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.tool.Toolbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An S3 server as the lake: versitygw over plain files. A test can change an object without a
 * request by changing its file.
 *
 * <p>It requires signatures with one key. The server has a random key for each directory, in the
 * file {@code credentials}, which has the format of AWS's shared credentials file.
 */
public final class S3Server extends OneProcessServer {
    /** The region that clients must sign requests for. */
    public static final String REGION = "us-east-1";

    private final Path directory;
    private final URI endpoint;
    private final Credentials credentials;

    private record Credentials(String accessKey, String secretKey) {}

    private S3Server(ServerProcess process, Path directory, URI endpoint, Credentials credentials) {
        super(process);
        this.directory = directory;
        this.endpoint = endpoint;
        this.credentials = credentials;
    }

    /** Starts an S3 server on a free port. It ends with this JVM at the latest. */
    public static S3Server start(Path directory) {
        return start(directory, Ports.free(), Launch.Lifetime.THIS_JVM);
    }

    /** Starts an S3 server on a port. */
    public static S3Server start(Path directory, int port, Launch.Lifetime lifetime) {
        Path absolute = directory.toAbsolutePath();
        Credentials credentials = credentials(absolute);
        URI endpoint = URI.create("http://127.0.0.1:" + port);
        Launch launch =
                Launch.of(
                        "s3",
                        absolute,
                        command(absolute, port),
                        Map.of(
                                "ROOT_ACCESS_KEY", credentials.accessKey(),
                                "ROOT_SECRET_KEY", credentials.secretKey()),
                        Readiness.answers(endpoint),
                        lifetime);
        return new S3Server(ServerProcess.start(launch), absolute, endpoint, credentials);
    }

    /** Returns the address for clients. Buckets are in the path. */
    public URI endpoint() {
        return endpoint;
    }

    /** Returns the id of the only key. */
    public String accessKey() {
        return credentials.accessKey();
    }

    /** Returns the secret of the only key. */
    public String secretKey() {
        return credentials.secretKey();
    }

    /** Returns the file with both, for {@code AWS_SHARED_CREDENTIALS_FILE}. */
    public Path credentialsFile() {
        return credentialsFile(directory);
    }

    /** Returns the log with one line for each request, in the format of S3's server access logs. */
    public Path accessLog() {
        return directory.resolve("access.log");
    }

    /** Returns the directory with the objects of a bucket as plain files. */
    public Path bucketDirectory(String bucket) {
        return bucketDirectory(directory, bucket);
    }

    /**
     * Puts an object.
     *
     * @param key of characters that need no escape in a URI
     */
    public void put(String bucket, String key, byte[] content) {
        URI address =
                new PresignedPut(endpoint, REGION, accessKey(), secretKey())
                        .address(bucket + "/" + key, Instant.now());
        HttpRequest request =
                HttpRequest.newBuilder(address)
                        .PUT(HttpRequest.BodyPublishers.ofByteArray(content))
                        .build();
        try (HttpClient client =
                HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY).build()) {
            HttpResponse<String> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new DevstackException(
                        "the lake answered %d to a PUT of %s: %s"
                                .formatted(answer.statusCode(), key, answer.body()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DevstackException("interrupted", e);
        }
    }

    /** Creates a bucket if it does not exist, without a request. */
    public S3Server createBucket(String bucket) {
        createBucket(directory, bucket);
        return this;
    }

    /** Creates a bucket for the present or future server of this directory. */
    public static void createBucket(Path directory, String bucket) {
        try {
            Files.createDirectories(bucketDirectory(directory, bucket));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path bucketDirectory(Path directory, String bucket) {
        return directory.resolve("buckets").resolve(bucket);
    }

    private static List<String> command(Path directory, int port) {
        List<String> command = new ArrayList<>();
        command.add(Toolbox.ofThisMachine().versitygw().toString());
        command.addAll(List.of("--port", "127.0.0.1:" + port, "--region", REGION));
        command.addAll(List.of("--keep-alive", "--quiet"));
        command.addAll(List.of("--access-log", directory.resolve("access.log").toString()));
        command.add("posix");
        try {
            Path buckets = Files.createDirectories(directory.resolve("buckets"));
            Path versions = Files.createDirectories(directory.resolve("versions"));
            FileStore store = Files.getFileStore(buckets);
            if (!store.supportsFileAttributeView("user")) {
                Path attributes = Files.createDirectories(directory.resolve("attributes"));
                command.addAll(List.of("--sidecar", attributes.toString()));
            }
            command.addAll(List.of("--versioning-dir", versions.toString()));
            command.add(buckets.toString());
            return command;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path credentialsFile(Path directory) {
        return directory.resolve("credentials");
    }

    private static Credentials credentials(Path directory) {
        Path file = credentialsFile(directory);
        String text =
                Secrets.keptIn(
                        file,
                        () ->
                                """
                                [default]
                                aws_access_key_id = %s
                                aws_secret_access_key = %s
                                """
                                        .formatted(Secrets.random(10), Secrets.random(20)));
        return new Credentials(
                value(file, text, "aws_access_key_id"), value(file, text, "aws_secret_access_key"));
    }

    private static String value(Path file, String text, String name) {
        return text.lines()
                .filter(line -> line.startsWith(name + " = "))
                .map(line -> line.substring(name.length() + 3).trim())
                .findFirst()
                .orElseThrow(
                        () ->
                                new DevstackException(
                                        "%s has no %s: delete it and start again"
                                                .formatted(file, name)));
    }
}
