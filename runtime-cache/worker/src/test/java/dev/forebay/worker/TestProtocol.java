package dev.forebay.worker;

import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.tls.CertificateAuthority;
import dev.forebay.transfer.WorkerAuthorities;
import dev.forebay.transfer.WorkerClientConfig;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The protocols that a worker under test can use. The test clients support both. */
enum TestProtocol {
    PLAIN("http"),
    TLS("https");

    private static final CertificateAuthority AUTHORITY =
            CertificateAuthority.in(directory("authority"));
    private static final CertificateAuthority.Issued ISSUED =
            AUTHORITY.issue("worker", CertificateAuthority.LOOPBACK);

    private final String scheme;

    TestProtocol(String scheme) {
        this.scheme = scheme;
    }

    String scheme() {
        return scheme;
    }

    /** Returns a directory of this test JVM. Concurrent test JVMs have other directories. */
    static Path directory(String name) {
        String process = System.getProperty("forebay.test.fork", "1");
        return Path.of("target", "%s-%s".formatted(name, process)).toAbsolutePath();
    }

    /** Returns the settings for a worker with this protocol, which trusts workers with either. */
    List<String> properties() {
        return switch (this) {
            case PLAIN -> List.of(trusting());
            case TLS -> List.of(trusting(), certificate(ISSUED), key(ISSUED));
        };
    }

    Readiness ready(URI address) {
        return Readiness.ok(address.resolve("/q/health/ready"), AUTHORITY.context());
    }

    static CertificateAuthority authority() {
        return AUTHORITY;
    }

    static String certificate(CertificateAuthority.Issued issued) {
        return "forebay.worker.tls.certificate=" + issued.certificate();
    }

    static String key(CertificateAuthority.Issued issued) {
        return "forebay.worker.tls.key=" + issued.key();
    }

    private static String trusting() {
        return "forebay.worker-ca=" + AUTHORITY.certificate();
    }

    static WorkerClientConfig trust(WorkerClientConfig config) {
        return config.withAuthorities(
                Optional.of(WorkerAuthorities.read("test", AUTHORITY.certificate())));
    }

    static HttpClient.Builder trust(HttpClient.Builder builder) {
        return builder.sslContext(AUTHORITY.context());
    }

    /** Returns a socket that is not connected. */
    static Socket socket(URI worker) throws IOException {
        return worker.getScheme().equals(TLS.scheme)
                ? AUTHORITY.context().getSocketFactory().createSocket()
                : new Socket();
    }
}
