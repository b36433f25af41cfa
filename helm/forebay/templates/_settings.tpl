{{/*
Settings that only the chart may set, by component, each with the value that controls it. Without a value, the setting
depends on other parts of the chart. The lists include settings that the chart omits, because other parts rely on their
defaults. A name that ends with a dot is a prefix: names below it are refused if the chart has set them.
*/}}
{{- define "forebay.commonValues" -}}
quarkus.http.host: ""
quarkus.http.port: ""
forebay.role: ""
forebay.token-file: token.secret
forebay.service-ca: serviceAuthority.secret
forebay.lake.endpoint: lake.endpoint
forebay.lake.region: lake.region
forebay.lake.path-style: lake.pathStyle
forebay.lake.sts-endpoint: lake.stsEndpoint
forebay.lake.anonymous-buckets: lake.anonymousBuckets
forebay.lake.requester-pays-buckets: lake.requesterPaysBuckets
{{- end }}

{{- define "forebay.temporalValues" -}}
forebay.temporal.target: temporal.target
forebay.temporal.namespace: temporal.namespace
forebay.temporal.ui: temporal.ui
forebay.temporal.tls.enabled: temporal.tls.enabled
forebay.temporal.tls.ca: temporal.tls.authoritySecret
forebay.temporal.tls.certificate: temporal.tls.secret
forebay.temporal.tls.key: temporal.tls.secret
forebay.temporal.tls.server-name: temporal.tls.serverName
forebay.work-directory: ""
{{- end }}

{{- define "forebay.etcdValues" -}}
forebay.etcd.endpoints: region.etcd.endpoints
forebay.etcd.tls.ca: region.etcd.tls.authoritySecret
forebay.etcd.tls.certificate: region.etcd.tls.secret
forebay.etcd.tls.key: region.etcd.tls.secret
{{- end }}

{{- define "forebay.controlPlaneValues" -}}
forebay.tls.certificate: controlPlane.tlsSecret
forebay.tls.key: controlPlane.tlsSecret
{{ include "forebay.commonValues" . }}
{{ include "forebay.temporalValues" . }}
forebay.manifest-bucket: controlPlane.manifestBucket
forebay.manifest-cache: controlPlane.manifestCache
forebay.datasets.watch: controlPlane.datasets.enabled
forebay.datasets.api: controlPlane.datasets.api
forebay.regions.: controlPlane.regions
quarkus.datasource.jdbc.url: controlPlane.database.url
{{- end }}

{{- define "forebay.agentValues" -}}
forebay.tls.certificate: region.agent.tlsSecret
forebay.tls.key: region.agent.tlsSecret
{{ include "forebay.commonValues" . }}
{{ include "forebay.temporalValues" . }}
forebay.region: region.name
forebay.mount-root: region.mountRoot
{{ include "forebay.etcdValues" . }}
forebay.manifest-cache: region.agent.manifestCache
forebay.worker-ca: region.workers.tlsSecret
forebay.jobs.watch: region.agent.watchJobs
forebay.admission.enabled: region.webhook.enabled
forebay.admission.host: ""
forebay.admission.port: ""
forebay.admission.name: ""
forebay.admission.namespace: ""
forebay.admission.secret: ""
forebay.admission.configuration: ""
forebay.admission.mounted-sign: region.holder.directory
forebay.admission.nodes.: region.node.nodeSelector
forebay.kueue.enabled: region.kueue.enabled
forebay.gate.api: region.webhook.api
forebay.node-labels.enabled: region.nodeLabels.enabled
{{- end }}

{{- define "forebay.workerValues" -}}
{{ include "forebay.commonValues" . }}
forebay.region: region.name
{{ include "forebay.etcdValues" . }}
forebay.worker-ca: region.workers.tlsSecret
forebay.worker.advertised-address: ""
forebay.worker.capacity: region.workers.capacity
forebay.worker.directory: region.workers.storage
forebay.worker.drain.on-stop: region.workers.drainSeconds
forebay.worker.tls.certificate: region.workers.tlsSecret
forebay.worker.tls.key: region.workers.tlsSecret
{{- end }}

