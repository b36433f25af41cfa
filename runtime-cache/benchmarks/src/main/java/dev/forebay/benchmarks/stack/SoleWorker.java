package dev.forebay.benchmarks.stack;

import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.program.Program;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.OneProcessServer;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.devstack.server.ServerProcess;
import dev.forebay.devstack.tls.CertificateAuthority;
import dev.forebay.placement.WorkerNode;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** A single worker without the rest of a region. */
public final class SoleWorker extends OneProcessServer {
    public static final String REGION = "bench";
    private static final long CAPACITY_BYTES = 4L << 30;

    private final WorkerNode node;

    private SoleWorker(ServerProcess process, WorkerNode node) {
        super(process);
        this.node = node;
    }

    /** Returns the worker as its clients address it. */
    public WorkerNode node() {
        return node;
    }

    /**
     * Starts a worker and returns when it reports that it is ready.
     *
     * @param authority of its certificate; without one it speaks plain HTTP
     */
    public static SoleWorker start(
            String name,
            Path jar,
            Path data,
            EtcdServer etcd,
            S3Server lake,
            Optional<CertificateAuthority> authority) {
        URI address =
                URI.create(
                        (authority.isPresent() ? "https" : "http")
                                + "://127.0.0.1:"
                                + Ports.free());
        JavaCommand command =
                JavaCommand.of(Program.WORKER, jar)
                        .options("-Xmx384m")
                        .options("-Dquarkus.http.port=" + address.getPort())
                        .options("-Dforebay.region=" + REGION)
                        .options("-Dforebay.etcd.endpoints=" + etcd.endpoint())
                        .options("-Dforebay.lake.endpoint=" + lake.endpoint())
                        .options("-Dforebay.lake.path-style=true")
                        .options("-Dforebay.worker.directory=" + data.resolve(name, "store"))
                        .options("-Dforebay.worker.capacity=" + CAPACITY_BYTES)
                        // The scrubber's work would count as measured work.
                        .options("-Dforebay.worker.scrub.bytes-per-second=0");
        authority
                .map(each -> each.issue(name, CertificateAuthority.LOOPBACK))
                .ifPresent(
                        issued -> {
                            command.options(
                                    "-Dforebay.worker.tls.certificate=" + issued.certificate());
                            command.options("-Dforebay.worker.tls.key=" + issued.key());
                        });
        URI health = address.resolve("/q/health/ready");
        Optional<SSLContext> context = authority.map(CertificateAuthority::context);
        Launch launch =
                Launch.of(
                        name,
                        data.resolve(name),
                        command.build(),
                        Map.of(
                                "AWS_ACCESS_KEY_ID", lake.accessKey(),
                                "AWS_SECRET_ACCESS_KEY", lake.secretKey()),
                        context.map(trusting -> Readiness.ok(health, trusting))
                                .orElseGet(() -> Readiness.ok(health)),
                        Launch.Lifetime.THIS_JVM);
        return new SoleWorker(
                ServerProcess.start(launch), new WorkerNode(name, address, CAPACITY_BYTES));
    }
}
