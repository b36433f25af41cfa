package dev.forebay.devstack.kubernetes;

import dev.forebay.devstack.server.Secrets;
import dev.forebay.devstack.tls.CertificateAuthority;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;

/** By what the servers of a cluster know one another: made up when it starts, valid for a day. */
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

    /** Who signed the servers' certificate. */
    Path authority() {
        return authority.certificate();
    }

    /** For connections of this process to the servers. */
    SSLContext context() {
        return authority.context();
    }

    /** The options by which a server is told what to show. */
    List<String> serverOptions() {
        return List.of(
                "--tls-cert-file=" + server.certificate(),
                "--tls-private-key-file=" + server.key());
    }

    /** The key that signs the tokens of service accounts. */
    Path serviceAccountKey() {
        return serviceAccounts.key();
    }

    /**
     * The public key of it, in a certificate: in PKCS #8 the API server reads none out of EC keys.
     */
    Path serviceAccountCertificate() {
        return serviceAccounts.certificate();
    }

    /** All accounts, as the API server reads them. */
    Path tokens() {
        return tokens;
    }

    /** A file with which an account reaches the API server. */
    Path kubeconfig(Account account, URI apiServer) {
        return Secrets.write(
                directory.resolve(account.name().replace(':', '-') + ".kubeconfig"),
                account.kubeconfig(apiServer, authority()));
    }
}
