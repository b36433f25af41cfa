package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks that the chart sets the settings of docs/configuration.md, and that each value reaches its
 * setting.
 */
class SettingsTest {

    /**
     * Variables that Forebay does not read: other variables refer to them, or the JVM or Quarkus
     * reads them.
     */
    private static final Set<String> NOT_SETTINGS =
            Set.of(
                    "JAVA_TOOL_OPTIONS",
                    "JDK_JAVA_OPTIONS",
                    "QUARKUS_CONFIG_LOCATIONS",
                    "POD_IP",
                    "POD_NAME");

    private static final String ORDINAL = "config_ordinal";

    static final List<List<String>> RELEASES = RolesTest.RELEASES;

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A release with all optional features. */
    private static final List<String> EVERYTHING =
            List.of(
                    Chart.CONTROL_PLANE,
                    Chart.REGION,
                    """
                    temporal: {ui: "http://ui", tls: {enabled: true, secret: client, authoritySecret: ca, serverName: a}}
                    lake: {endpoint: "http://s3", stsEndpoint: "http://sts"}
                    serviceAuthority: {secret: ca}
                    controlPlane: {tlsSecret: t, datasets: {enabled: true}, regions: {seoul: {agent: "http://a:1", gpus: 8}}}
                    region:
                      gpus: 8
                      agent: {tlsSecret: t}
                      etcd: {endpoints: ["https://e:2379"], tls: {secret: client, authoritySecret: ca}}
                      webhook: {enabled: true}
                      kueue: {enabled: true}
                      nodeLabels: {enabled: true}
                      csi: {enabled: true}
                      workers: {tlsSecret: t}
                      # A name with a / is none of a free setting, by the schema.
                      node: {nodeSelector: {gpu: "true"}}
                    """);

    private static Set<String> documented(DocumentedSettings documents, String component) {
        return switch (component) {
            case "worker" -> documents.of("All Quarkus processes", "Worker");
            case "agent" ->
                    documents.of("All Quarkus processes", "Agent and control plane", "Agent");
            case "control-plane" ->
                    documents.of(
                            "All Quarkus processes", "Agent and control plane", "Control plane");
            case "fuse" -> documents.ofPods();
            case "holder" -> documents.ofHolders();
            case "csi" -> documents.ofDrivers();
            case "clean-up" -> Set.of();
            default -> throw new IllegalArgumentException(component);
        };
    }

    @ParameterizedTest
    @FieldSource("RELEASES")
    void everySettingInTheChartIsDocumentedForItsProcess(List<String> values) throws IOException {
        DocumentedSettings documents = DocumentedSettings.read();
        Release release = Chart.render(values.toArray(String[]::new));

        release.pods()
                .forEach(
                        (component, pod) -> {
                            if (component.equals("etcd")) {
                                return;
                            }
                            Set<String> known = documented(documents, component);
                            if (!Set.of("clean-up", "csi", "fuse", "holder").contains(component)) {
                                assertThat(release.settings(component).keySet())
                                        .filteredOn(name -> !name.equals(ORDINAL))
                                        .map(name -> name.replaceAll("\"[^\"]*\"", "<name>"))
                                        .isNotEmpty()
                                        .isSubsetOf(known);
                            }
                            for (Container container : pod.getSpec().getContainers()) {
                                assertThat(container.getEnv())
                                        .extracting(EnvVar::getName)
                                        .filteredOn(name -> !NOT_SETTINGS.contains(name))
                                        .allSatisfy(
                                                name ->
                                                        assertThat(known)
                                                                .as(name)
                                                                .anyMatch(variable(name)));
                            }
                        });
    }

