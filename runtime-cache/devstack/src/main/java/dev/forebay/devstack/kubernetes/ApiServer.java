package dev.forebay.devstack.kubernetes;

import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.OneProcessServer;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.ServerProcess;
import dev.forebay.devstack.tool.Toolbox;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The API server of Kubernetes, with its default admission plugins, which include pod security.
 * Ready in about 6 s. It keeps its whole state in etcd.
 */
public final class ApiServer extends OneProcessServer {
    private final URI address;

    private ApiServer(ServerProcess process, URI address) {
        super(process);
        this.address = address;
    }

    static ApiServer start(Path directory, EtcdServer etcd, Credentials credentials) {
        int port = Ports.free();
        URI address = URI.create("https://127.0.0.1:" + port);
        List<String> command = new ArrayList<>();
        command.add(Toolbox.ofThisMachine().kubernetes().resolve("kube-apiserver").toString());
        command.add("--etcd-servers=" + etcd.endpoint());
        command.add("--bind-address=127.0.0.1");
        command.add("--advertise-address=127.0.0.1");
        command.add("--secure-port=" + port);
        // A loopback address is not allowed as an endpoint of the Service "kubernetes".
        command.add("--endpoint-reconciler-type=none");
        command.add("--service-cluster-ip-range=10.96.0.0/16");
        command.add("--cert-dir=" + directory.resolve("certificates"));
        command.addAll(credentials.serverOptions());
        command.add("--token-auth-file=" + credentials.tokens());
        command.add("--authorization-mode=RBAC");
        command.add("--service-account-issuer=https://kubernetes.default.svc");
        command.add("--service-account-key-file=" + credentials.serviceAccountCertificate());
        command.add("--service-account-signing-key-file=" + credentials.serviceAccountKey());
        command.add("--allow-privileged=true");
        command.add("--profiling=false");
        Launch launch =
                Launch.of(
                        "kube-apiserver",
                        directory,
                        command,
                        Map.of(),
                        Readiness.ok(address.resolve("/readyz"), credentials.context()),
                        Launch.Lifetime.THIS_JVM);
        return new ApiServer(ServerProcess.start(launch), address);
    }

    /** Returns the address for clients, such as {@code https://127.0.0.1:21000}. */
    public URI address() {
        return address;
    }
}
