package dev.forebay.benchmarks;

import dev.forebay.devstack.server.S3Server;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.s3.S3Credentials;
import dev.forebay.lake.s3.S3Lake;
import dev.forebay.lake.s3.S3LakeConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.async.SdkPublisher;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.crt.AwsCrtAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/** Clients of the AWS SDK that read ranges of objects into a buffer of the caller. */
final class LakeClients {
    private static final int CONNECTIONS = 64;

    /** One client. */
    interface Reader extends AutoCloseable {
        /** Fills the buffer with bytes of the object from {@code offset} on. Blocks. */
        void read(String key, long size, String etag, long offset, ByteBuffer target)
                throws Exception;

        @Override
        void close();
    }

    private LakeClients() {}

    /** Returns all clients by name. The first one is the client of workers. */
    static Map<String, Reader> all(S3Server server) {
        Map<String, Reader> all = new LinkedHashMap<>();
        all.put(Results.FOREBAY, forebay(server));
        all.put(
                "sdk_netty",
                asynchronous(
                        server,
                        NettyNioAsyncHttpClient.builder().maxConcurrency(CONNECTIONS).build()));
        all.put(
                "sdk_crt",
                asynchronous(
                        server,
                        AwsCrtAsyncHttpClient.builder().maxConcurrency(CONNECTIONS).build()));
        all.put(
                "sdk_apache5",
                blocking(server, Apache5HttpClient.builder().maxConnections(CONNECTIONS).build()));
        all.put("sdk_url_connection", blocking(server, UrlConnectionHttpClient.create()));
        return all;
    }

    /**
     * Returns the client of workers: it sends the ETag as a condition and checks the whole answer.
     */
    private static Reader forebay(S3Server server) {
        S3Lake lake =
                S3Lake.open(
                        S3LakeConfig.of(server.endpoint(), S3Server.REGION, true),
                        new S3Credentials(server.accessKey(), server.secretKey()));
        return new Reader() {
            @Override
            public void read(String key, long size, String etag, long offset, ByteBuffer target) {
                lake.read(
                        Lake.BUCKET,
                        new LakeObject(key, size, Instant.EPOCH, etag, null),
                        offset,
                        target);
            }

            @Override
            public void close() {
                lake.close();
            }
        };
    }

    private static Reader asynchronous(S3Server server, SdkAsyncHttpClient http) {
        S3AsyncClient client = Lake.at(server, S3AsyncClient.builder()).httpClient(http).build();
        return new Reader() {
            @Override
            public void read(String key, long size, String etag, long offset, ByteBuffer target) {
                int wanted = target.remaining();
                int read = client.getObject(request(key, offset, wanted), new Into(target)).join();
                if (read != wanted) {
                    throw new IllegalStateException(read + " bytes of " + wanted);
                }
            }

            @Override
            public void close() {
                client.close();
                http.close();
            }
        };
    }

    private static Reader blocking(S3Server server, SdkHttpClient http) {
        S3Client client = Lake.at(server, S3Client.builder()).httpClient(http).build();
        return new Reader() {
            @Override
            public void read(String key, long size, String etag, long offset, ByteBuffer target)
                    throws IOException {
                byte[] piece = new byte[64 << 10];
                try (InputStream in = client.getObject(request(key, offset, target.remaining()))) {
                    for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                        target.put(piece, 0, n);
                    }
                }
                if (target.hasRemaining()) {
                    throw new IllegalStateException(target.remaining() + " bytes are missing");
                }
            }

            @Override
            public void close() {
                client.close();
                http.close();
            }
        };
    }

    private static GetObjectRequest request(String key, long offset, int bytes) {
        return GetObjectRequest.builder()
                .bucket(Lake.BUCKET)
                .key(key)
                .range("bytes=%d-%d".formatted(offset, offset + bytes - 1))
                .build();
    }

    /** Writes a body to a buffer, and completes with the number of its bytes. */
    private record Into(ByteBuffer target, CompletableFuture<Integer> done)
            implements AsyncResponseTransformer<GetObjectResponse, Integer> {

        Into(ByteBuffer target) {
            this(target, new CompletableFuture<>());
        }

        @Override
        public CompletableFuture<Integer> prepare() {
            return done;
        }

        @Override
        public void onResponse(GetObjectResponse response) {}

        @Override
        public void onStream(SdkPublisher<ByteBuffer> body) {
            int before = target.position();
            var _ =
                    body.subscribe(target::put)
                            .whenComplete(
                                    (_, failure) -> {
                                        if (failure == null) {
                                            done.complete(target.position() - before);
                                        } else {
                                            done.completeExceptionally(failure);
                                        }
                                    });
        }

        @Override
        public void exceptionOccurred(Throwable failure) {
            done.completeExceptionally(failure);
        }
    }
}