    private static Predicate<String> variable(String name) {
        return setting ->
                setting.equals(name)
                        || setting.toUpperCase(Locale.ROOT)
                                .replaceAll("[^A-Z0-9]", "_")
                                .equals(name);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {temporal: {target: "t:1"}}                      | control-plane,agent        | forebay.temporal.target    | t:1
                    {temporal: {namespace: ns}}                      | control-plane,agent        | forebay.temporal.namespace | ns
                    {temporal: {ui: "http://ui"}}                    | control-plane,agent        | forebay.temporal.ui        | http://ui
                    {temporal: {tls: {enabled: true}}}               | control-plane,agent        | forebay.temporal.tls.enabled | true
                    {temporal: {tls: {enabled: true, secret: t}}}    | control-plane,agent        | forebay.temporal.tls.certificate | /etc/forebay/temporal-tls/tls.crt
                    {temporal: {tls: {enabled: true, secret: t}}}    | control-plane,agent        | forebay.temporal.tls.key   | /etc/forebay/temporal-tls/tls.key
                    {temporal: {tls: {enabled: true, authoritySecret: t}}} | control-plane,agent  | forebay.temporal.tls.ca    | /etc/forebay/temporal-ca/ca.crt
                    {temporal: {tls: {enabled: true, serverName: t}}} | control-plane,agent       | forebay.temporal.tls.server-name | t
                    {serviceAuthority: {secret: t}}                  | control-plane,agent,worker | forebay.service-ca         | /etc/forebay/service-ca/ca.crt
                    {controlPlane: {tlsSecret: t}}                   | control-plane              | forebay.tls.certificate    | /etc/forebay/tls/tls.crt
                    {controlPlane: {tlsSecret: t}}                   | control-plane              | forebay.tls.key            | /etc/forebay/tls/tls.key
                    {serviceAuthority: {secret: c}, controlPlane: {tlsSecret: t, datasets: {enabled: true}}} | control-plane | forebay.datasets.api       | https://r-forebay-control-plane.ml.svc:8080
                    {serviceAuthority: {secret: c}, controlPlane: {tlsSecret: t}, region: {webhook: {enabled: true}}} | agent | forebay.gate.api           | https://r-forebay-control-plane.ml.svc:8080
                    {serviceAuthority: {secret: c}, region: {agent: {tlsSecret: t}}} | agent      | forebay.tls.certificate    | /etc/forebay/tls/tls.crt
                    {serviceAuthority: {secret: c}, region: {agent: {tlsSecret: t}}} | agent      | forebay.tls.key            | /etc/forebay/tls/tls.key
                    {serviceAuthority: {secret: c}, region: {agent: {tlsSecret: t}}} | control-plane | forebay.regions."us-east-1".agent | https://r-forebay-agent.ml.svc:8080
                    {lake: {stsEndpoint: "http://sts"}}              | control-plane,agent,worker | forebay.lake.sts-endpoint  | http://sts
                    {lake: {endpoint: "http://s3"}}                  | control-plane,agent,worker | forebay.lake.endpoint      | http://s3
                    {lake: {region: eu-west-1}}                      | control-plane,agent,worker | forebay.lake.region        | eu-west-1
                    {lake: {pathStyle: false}}                       | control-plane,agent,worker | forebay.lake.path-style    | false
                    {controlPlane: {manifestBucket: other}}          | control-plane              | forebay.manifest-bucket    | other
                    {controlPlane: {manifestCache: 3G}}              | control-plane              | forebay.manifest-cache     | 3G
                    {controlPlane: {database: {url: "jdbc:postgresql://a/b"}}} | control-plane    | quarkus.datasource.jdbc.url | jdbc:postgresql://a/b
                    {controlPlane: {regions: {seoul: {agent: "http://a:1"}}}} | control-plane     | forebay.regions."seoul".agent | http://a:1
                    {controlPlane: {regions: {seoul: {agent: "http://a:1", onPremises: true}}}} | control-plane | forebay.regions."seoul".on-premises | true
                    {controlPlane: {regions: {seoul: {agent: "http://a:1", gpus: 64}}}} | control-plane | forebay.regions."seoul".gpus | 64
                    {controlPlane: {datasets: {enabled: true}}}      | control-plane              | forebay.datasets.api       | http://r-forebay-control-plane.ml.svc:8080
                    {controlPlane: {datasets: {enabled: true, api: "http://a:1"}}} | control-plane | forebay.datasets.api      | http://a:1
                    {region: {gpus: 8}}                              | control-plane              | forebay.regions."us-east-1".gpus | 8
                    {region: {name: seoul}}                          | agent,worker               | forebay.region             | seoul
                    {region: {mountRoot: /data/sets}}                | agent                      | forebay.mount-root         | /data/sets
                    {region: {name: us}}                             | agent                      | forebay.jobs.watch         | true
                    {region: {agent: {manifestCache: 3G}}}           | agent                      | forebay.manifest-cache     | 3G
                    {region: {webhook: {enabled: true}}}             | agent                      | forebay.admission.enabled  | true
                    {region: {webhook: {enabled: true}}}             | agent                      | forebay.gate.api           | http://r-forebay-control-plane.ml.svc:8080
                    {region: {webhook: {enabled: true, api: "http://a:1"}}} | agent               | forebay.gate.api           | http://a:1
                    {region: {webhook: {enabled: true}, node: {nodeSelector: {nvidia.com/gpu.present: "true"}}}} | agent | forebay.admission.nodes."nvidia.com/gpu.present" | true
                    {region: {webhook: {enabled: true}, node: {nodeSelector: {gpu: ""}}}} | agent | forebay.admission.nodes."gpu" | ''
                    {region: {webhook: {enabled: true}}}             | agent                      | forebay.admission.port     | 8443
                    {region: {nodeLabels: {enabled: true}}}          | agent                      | forebay.node-labels.enabled | true
                    {region: {etcd: {endpoints: ["http://a:1", "http://b:1"]}}} | agent,worker    | forebay.etcd.endpoints     | http://a:1,http://b:1
                    {region: {etcd: {endpoints: ["https://e:1"], tls: {secret: t}}}} | agent,worker | forebay.etcd.tls.certificate | /etc/forebay/etcd-tls/tls.crt
                    {region: {etcd: {endpoints: ["https://e:1"], tls: {secret: t}}}} | agent,worker | forebay.etcd.tls.key     | /etc/forebay/etcd-tls/tls.key
                    {region: {etcd: {endpoints: ["https://e:1"], tls: {authoritySecret: t}}}} | agent,worker | forebay.etcd.tls.ca | /etc/forebay/etcd-ca/ca.crt
                    {region: {workers: {capacity: 500G}}}            | worker                     | forebay.worker.capacity    | 500G
                    {region: {workers: {drainSeconds: 900}}}         | worker                     | forebay.worker.drain.on-stop | 900s
                    {region: {workers: {storage: {claims: 2}}}}      | worker                     | forebay.worker.directory   | /disks/0/store,/disks/1/store
                    {region: {workers: {tlsSecret: t}}}              | worker                     | forebay.worker.tls.certificate | /etc/forebay/tls/tls.crt
                    {region: {workers: {tlsSecret: t}}}              | worker                     | forebay.worker.tls.key     | /etc/forebay/tls/tls.key
                    {region: {workers: {tlsSecret: t}}}              | worker                     | forebay.worker-ca          | /etc/forebay/tls/ca.crt
                    {region: {workers: {tlsSecret: t}}}              | agent                      | forebay.worker-ca          | /etc/forebay/worker-ca/ca.crt
                    {controlPlane: {settings: {forebay.default-ttl: 3D}}} | control-plane         | forebay.default-ttl        | 3D
                    {region: {agent: {settings: {forebay.worker-grace: 90S}}}} | agent            | forebay.worker-grace       | 90S
                    {region: {workers: {settings: {forebay.worker.files: 6000000}}}} | worker     | forebay.worker.files       | 6000000
                    """)
    void aValueReachesItsSetting(
            String values, String components, String setting, String expected) {
        Release release = Chart.render(Chart.CONTROL_PLANE, Chart.REGION, values);

        for (String component : components.split(",", -1)) {
            assertThat(release.settings(component)).containsEntry(setting, expected);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {region: {csi: {enabled: true}, mountRoot: /data/sets}} | csi | FOREBAY_FUSE_MOUNTPOINT | /data/sets
                    {region: {csi: {enabled: true, kubeletDirectory: /k}}} | csi | FOREBAY_CSI_KUBELET_DIRECTORY | /k
                    {region: {csi: {enabled: true, kubeletDirectory: /k}}} | csi | FOREBAY_CSI_SOCKET | /k/plugins/csi.forebay.dev/csi.sock
                    {region: {csi: {enabled: true, settings: {FOREBAY_CSI_TIMEOUT: 30}}}} | csi | FOREBAY_CSI_TIMEOUT | 30
                    {region: {name: seoul}}                    | fuse   | FOREBAY_REGION               | seoul
                    {region: {mountRoot: /data/sets}}          | holder | FOREBAY_FUSE_MOUNTPOINT      | /data/sets
                    {region: {fuse: {cacheDirectory: /nvme/f}}} | fuse  | FOREBAY_FUSE_CACHE_DIRECTORY | /nvme/f
                    {region: {fuse: {packCache: 2T}}}          | fuse   | FOREBAY_FUSE_PACK_CACHE      | 2T
                    {region: {fuse: {imageCache: 8G}}}         | fuse   | FOREBAY_FUSE_IMAGE_CACHE     | 8G
                    {region: {fuse: {memoryCache: 128M}}}      | fuse   | FOREBAY_FUSE_MEMORY_CACHE    | 128M
                    {region: {fuse: {manifestCache: 2G}}}      | fuse   | FOREBAY_FUSE_MANIFEST_CACHE  | 2G
                    {region: {etcd: {endpoints: ["https://e:1"]}}} | fuse | FOREBAY_ETCD_ENDPOINTS     | https://e:1
                    {region: {etcd: {endpoints: ["https://e:1"], tls: {secret: t}}}} | fuse | FOREBAY_ETCD_TLS_CERTIFICATE | /etc/forebay/etcd-tls/tls.crt
                    {region: {etcd: {endpoints: ["https://e:1"], tls: {secret: t}}}} | fuse | FOREBAY_ETCD_TLS_KEY | /etc/forebay/etcd-tls/tls.key
                    {region: {etcd: {endpoints: ["https://e:1"], tls: {authoritySecret: t}}}} | fuse | FOREBAY_ETCD_TLS_CA | /etc/forebay/etcd-ca/ca.crt
                    {region: {workers: {tlsSecret: t}}}        | fuse   | FOREBAY_WORKER_CA            | /etc/forebay/worker-ca/ca.crt
                    {region: {workers: {tlsSecret: t}}}        | worker | FOREBAY_WORKER_ADVERTISED_ADDRESS | https://$(POD_NAME).r-forebay-worker.ml.svc:7400
                    {region: {holder: {directory: /run/x}}}    | holder | FOREBAY_FUSE_HOLDER          | /run/x/ml-r-forebay
                    {region: {holder: {directory: /run/x}}}    | fuse   | FOREBAY_FUSE_HOLDER          | /run/x/ml-r-forebay
                    {region: {fuse: {settings: {FOREBAY_FUSE_STRICT: true}}}} | fuse | FOREBAY_FUSE_STRICT | true
                    {region: {holder: {settings: {FOREBAY_FUSE_REPLACE_AFTER: 30}}}} | holder | FOREBAY_FUSE_REPLACE_AFTER | 30
                    {region: {workers: {jvmOptions: [-Xmx2g, -Xms2g]}}} | worker | JAVA_TOOL_OPTIONS  | -Xmx2g -Xms2g
                    """)
    void aValueReachesItsVariable(
            String values, String component, String variable, String expected) {
        Release release = Chart.render(Chart.CONTROL_PLANE, Chart.REGION, values);

        assertThat(release.environment(component)).containsEntry(variable, expected);
    }

