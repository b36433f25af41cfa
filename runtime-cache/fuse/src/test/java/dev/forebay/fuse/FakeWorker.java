package dev.forebay.fuse;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.image.ErofsImage;
import dev.forebay.image.ImageFile;
import dev.forebay.image.ImageName;
import dev.forebay.manifest.Segment;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.BlockChecksums;
import dev.forebay.transfer.WorkerProtocol;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A worker that holds test datasets in memory and speaks the worker protocol. */
public final class FakeWorker implements AutoCloseable {

    private static final int MANIFEST = 3;

    private final HttpServer server;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, TestDataset> byDigest = new ConcurrentHashMap<>();
    private final Set<String> changedKeys = ConcurrentHashMap.newKeySet();
    private volatile boolean down;

    public FakeWorker() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(executor);
        server.createContext("/v1/manifests/", this::manifest);
        server.createContext("/v1/packs/", this::pack);
        server.start();
    }

    public WorkerNode node() {
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        return new WorkerNode("fake", address, 1L << 30);
    }

    public void serve(TestDataset dataset) {
        byDigest.put(dataset.file().digest().hex(), dataset);
    }

    /** Makes this object differ from the manifest from now on. */
    public void change(String key) {
        changedKeys.add(key);
    }

    /** Sets whether the worker refuses every read. */
    public void down(boolean down) {
        this.down = down;
    }

    private void manifest(HttpExchange exchange) throws IOException {
        String[] path = exchange.getRequestURI().getPath().split("/", -1);
        TestDataset dataset = byDigest.get(path[MANIFEST]);
        if (dataset == null) {
            refuse(exchange, 404, "NOT_FOUND");
        } else if (path.length > MANIFEST + 1) {
            byte[] image = image(dataset);
            exchange.getResponseHeaders().add("Repr-Digest", digest(image));
            send(exchange, 200, image);
        } else {
            send(exchange, 200, Files.readAllBytes(dataset.file().path()));
        }
    }

    private static byte[] image(TestDataset dataset) throws IOException {
        Path file = Files.createTempFile("forebay", ".erofs");
        try {
            ImageName name =
                    new ImageName(dataset.mount().version(), dataset.mount().manifest().digest());
            ImageFile _ = ErofsImage.write(dataset.file().path(), name, file);
            return Files.readAllBytes(file);
        } finally {
            Files.delete(file);
        }
    }

    private static String digest(byte[] bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return "sha-256=:%s:".formatted(Base64.getEncoder().encodeToString(hash));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private void pack(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        PackId id = PackId.parse(path.substring(path.lastIndexOf('/') + 1));
        String query = exchange.getRequestURI().getQuery();
        TestDataset dataset =
                byDigest.get(query.substring(WorkerProtocol.MANIFEST_PARAMETER.length() + 1));
        byte[] pack = dataset == null ? null : dataset.packs().get(id);
        if (dataset == null || pack == null) {
            refuse(exchange, 404, "NOT_FOUND");
            return;
        }
        String range = exchange.getRequestHeaders().getFirst("Range");
        String[] ends = range.substring("bytes=".length()).split("-", 2);
        int from = Integer.parseInt(ends[0]);
        long chunkEnd = ChunkId.at(id, from).start() + ChunkId.CHUNK_BYTES;
        int to = (int) Math.min(Math.min(Long.parseLong(ends[1]) + 1, pack.length), chunkEnd);
        if (down) {
            refuse(exchange, 503, "UNAVAILABLE");
        } else if (touchesChanged(dataset, id, from, to)) {
            refuse(exchange, 502, "LAKE_OBJECT_CHANGED");
        } else {
            byte[] bytes = Arrays.copyOfRange(pack, from, to);
            exchange.getResponseHeaders()
                    .add("Content-Range", "bytes %d-%d/%d".formatted(from, to - 1, pack.length));
            exchange.getResponseHeaders()
                    .add(WorkerProtocol.CRC_HEADER, BlockChecksums.encode(ByteBuffer.wrap(bytes)));
            exchange.getResponseHeaders().add(WorkerProtocol.SOURCE_HEADER, "cache");
            send(exchange, 206, bytes);
        }
    }

    private boolean touchesChanged(TestDataset dataset, PackId id, long from, long to) {
        if (changedKeys.isEmpty()) {
            return false;
        }
        try (SqliteManifest manifest = SqliteManifest.open(dataset.file().path())) {
            List<Segment> touched = manifest.segments(id, from, to);
            return touched.stream().map(Segment::key).anyMatch(changedKeys::contains);
        }
    }

    private static void refuse(HttpExchange exchange, int status, String code) throws IOException {
        byte[] problem =
                "{\"code\":\"%s\",\"detail\":\"the fake worker was told to\"}"
                        .formatted(code)
                        .getBytes(StandardCharsets.UTF_8);
        send(exchange, status, problem);
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        try (exchange) {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}
