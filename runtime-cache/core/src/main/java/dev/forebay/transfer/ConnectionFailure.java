package dev.forebay.transfer;

import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;

/** Explains why a worker could not be reached, and what a person should check. */
final class ConnectionFailure {

    private ConnectionFailure() {}

    /** Returns an explanation of a failed request, for people. */
    static String explain(Throwable failure, URI address) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof CertificateException refusal) {
                return """
                the certificate of %s was refused (%s): it must be in force, be for %s, and be \
                signed by an authority of forebay.worker-ca (in a pod --worker-ca; of an agent \
                forebay.service-ca)\
                """
                        .formatted(address.resolve("/"), refusal.getMessage(), address.getHost());
            }
            if (each instanceof UnknownHostException
                    || each instanceof UnresolvedAddressException) {
                return "cannot resolve the host name %s: check the name servers of this machine"
                        .formatted(address.getHost());
            }
        }
        return failure.toString();
    }
}
