package dev.forebay.agent.admission;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A request to the webhook. */
final class ReviewCall {

    private ReviewCall() {}

    /** Sends a review as the API server does, trusting these certificates only. */
    static HttpResponse<String> ask(AdmissionServer server, String trusted)
            throws IOException, InterruptedException, GeneralSecurityException {
        try (HttpClient client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .sslContext(trusting(trusted))
                        .build()) {
            return client.send(
                    HttpRequest.newBuilder(
                                    URI.create(
                                            "https://%s:%d%s"
                                                    .formatted(
                                                            "127.0.0.1",
                                                            server.port().orElseThrow(),
                                                            AdmissionServer.PATH)))
                            .header("Content-Type", "application/json")
                            .POST(BodyPublishers.ofString(review()))
                            .build(),
                    BodyHandlers.ofString());
        }
    }

    /** Returns the body of a review. */
    static String review() {
        return "{\"request\": {\"uid\": \"1\", \"object\": %s}}".formatted(TrainingPod.plain());
    }

    static SSLContext trusting(String pem) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (Certificate certificate :
                CertificateFactory.getInstance("X.509")
                        .generateCertificates(
                                new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8)))) {
            store.setCertificateEntry("c" + store.size(), certificate);
        }
        TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }
}
