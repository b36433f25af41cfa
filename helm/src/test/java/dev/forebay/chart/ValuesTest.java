package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks which values are allowed, and that each of them has an effect. */
class ValuesTest {

    /** A key that Helm passes on and the chart does not use. */
    private static final String GLOBAL = "global";

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Some values have an effect only with one of these two lists of values. */
    private static final List<String> PLAIN = List.of(Chart.CONTROL_PLANE, Chart.REGION);

    private static final List<String> SCALED =
            List.of(
                    Chart.CONTROL_PLANE,
                    Chart.REGION,
                    """
                    temporal: {tls: {enabled: true, secret: client, authoritySecret: ca}}
                    lake: {secret: "", webIdentity: {role: "arn:aws:iam::1:role/a"}}
                    serviceAuthority: {secret: service-ca}
                    certManager: {enabled: true, issuer: {name: ours}}
                    trustStore: {secret: trust}
                    controlPlane: {tlsSecret: t, autoscaling: {enabled: true}, datasets: {enabled: true}, service: {type: LoadBalancer}}
                    region:
                      agent: {tlsSecret: a, service: {type: LoadBalancer}}
                      etcd: {endpoints: ["https://e:2379"], tls: {secret: client, authoritySecret: ca}}
                      webhook: {enabled: true}
                      workers: {drainSeconds: 600, autoscaling: {enabled: true}}
                      csi: {enabled: true}
                    monitoring: {podMonitors: {enabled: true}, alerts: {enabled: true}, dashboards: {enabled: true}}
                    """);

    private static final String PLAIN_TEXT = text(PLAIN);
    private static final String SCALED_TEXT = text(SCALED);

    private static String text(List<String> values) {
        return Chart.text(values.toArray(String[]::new));
    }

    private static String[] with(List<String> values, String more) {
        List<String> all = new ArrayList<>(values);
        all.add(more);
        return all.toArray(String[]::new);
    }

    /** Returns the path of each value in the schema, with an example. */
    static List<Arguments> values() throws IOException {
        JsonNode schema = JSON.readTree(Chart.DIRECTORY.resolve("values.schema.json").toFile());
        List<Arguments> found = new ArrayList<>();
        collect(schema, schema, "", found);
        return found;
    }

    private static void collect(
            JsonNode schema, JsonNode node, String path, List<Arguments> found) {
        for (Map.Entry<String, JsonNode> property : node.path("properties").properties()) {
            if (path.isEmpty() && property.getKey().equals(GLOBAL)) {
                continue;
            }
            String here = path + "/" + property.getKey();
            JsonNode value = property.getValue();
            if (value.has("examples")) {
                found.add(Arguments.of(here, value.get("examples").get(0)));
                continue;
            }
            JsonNode type =
                    value.has("$ref") ? schema.at(value.get("$ref").asText().substring(1)) : value;
            assertThat(type.has("properties")).as("%s has no example", here).isTrue();
            collect(schema, type, here, found);
        }
    }