    /** The path of the values that contain the free settings of a component. */
    private static final Map<String, String> FREE =
            Map.of(
                    "control-plane", "controlPlane",
                    "agent", "region.agent",
                    "worker", "region.workers",
                    "fuse", "region.fuse",
                    "holder", "region.holder",
                    "csi", "region.csi");

    private static final Pattern REFUSAL =
            Pattern.compile(
                    "(\\S+)\\.settings: (\\S+) is set by the chart; (?:use the value (\\S+)|the chart depends on it)");

    /** Returns a document of values that gives a component one free setting. */
    private static String free(String component, String setting) {
        ObjectNode document = JSON.createObjectNode();
        ObjectNode here = document;
        for (String name : free(component).split("[.]", -1)) {
            here = here.putObject(name);
        }
        here.putObject("settings").put(setting, "1");
        return document.toString();
    }

    private static String free(String component) {
        return Objects.requireNonNull(FREE.get(component));
    }

    static List<Arguments> everythingThatIsSet() {
        String[] all = EVERYTHING.toArray(String[]::new);
        Release release = Chart.render(all);
        List<Arguments> found = new ArrayList<>();
        for (String component : List.of("control-plane", "agent", "worker")) {
            for (String name : release.settings(component).keySet()) {
                if (!name.equals(ORDINAL)) {
                    found.add(Arguments.of(component, name));
                }
            }
        }
        for (String component : List.of("fuse", "holder", "csi")) {
            for (EnvVar variable : release.container(component, component).getEnv()) {
                if (!NOT_SETTINGS.contains(variable.getName())) {
                    found.add(Arguments.of(component, variable.getName()));
                }
            }
        }
        return found;
    }

