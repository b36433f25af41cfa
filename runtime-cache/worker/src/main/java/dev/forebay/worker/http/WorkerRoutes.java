package dev.forebay.worker.http;

import dev.forebay.image.ImageStore;
import dev.forebay.transfer.BearerToken;
import dev.forebay.transfer.WorkerProtocol;
import dev.forebay.transfer.WorkerStatus;
import dev.forebay.worker.accounts.VersionAccounts;
import dev.forebay.worker.fill.ChunkAccess;
import dev.forebay.worker.handover.Drain;
import dev.forebay.worker.retention.ChunkDropper;
import dev.forebay.worker.retention.LastReads;
import dev.forebay.worker.retention.MountedVersions;
import dev.forebay.worker.retention.StoreUsage;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;

/** Registers the worker protocol on a router. {@code docs/interfaces.md} describes the protocol. */
public final class WorkerRoutes {

    private final Dispatcher dispatcher;
    private final PackRoutes packs;
    private final ManifestRoutes manifests;
    private final AccountRoutes accounts;
    private final ImageRoutes images;
    private final UsageRoutes usage;
    private final Supplier<WorkerStatus> status;
    private final Supplier<Drain> drain;
    private final RequestQueue reads;
    private final RequestQueue fills;
    private final RequestQueue files;
    private final RequestQueue figures;
    private final RequestQueue liveness;

    /**
     * The bounds of concurrent requests.
     *
     * @param reads reads of present bytes, and accounts. The same number again applies to each of:
     *     reads that fetch, manifests and images, coverage and usage.
     * @param fills prewarming fills, verifications and drops. The same number again applies to
     *     status and drain.
     * @param queue how many more requests of each kind may wait
     */
    public record Limits(int reads, int fills, int queue, Duration retryAfter) {

        /**
         * Creates a lane for each kind of work: requests that wait for the lake must not delay
         * reads of present bytes.
         */
        private RequestQueue lane(String name, int concurrency) {
            return new RequestQueue(name, concurrency, queue, retryAfter);
        }
    }

    public WorkerRoutes(
            MountedVersions versions,
            ChunkAccess chunks,
            ChunkDropper dropper,
            ImageStore images,
            VersionAccounts accounts,
            LastReads lastReads,
            StoreUsage usage,
            Supplier<WorkerStatus> status,
            Supplier<Drain> drain,
            Limits limits,
            Optional<BearerToken> token,
            RequestObserver observer) {
        this.dispatcher = new Dispatcher(token, observer);
        this.packs =
                new PackRoutes(
                        versions,
                        chunks,
                        limits.lane("miss", limits.reads()),
                        lastReads,
                        observer,
                        accounts::served);
        this.manifests = new ManifestRoutes(versions, chunks, dropper, accounts);
        this.accounts = new AccountRoutes(accounts);
        this.images = new ImageRoutes(versions, images);
        this.usage = new UsageRoutes(usage);
        this.status = status;
        this.drain = drain;
        this.reads = limits.lane("read", limits.reads());
        this.fills = limits.lane("fill", limits.fills());
        this.files = limits.lane("file", limits.reads());
        this.figures = limits.lane("figures", limits.reads());
        this.liveness = limits.lane("status", limits.fills());
    }

    /** Adds the routes below {@code /v1}. */
    public void register(Router router) {
        add(router, HttpMethod.GET, WorkerProtocol.PACK_PATH, Operation.READ, packs::read);
        add(router, HttpMethod.PUT, WorkerProtocol.CHUNK_PATH, Operation.FILL, packs::fill);
        add(router, HttpMethod.POST, WorkerProtocol.VERIFY_PATH, Operation.VERIFY, packs::verify);
        add(
                router,
                HttpMethod.GET,
                WorkerProtocol.MANIFEST_PATH,
                Operation.MANIFEST,
                manifests::file);
        add(router, HttpMethod.GET, WorkerProtocol.IMAGE_PATH, Operation.IMAGE, images::file);
        add(
                router,
                HttpMethod.GET,
                WorkerProtocol.COVERAGE_PATH,
                Operation.COVERAGE,
                manifests::coverage);
        add(
                router,
                HttpMethod.DELETE,
                WorkerProtocol.MANIFEST_CHUNKS_PATH,
                Operation.DROP,
                manifests::drop);
        add(
                router,
                HttpMethod.GET,
                WorkerProtocol.ACCOUNTS_PATH,
                Operation.ACCOUNTS,
                accounts::page);
        add(
                router,
                HttpMethod.DELETE,
                WorkerProtocol.ACCOUNT_PATH,
                Operation.ACCOUNTS,
                accounts::settle);
        add(
                router,
                HttpMethod.GET,
                WorkerProtocol.STATUS_PATH,
                Operation.STATUS,
                context -> this::status);
        add(router, HttpMethod.GET, WorkerProtocol.USAGE_PATH, Operation.USAGE, usage::usage);
        add(
                router,
                HttpMethod.POST,
                WorkerProtocol.DRAIN_PATH,
                Operation.DRAIN,
                context -> () -> progress(drain.get().start()));
        router.route("/v1/*")
                .handler(
                        context ->
                                dispatcher.refuse(
                                        context, Refusal.noSuchPath(context.request().path())));
    }

    /**
     * Returns the lane of an operation. An image may hold its place for minutes, so quick requests
     * must not share its lane.
     */
    private RequestQueue lane(Operation operation) {
        return switch (operation) {
            case READ, ACCOUNTS -> reads;
            case FILL, VERIFY, DROP -> fills;
            case MANIFEST, IMAGE -> files;
            case COVERAGE, USAGE -> figures;
            case STATUS, DRAIN -> liveness;
        };
    }

    private void add(
            Router router,
            HttpMethod method,
            String path,
            Operation operation,
            Function<RoutingContext, Callable<WorkerResponse>> handler) {
        RequestQueue lane = lane(operation);
        String pattern = path.replaceAll("\\{(\\w)}", ":$1");
        router.route(method, pattern)
                .handler(context -> dispatcher.dispatch(context, operation, lane, handler));
        router.route(pattern)
                .handler(
                        context ->
                                dispatcher.refuse(
                                        context,
                                        Refusal.noSuchMethod(
                                                context.request().method().name(),
                                                context.request().path())));
    }

    private static WorkerResponse progress(Drain.Progress progress) {
        return new WorkerResponse.Json(
                new JsonObject()
                        .put("state", progress.state().name())
                        .put("chunksHandedOver", progress.handedOver())
                        .put("bytesHandedOver", progress.bytes())
                        .put("chunksLeft", progress.left()));
    }

    private WorkerResponse status() {
        WorkerStatus now = status.get();
        return new WorkerResponse.Json(
                new JsonObject()
                        .put("id", now.id())
                        .put("region", now.region())
                        .put("capacityBytes", now.capacityBytes())
                        .put("usedBytes", now.usedBytes())
                        .put("chunks", now.chunks()));
    }
}
