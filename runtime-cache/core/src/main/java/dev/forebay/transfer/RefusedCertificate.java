package dev.forebay.transfer;

import java.net.URI;
import java.security.cert.CertificateException;

/** Says what a worker's certificate must be like, if that is what a request failed for. */
final class RefusedCertificate {

    private RefusedCertificate() {}

    /** Why a request failed, for people. */
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
        }
        return failure.toString();
    }
}
