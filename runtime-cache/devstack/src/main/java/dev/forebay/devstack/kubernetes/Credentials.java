package dev.forebay.devstack.kubernetes;

import dev.forebay.devstack.server.Secrets;
import dev.forebay.devstack.tls.CertificateAuthority;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;

/**
 * The certificates and tokens of a cluster's servers. They are created at its start and valid for a
 * day.
 */
final class Credentials {
    private final Path directory;
    private final CertificateAuthority authority;
    private final CertificateAuthority.Issued server;
    private final CertificateAuthority.Issued serviceAccounts;
    private final Account admin = Account.unrestricted("admin");
    private final Account kwok = Account.unrestricted("kwok");
    private final Account controllers = Account.builtIn("system:kube-controller-manager");
    private final Account scheduler = Account.builtIn("system:kube-scheduler");
    private final Path tokens;

    Credentials(Path directory) {
        this.directory = directory;
        this.authority = CertificateAuthority.in(directory);
        this.server = authority.issue("server", CertificateAuthority.LOOPBACK);
        this.serviceAccounts = authority.issue("service-accounts", CertificateAuthority.LOOPBACK);
        this.tokens =
                Secrets.write(
                        directory.resolve("tokens.csv"),
                        List.of(admin, kwok, controllers, scheduler).stream()
                                .map(Account::line)
                                .collect(Collectors.joining()));
    }

    Account admin() {
        return admin;
    }

    Account kwok() {
        return kwok;
    }

    Account controllers() {
        return controllers;
    }

    Account scheduler() {
        return scheduler;
    }

    /** Returns the certificate of the authority that signed the servers' certificate. */
    Path authority() {
        return authority.certificate();
    }

    /** Returns the context for connections of this process to the servers. */
    SSLContext context() {
        return authority.context();
    }

    /** Returns a server's options for its certificate and key. */
    List<String> serverOptions() {
        return List.of(
                "--tls-cert-file=" + server.certificate(),
                "--tls-private-key-file=" + server.key());
    }

    /** Returns the key that signs the tokens of service accounts. */
    Path serviceAccountKey() {
        return serviceAccounts.key();
    }

    /**
     * Returns the certificate with the public key of {@link #serviceAccountKey}. The API server
     * cannot derive a public key from an EC key in PKCS #8.
     */
    Path serviceAccountCertificate() {
        return serviceAccounts.certificate();
    }

    /** Returns the token file of the API server, with all accounts. */
    Path tokens() {
        return tokens;
    }

    /** Writes the kubeconfig of an account. */
    Path kubeconfig(Account account, URI apiServer) {
        return Secrets.write(
                directory.resolve(account.name().replace(':', '-') + ".kubeconfig"),
                account.kubeconfig(apiServer, authority()));
    }
}
