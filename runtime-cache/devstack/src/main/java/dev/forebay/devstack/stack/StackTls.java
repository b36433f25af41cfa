package dev.forebay.devstack.stack;

import dev.forebay.devstack.tls.CertificateAuthority;
import java.util.Map;

/** The certificate authority of a stack, and the one certificate of all its workers. */
record StackTls(CertificateAuthority authority, CertificateAuthority.Issued issued) {

    static StackTls in(Layout layout) {
        CertificateAuthority authority = CertificateAuthority.in(layout.tls());
        return new StackTls(authority, authority.issue("worker", CertificateAuthority.LOOPBACK));
    }

    void putWorker(Map<String, String> settings) {
        settings.put("forebay.worker.tls.certificate", issued.certificate().toString());
        settings.put("forebay.worker.tls.key", issued.key().toString());
    }

    void putClient(Map<String, String> settings) {
        settings.put("forebay.worker-ca", authority.certificate().toString());
    }
}