    @ParameterizedTest
    @MethodSource("everythingThatIsSet")
    void theChartRefusesFreeSettingsThatItSetsItself(String component, String setting)
            throws IOException {
        List<String> values = new ArrayList<>(EVERYTHING);
        values.add(free(component, setting));

        Matcher refusal = REFUSAL.matcher(Chart.refusal(values.toArray(String[]::new)));

        assertThat(refusal.find()).isTrue();
        assertThat(refusal.group(1)).isEqualTo(free(component));
        assertThat(refusal.group(2)).isEqualTo(setting);
        if (refusal.group(3) != null) {
            assertThat(isAValue(refusal.group(3))).as(refusal.group(3)).isTrue();
        }
    }

    private static boolean isAValue(String path) throws IOException {
        JsonNode here = JSON.readTree(Chart.DIRECTORY.resolve("values.schema.json").toFile());
        for (String name : path.split("[.]", -1)) {
            here = here.path("properties").path(name);
        }
        return !here.isMissingNode();
    }

    @Test
    void everyProcessKnowsItsRole() {
        Release release = Chart.render(Chart.CONTROL_PLANE, Chart.REGION);

        assertThat(release.environment("control-plane"))
                .containsEntry("FOREBAY_ROLE", "control-plane");
        assertThat(release.environment("agent")).containsEntry("FOREBAY_ROLE", "agent");
        assertThat(release.container("holder", "holder").getArgs()).containsExactly("hold");
        assertThat(release.container("fuse", "fuse").getArgs()).isEmpty();
    }