{{- define "forebay.fuseValues" -}}
FOREBAY_REGION: region.name
FOREBAY_ETCD_ENDPOINTS: region.etcd.endpoints
FOREBAY_ETCD_TLS_CA: region.etcd.tls.authoritySecret
FOREBAY_ETCD_TLS_CERTIFICATE: region.etcd.tls.secret
FOREBAY_ETCD_TLS_KEY: region.etcd.tls.secret
FOREBAY_TOKEN_FILE: token.secret
FOREBAY_WORKER_CA: region.workers.tlsSecret
FOREBAY_FUSE_HOLDER: region.holder.directory
FOREBAY_FUSE_MOUNTPOINT: region.mountRoot
FOREBAY_FUSE_DIRECTORY: ""
FOREBAY_FUSE_CACHE_DIRECTORY: region.fuse.cacheDirectory
FOREBAY_FUSE_PACK_CACHE: region.fuse.packCache
FOREBAY_FUSE_IMAGE_CACHE: region.fuse.imageCache
FOREBAY_FUSE_MEMORY_CACHE: region.fuse.memoryCache
FOREBAY_FUSE_MANIFEST_CACHE: region.fuse.manifestCache
FOREBAY_FUSE_METRICS_ADDRESS: ""
FOREBAY_FUSE_METRICS_PORT: ""
FOREBAY_FUSE_NODE_NAME: region.nodeLabels.enabled
{{- end }}

{{- define "forebay.holderValues" -}}
FOREBAY_FUSE_HOLDER: region.holder.directory
FOREBAY_FUSE_MOUNTPOINT: region.mountRoot
FOREBAY_FUSE_UNMOUNT: ""
FOREBAY_FUSE_DRAIN: ""
FOREBAY_FUSE_HEALTH_ADDRESS: ""
FOREBAY_FUSE_HEALTH_PORT: ""
{{- end }}

{{- define "forebay.csiValues" -}}
FOREBAY_CSI_NODE: ""
FOREBAY_FUSE_HEALTH_ADDRESS: ""
FOREBAY_FUSE_HEALTH_PORT: ""
FOREBAY_CSI_SOCKET: region.csi.kubeletDirectory
FOREBAY_CSI_KUBELET_DIRECTORY: region.csi.kubeletDirectory
FOREBAY_FUSE_MOUNTPOINT: region.mountRoot
{{- end }}

{{/*
Fails if a user sets a setting of the chart. In a properties file a name may have quotes or not.
(list path-of-the-settings settings dict-of-what-the-chart-sets dict-of-the-values-above)
*/}}
{{- define "forebay.refuseOwn" -}}
{{- $path := index . 0 -}}
{{- $values := index . 3 -}}
{{- $own := dict -}}
{{- range $name := concat (keys $values) (keys (index . 2)) -}}
{{- $_ := set $own (replace "\"" "" $name) true -}}
{{- end -}}
{{- range $name, $_ := index . 1 -}}
{{- $plain := replace "\"" "" $name -}}
{{- if hasKey $own $plain -}}
{{- $value := get $values $plain -}}
{{- range $beginning, $there := $values -}}
{{- if and (hasSuffix "." $beginning) (hasPrefix $beginning $plain) -}}
{{- $value = $there -}}
{{- end -}}
{{- end -}}
{{- fail (printf "%s: %s is set by the chart; %s" $path $name (ternary (printf "use the value %s" $value) "the chart depends on it" (ne $value ""))) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* JVM options, without settings as system properties, which would override all others. (list path-of-the-options options path-of-the-settings) */}}
{{- define "forebay.jvmOptions" -}}
{{- $ := . -}}
{{- range $option := index . 1 -}}
{{- if regexMatch "^-D(forebay|quarkus)[.]" $option -}}
{{- fail (printf "%s: %s is a setting; use the value %s" (index $ 0) $option (index $ 2)) -}}
{{- end -}}
{{- end -}}
{{ join " " (index . 1) }}
{{- end }}
