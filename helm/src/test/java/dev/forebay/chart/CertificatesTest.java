package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Checks the certificates that cert-manager makes, by the fields of its API {@code v1}. */
class CertificatesTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String NAMED =
            """
            serviceAuthority: {secret: agent-tls}
            controlPlane: {tlsSecret: control-plane-tls}
            region: {agent: {tlsSecret: agent-tls}, workers: {tlsSecret: worker-tls}}
            """;

    private static final String ON =
            "{certManager: {enabled: true, controlPlaneNames: [forebay.example.com]}}";

    private static Map<String, JsonNode> specs(Release release, String kind) {
        Map<String, JsonNode> specs = new TreeMap<>();
        release.all(GenericKubernetesResource.class)
                .filter(it -> it.getKind().equals(kind))
                .forEach(it -> specs.put(it.getMetadata().getName(), spec(it)));
        return specs;
    }

    private static JsonNode spec(GenericKubernetesResource resource) {
        assertThat(resource.getApiVersion()).isEqualTo("cert-manager.io/v1");
        assertThat(resource.getMetadata().getNamespace()).isEqualTo(Chart.NAMESPACE);
        return JSON.valueToTree(resource.getAdditionalProperties().get("spec"));
    }

    private static JsonNode spec(Map<String, JsonNode> specs, String name) {
        return Objects.requireNonNull(specs.get(name));
    }

    @Test
    void theChartHasNoCertificatesUnlessEnabled() {
        Release release = Chart.render(Chart.CONTROL_PLANE, Chart.REGION, NAMED);

        assertThat(specs(release, "Certificate")).isEmpty();
        assertThat(specs(release, "Issuer")).isEmpty();
    }

    @Test
    void eachServerHasACertificateForItsNames() throws Exception {
        Release release = Chart.render(Chart.CONTROL_PLANE, Chart.REGION, NAMED, ON);
        Map<String, JsonNode> certificates = specs(release, "Certificate");

        assertThat(certificates)
                .containsOnlyKeys(
                        "r-forebay-agent",
                        "r-forebay-authority",
                        "r-forebay-control-plane",
                        "r-forebay-worker");
        assertThat(spec(certificates, "r-forebay-control-plane"))
                .isEqualTo(
                        JSON.readTree(
                                """
                                {
                                  "secretName": "control-plane-tls",
                                  "dnsNames": ["r-forebay-control-plane.ml.svc", "forebay.example.com"],
                                  "duration": "2160h",
                                  "renewBefore": "720h",
                                  "privateKey": {
                                    "algorithm": "ECDSA", "size": 256, "encoding": "PKCS8", "rotationPolicy": "Always"
                                  },
                                  "usages": ["digital signature", "server auth"],
                                  "issuerRef": {
                                    "group": "cert-manager.io", "kind": "Issuer", "name": "r-forebay-authority"
                                  }
                                }
                                """));
        assertThat(names(certificates, "r-forebay-agent"))
                .isEqualTo("agent-tls [\"r-forebay-agent.ml.svc\"]");
        assertThat(names(certificates, "r-forebay-worker"))
                .isEqualTo("worker-tls [\"*.r-forebay-worker.ml.svc\"]");
    }

    private static String names(Map<String, JsonNode> certificates, String name) {
        JsonNode spec = spec(certificates, name);
        return spec.get("secretName").asText() + " " + spec.get("dnsNames");
    }

    @Test
    void theReleaseHasAnAuthorityThatKeepsItsKey() {
        Release release = Chart.render(Chart.CONTROL_PLANE, Chart.REGION, NAMED, ON);
        Map<String, JsonNode> issuers = specs(release, "Issuer");
        JsonNode authority = spec(specs(release, "Certificate"), "r-forebay-authority");

        assertThat(issuers).containsOnlyKeys("r-forebay-authority", "r-forebay-self-signed");
        assertThat(spec(issuers, "r-forebay-self-signed").get("selfSigned")).isEmpty();
        assertThat(spec(issuers, "r-forebay-authority").at("/ca/secretName"))
                .isEqualTo(authority.get("secretName"));
        assertThat(authority.get("isCA").asBoolean()).isTrue();
        assertThat(authority.at("/privateKey/rotationPolicy").asText()).isEqualTo("Never");
        assertThat(authority.at("/issuerRef/name").asText()).isEqualTo("r-forebay-self-signed");
    }

    @Test
    void anIssuerOfYourOwnReplacesTheAuthority() {
        Release release =
                Chart.render(
                        Chart.REGION,
                        NAMED,
                        ON,
                        "{certManager: {issuer: {name: corporate, kind: ClusterIssuer}}}");
        Map<String, JsonNode> certificates = specs(release, "Certificate");

        assertThat(specs(release, "Issuer")).isEmpty();
        assertThat(certificates).containsOnlyKeys("r-forebay-agent", "r-forebay-worker");
        assertThat(certificates.values())
                .allSatisfy(
                        spec -> {
                            assertThat(spec.at("/issuerRef/name").asText()).isEqualTo("corporate");
                            assertThat(spec.at("/issuerRef/kind").asText())
                                    .isEqualTo("ClusterIssuer");
                        });
    }
}