    @Test
    void clientsOfTheLakeGetTheTrustStoreAfterTheirOwnJvmOptions() {
        Release release =
                Chart.render(
                        Chart.CONTROL_PLANE,
                        Chart.REGION,
                        "{trustStore: {secret: trust}, region: {workers: {jvmOptions: [-Xmx2g]}}}");

        String named =
                "-Djavax.net.ssl.trustStore=/etc/forebay/trust-store/store"
                        + " -Djavax.net.ssl.trustStorePassword=changeit";
        assertThat(release.environment("worker"))
                .containsEntry("JAVA_TOOL_OPTIONS", "-Xmx2g " + named);
        assertThat(release.environment("agent"))
                .hasEntrySatisfying("JAVA_TOOL_OPTIONS", is -> assertThat(is).endsWith(named));
        assertThat(release.environment("control-plane"))
                .hasEntrySatisfying("JAVA_TOOL_OPTIONS", is -> assertThat(is).endsWith(named));
        assertThat(release.environment("fuse").get("JAVA_TOOL_OPTIONS"))
                .doesNotContain("trustStore");
    }

    @Test
    void everyFileThatASettingNamesIsMounted() {
        Release release =
                Chart.render(
                        Chart.CONTROL_PLANE,
                        Chart.REGION,
                        """
                        temporal: {tls: {enabled: true, secret: client, authoritySecret: ca, authorityKey: root.pem}}
                        lake: {secret: "", webIdentity: {role: "arn:aws:iam::1:role/a"}}
                        serviceAuthority: {secret: service-ca, key: root.pem}
                        trustStore: {secret: trust, key: trust.jks}
                        controlPlane: {tlsSecret: t}
                        region:
                          agent: {tlsSecret: t}
                          workers: {tlsSecret: t}
                          etcd: {endpoints: ["https://e:1"], tls: {secret: client, authoritySecret: ca, authorityKey: root.pem}}
                        token: {key: bearer}
                        """);

        release.pods()
                .forEach(
                        (component, pod) ->
                                pod.getSpec()
                                        .getContainers()
                                        .forEach(
                                                container ->
                                                        MountedFiles.assertThere(
                                                                release, component, container)));
    }