    @ParameterizedTest
    @MethodSource("values")
    void everyValueChangesSomething(String path, JsonNode example) {
        ObjectNode document = JSON.createObjectNode();
        ObjectNode parent = document;
        String[] names = path.substring(1).split("/", -1);
        for (int i = 0; i < names.length - 1; i++) {
            parent = parent.putObject(names[i]);
        }
        parent.set(names[names.length - 1], example);

        boolean heard =
                Chart.rendersOther(PLAIN_TEXT, with(PLAIN, document.toString()))
                        || Chart.rendersOther(SCALED_TEXT, with(SCALED, document.toString()));
        assertThat(heard).as("%s changes something", document).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    image: {registri: x}                                          | 'registri' not allowed
                    temporal: {tsl: {secret: x}}                                  | 'tsl' not allowed
                    temporal: {tls: {secret: x}}                                  | temporal.tls.enabled: must be true
                    lake: {webIdentity: {role: forebay}}                          | /lake/webIdentity/role
                    lake: {webIdentity: {role: "arn:aws:iam::1:role/a"}}          | lake.webIdentity.role: lake.secret is set, too
                    temporal: {target: "https://temporal"}                        | /temporal/target
                    certManager: {enabled: true}                                  | certManager.enabled: it makes only Secrets that are named
                    {certManager: {enabled: true}, controlPlane: {tlsSecret: t}, region: {workers: {tlsSecret: t}}} | certManager.enabled: the tlsSecret of control-plane and worker is the same, t
                    certManager: {agentNames: ["https://forebay"]}                | /certManager/agentNames/0
                    lake: {endpoint: s3.example.com}                              | /lake/endpoint
                    lake: {pathStyle: "yes"}                                      | /lake/pathStyle
                    lake: {anonymousBuckets: [open-data, Open_Data]}              | /lake/anonymousBuckets/1
                    lake: {requesterPaysBuckets: paid-data}                       | /lake/requesterPaysBuckets
                    controlPlane: {replicas: 0}                                   | /controlPlane/replicas
                    controlPlane: {regions: {US: {agent: "http://a:1"}}}          | 'US'
                    controlPlane: {regions: {us: {}}}                             | 'agent'
                    controlPlane: {database: {url: "jdbc:mysql://x/y"}}           | /controlPlane/database/url
                    controlPlane: {database: {url: "jdbc:postgresql://x/y?password=z"}} | /controlPlane/database/url
                    controlPlane: {settings: {quarkus.datasource.password: x}}    | quarkus.datasource.password
                    controlPlane: {settings: {default-ttl: 3D}}                   | 'default-ttl'
                    controlPlane: {settings: {forebay.manifest-bucket: x}}        | controlPlane.settings: forebay.manifest-bucket is set by the chart
                    controlPlane: {settings: {quarkus.http.port: 9}}              | controlPlane.settings: quarkus.http.port is set by the chart; the chart depends on it
                    controlPlane: {settings: {forebay.datasets.watch: true}}      | controlPlane.settings: forebay.datasets.watch is set by the chart; use the value controlPlane.datasets.enabled
                    controlPlane: {settings: {forebay.regions.us-east-1.agent: "http://a:1"}} | controlPlane.settings: forebay.regions.us-east-1.agent is set by the chart; use the value controlPlane.regions
                    controlPlane: {settings: {forebay.lake.endpoint: "http://a:1"}} | controlPlane.settings: forebay.lake.endpoint is set by the chart; use the value lake.endpoint
                    controlPlane: {jvmOptions: [-Dquarkus.http.port=9]}           | controlPlane.jvmOptions: -Dquarkus.http.port=9 is a setting; use the value controlPlane.settings
                    controlPlane: {datasets: {api: "forebay:8080"}}               | /controlPlane/datasets/api
                    controlPlane: {service: {type: Loadbalancer}}                 | /controlPlane/service/type
                    controlPlane: {resources: {request: {}}}                      | 'request' not allowed
                    controlPlane: {regions: {us-east-1: {agent: "http://a:1"}}}   | controlPlane.regions: us-east-1 is the region of this release
                    region: {name: US}                                            | /region/name
                    region: {mountRoot: /forebay}                                 | /region/mountRoot
                    region: {mountRoot: /mnt/../etc}                              | /region/mountRoot
                    region: {name: a-}                                            | /region/name
                    region: {name: -a}                                            | /region/name
                    region: {name: 2024}                                          | /region/name
                    controlPlane: {regions: {a-: {agent: "http://a:1"}}}          | 'a-'
                    controlPlane: {autoscaling: {enabled: true, minReplicas: 7}}  | controlPlane.autoscaling: minReplicas is more than maxReplicas, 7 and 6
                    region: {fuse: {cacheDirectory: /mnt/forebay}}                | region.fuse.cacheDirectory: /mnt/forebay is in /mnt, which contains region.mountRoot
                    region: {fuse: {cacheDirectory: /mnt/forebay/cache}}          | region.fuse.cacheDirectory: /mnt/forebay/cache is in /mnt, which contains region.mountRoot
                    region: {fuse: {cacheDirectory: /mnt/nvme/forebay}}           | region.fuse.cacheDirectory: /mnt/nvme/forebay is in /mnt, which contains region.mountRoot
                    region: {holder: {directory: /mnt/run}}                       | region.holder.directory: /mnt/run is in /mnt, which contains region.mountRoot
                    region: {mountRoot: /var/lib/forebay/mnt}                     | region.fuse.cacheDirectory: /var/lib/forebay is in /var/lib/forebay, which contains region.mountRoot
                    region: {mountRoot: /var/lib/forebay/mnt/all}                 | region.mountRoot: /var/lib/forebay/mnt/all is in /var/lib/forebay, which is region.fuse.cacheDirectory
                    region: {holder: {directory: /var/lib/forebay}}               | region.fuse.cacheDirectory: /var/lib/forebay is in /var/lib/forebay, which is region.holder.directory
                    region: {mountRoot: /opt/data}                                | region.mountRoot: /opt/data is where containers have /opt/forebay of their own
                    region: {fuse: {cacheDirectory: /tmp/cache}}                  | region.fuse.cacheDirectory: /tmp/cache is where containers have /tmp of their own
                    region: {csi: {enabled: true, kubeletDirectory: /run/forebay/k}} | region.csi.kubeletDirectory: /run/forebay/k is in /run/forebay, which is region.holder.directory
                    region: {workers: {storage: {hostPaths: [/d/1, /d/1/b]}}}     | region.workers.storage.hostPaths[1]: /d/1/b is in /d/1, which is region.workers.storage.hostPaths[0]
                    region: {workers: {storage: {hostPaths: [/var/lib/forebay]}}} | /var/lib/forebay is in /var/lib/forebay, which is region
                    region: {etcd: {members: 2}}                                  | /region/etcd/members
                    region: {etcd: {endpoints: ["etcd:2379"]}}                    | /region/etcd/endpoints/0
                    region: {etcd: {endpoints: ["https://a:1", "http://b:1"]}}    | region.etcd.endpoints: some are https and some are http: https://a:1, http://b:1
                    region: {etcd: {endpoints: ["http://a:1"], tls: {secret: t}}} | region.etcd.tls: works only with
                    region: {etcd: {tls: {authoritySecret: t}}}                   | region.etcd.tls: works only with
                    region: {fuse: {settings: {FOREBAY_FUSE_TRANSPORT: jnr}}}     | region.fuse.settings: FOREBAY_FUSE_TRANSPORT must not be jnr
                    region: {agent: {tlsSecret: t}}                               | region.agent.tlsSecret: the control plane connects to the agent by its name
                    controlPlane: {tlsSecret: t, datasets: {enabled: true}}       | connect by its name
                    {controlPlane: {tlsSecret: t}, region: {webhook: {enabled: true}}} | connect by its name
                    region: {webhook: {failurePolicy: fail}}                      | /region/webhook/failurePolicy
                    region: {webhook: {timeoutSeconds: 60}}                       | /region/webhook/timeoutSeconds
                    region: {agent: {settings: {quarkus.http.port: 9}}}           | region.agent.settings: quarkus.http.port is set by the chart; the chart depends on it
                    region: {agent: {settings: {forebay.jobs.watch: false}}}      | region.agent.settings: forebay.jobs.watch is set by the chart; use the value region.agent.watchJobs
                    region: {agent: {watchJobs: false, settings: {forebay.jobs.watch: true}}} | region.agent.settings: forebay.jobs.watch is set by the chart; use the value region.agent.watchJobs
                    region: {agent: {settings: {forebay.admission.enabled: true}}} | region.agent.settings: forebay.admission.enabled is set by the chart; use the value region.webhook.enabled
                    region: {agent: {settings: {forebay.admission.port: 9}}}      | region.agent.settings: forebay.admission.port is set by the chart; the chart depends on it
                    region: {webhook: {enabled: true}, agent: {settings: {forebay.admission.port: 9}}} | region.agent.settings: forebay.admission.port is set by the chart; the chart depends on it
                    region: {webhook: {enabled: true}, node: {nodeSelector: {gpu: a}}, agent: {settings: {forebay.admission.nodes.gpu: b}}} | region.agent.settings: forebay.admission.nodes.gpu is set by the chart; use the value region.node.nodeSelector
                    region: {agent: {settings: {forebay.kueue.enabled: true}}}    | region.agent.settings: forebay.kueue.enabled is set by the chart; use the value region.kueue.enabled
                    region: {agent: {settings: {forebay.node-labels.enabled: true}}} | region.agent.settings: forebay.node-labels.enabled is set by the chart; use the value region.nodeLabels.enabled
                    region: {agent: {settings: {forebay.gate.api: "http://a:1"}}} | region.agent.settings: forebay.gate.api is set by the chart; use the value region.webhook.api
                    region: {agent: {jvmOptions: [-Dforebay.region=x]}}           | region.agent.jvmOptions: -Dforebay.region=x is a setting; use the value region.agent.settings
                    region: {webhook: {enabled: true}, agent: {watchJobs: false}} | region.webhook.enabled: needs region.agent.watchJobs
                    region: {nodeLabels: {enabled: "yes"}}                        | /region/nodeLabels/enabled
                    region: {kueue: {enabled: "yes"}}                             | /region/kueue/enabled
                    region: {kueue: {enabled: true}, agent: {watchJobs: false}}   | region.kueue.enabled: needs region.agent.watchJobs
                    region: {workers: {capacity: 900GB}}                          | /region/workers/capacity
                    region: {workers: {capacity: 1T}}                             | region.workers.capacity: 1T and 8G
                    controlPlane: {manifestCache: 20G}                            | controlPlane.workSize: 32G is less than twice controlPlane.manifestCache, 20G
                    region: {workers: {capacity: 16M}}                            | region.workers.capacity: 16M is less than 32M
                    region: {workers: {drainSeconds: 5m}}                         | /region/workers/drainSeconds
                    region: {workers: {storage: {hostPaths: [disk]}}}             | /region/workers/storage/hostPaths/0
                    region: {workers: {storage: {size: 1000}}}                    | /region/workers/storage/size
                    region: {workers: {autoscaling: {enabled: true, scaleDown: true}}} | region.workers.autoscaling.scaleDown: needs
                    region: {workers: {autoscaling: {enabled: true, minReplicas: 20}}} | region.workers.autoscaling: minReplicas is more than maxReplicas, 20 and 12
                    region: {workers: {settings: {forebay.region: other}}}        | region.workers.settings: forebay.region is set by the chart; use the value region.name
                    region: {workers: {settings: {forebay.worker.tls.key: /x}}}   | region.workers.settings: forebay.worker.tls.key is set by the chart; use the value region.workers.tlsSecret
                    region: {workers: {settings: {forebay.worker.advertised-address: "http://a:1"}}} | region.workers.settings: forebay.worker.advertised-address is set by the chart; the chart depends on it
                    region: {workers: {tolerations: [{key: a, effect: Never}]}}   | /region/workers/tolerations/0/effect
                    region: {fuse: {packCache: 16GB}}                             | /region/fuse/packCache
                    region: {fuse: {settings: {FOREBAY_FUSE_HOLDER: /x}}}         | region.fuse.settings: FOREBAY_FUSE_HOLDER is set by the chart
                    region: {nodeLabels: {enabled: true}, fuse: {settings: {FOREBAY_FUSE_NODE_NAME: x}}} | region.fuse.settings: FOREBAY_FUSE_NODE_NAME is set by the chart
                    region: {fuse: {settings: {FOREBAY_FUSE_NODE_NAME: x}}}       | region.fuse.settings: FOREBAY_FUSE_NODE_NAME is set by the chart; use the value region.nodeLabels.enabled
                    region: {fuse: {settings: {FOREBAY_FUSE_MOUNTPOINT: /x}}}     | region.fuse.settings: FOREBAY_FUSE_MOUNTPOINT is set by the chart; use the value region.mountRoot
                    region: {fuse: {settings: {prewarm-rate: 64M}}}               | 'prewarm-rate'
                    region: {fuse: {maxSurge: 0%}}                                | /region/fuse/maxSurge
                    region: {webhook: {enabled: true}, node: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}}} | region.node.affinity.nodeAffinity: must be empty with region.webhook.enabled
                    region: {webhook: {enabled: true}, node: {affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: []}}}} | region.node.affinity.podAntiAffinity: must be empty with region.webhook.enabled
                    region: {csi: {kubeletDirectory: kubelet}}                    | /region/csi/kubeletDirectory
                    region: {csi: {enabled: true, settings: {FOREBAY_CSI_SOCKET: /x}}} | region.csi.settings: FOREBAY_CSI_SOCKET is set by the chart
                    region: {csi: {enabled: true, settings: {FOREBAY_CSI_NODE: x}}} | region.csi.settings: FOREBAY_CSI_NODE is set by the chart
                    region: {csi: {maxUnavailable: 0}}                            | /region/csi/maxUnavailable
                    region: {csi: {registrar: {image: x}}}                        | /region/csi/registrar/image
                    region: {node: {priority: 2000000000}}                        | /region/node/priority
                    monitoring: {labels: {release: [a]}}                          | /monitoring/labels/release
                    monitoring: {alerts: {runbooks: docs}}                        | /monitoring/alerts/runbooks
                    monitoring: {podMonitors: {interval: 30}}                     | /monitoring/podMonitors/interval
                    networkPolicy: {metricsFrom: [{}]}                            | /networkPolicy/metricsFrom/0
                    """)
    void anErrorNamesTheInvalidValue(String values, String message) {
        assertThat(Chart.refusal(Chart.CONTROL_PLANE, Chart.REGION, values)).contains(message);
    }

    @Test
    void oneErrorNamesAllMissingValuesOfARole() {
        assertThat(Chart.refusal("{}"))
                .contains("set controlPlane.enabled or region.enabled to true");
        assertThat(Chart.refusal("{controlPlane: {enabled: true}, region: {enabled: true}}"))
                .contains(
                        "controlPlane.database.secret:",
                        "controlPlane.database.url:",
                        "controlPlane.manifestBucket:",
                        "image.registry:",
                        "region.name:",
                        "temporal.target:",
                        "token.secret:");
    }

    @Test
    void aWebhookNeedsTheAddressOfAnExternalControlPlane() {
        assertThat(Chart.refusal(Chart.REGION, "{region: {webhook: {enabled: true}}}"))
                .contains("region.webhook.api: the address of the control plane");
    }

    @Test
    void settingsArriveAsTheyWereWritten() {
        Map<String, String> settings =
                Chart.render(
                                Chart.CONTROL_PLANE,
                                """
                                controlPlane:
                                  settings:
                                    forebay.plan.objects: 10000000
                                    forebay.prices.lake-gb: 0.09
                                    forebay.default-ttl: 'a\\b'
                                """)
                        .settings("control-plane");

        assertThat(settings)
                .containsEntry("forebay.plan.objects", "10000000")
                .containsEntry("forebay.prices.lake-gb", "0.09")
                .containsEntry("forebay.default-ttl", "a\\b");
    }
}