    @Test
    void credentialsAreReferencesToSecrets() {
        Release release =
                Chart.render(
                        Chart.CONTROL_PLANE,
                        "{lake: {accessKeyIdKey: id, secretAccessKeyKey: sec}}",
                        "{controlPlane: {database: {usernameKey: u, passwordKey: p}}}");

        assertThat(references(release.container("control-plane", "control-plane")))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                "AWS_ACCESS_KEY_ID", "lake-key/id",
                                "AWS_SECRET_ACCESS_KEY", "lake-key/sec",
                                "QUARKUS_DATASOURCE_USERNAME", "forebay-database/u",
                                "QUARKUS_DATASOURCE_PASSWORD", "forebay-database/p"));
    }

    @Test
    void podsUseTheirServiceAccountIfTheLakeHasNoSecret() {
        Release release =
                Chart.render(
                        Chart.CONTROL_PLANE,
                        Chart.REGION,
                        "{lake: {secret: ''}}",
                        "{region: {workers: {serviceAccountAnnotations: {role: reader}}}}");

        assertThat(references(release.container("worker", "worker"))).isEmpty();
        assertThat(release.one(ServiceAccount.class, "worker").getMetadata().getAnnotations())
                .containsEntry("role", "reader");
        assertThat(release.pod("worker").getSpec().getServiceAccountName())
                .isEqualTo("r-forebay-worker");
    }

    /** The AWS SDK must find it in each process that reads the lake. */
    @Test
    void aWebIdentityUsesTheTokenOfTheServiceAccount() {
        Release release =
                Chart.render(
                        Chart.CONTROL_PLANE,
                        Chart.REGION,
                        "{lake: {secret: '', webIdentity: {role: 'arn:aws:iam::1:role/a', audience: a}}}");

        for (String component : List.of("control-plane", "agent", "worker")) {
            assertThat(release.environment(component))
                    .containsEntry("AWS_ROLE_ARN", "arn:aws:iam::1:role/a")
                    .containsEntry(
                            "AWS_WEB_IDENTITY_TOKEN_FILE", "/etc/forebay/lake-identity/token");
            assertThat(release.pod(component).getSpec().getVolumes())
                    .filteredOn(volume -> volume.getProjected() != null)
                    .singleElement()
                    .satisfies(
                            volume ->
                                    assertThat(volume.getProjected().getSources())
                                            .singleElement()
                                            .satisfies(
                                                    source ->
                                                            assertThat(
                                                                            source.getServiceAccountToken()
                                                                                    .getAudience())
                                                                    .isEqualTo("a")));
        }
    }

    private static Map<String, String> references(Container container) {
        Map<String, String> references = new TreeMap<>();
        for (EnvVar variable : container.getEnv()) {
            if (variable.getValueFrom() != null
                    && variable.getValueFrom().getSecretKeyRef() != null) {
                var secret = variable.getValueFrom().getSecretKeyRef();
                references.put(variable.getName(), secret.getName() + "/" + secret.getKey());
            }
        }
        return references;
    }
}
