{{/*
Names and labels. A component is control-plane, agent, worker, etcd, fuse, holder, csi, clean-up or switch-off, or for
certificates authority or self-signed.
*/}}

{{- define "forebay.fullname" -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{/* (list $ component) */}}
{{- define "forebay.name" -}}
{{ include "forebay.fullname" (index . 0) }}-{{ index . 1 }}
{{- end }}

{{- define "forebay.selector" -}}
app.kubernetes.io/name: {{ (index . 0).Chart.Name }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "forebay.labels" -}}
{{ include "forebay.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "forebay.metadata" -}}
name: {{ include "forebay.name" . }}
namespace: {{ (index . 0).Release.Namespace | quote }}
labels:
  {{- include "forebay.labels" . | nindent 2 }}
{{- end }}

{{/* The name of the agent's objects that are not namespaced. It must identify the release. */}}
{{- define "forebay.agentClusterName" -}}
{{ .Release.Namespace }}-{{ include "forebay.name" (list . "agent") }}
{{- end }}

{{/* The address of its Service inside the cluster. */}}
{{- define "forebay.controlPlaneAddress" -}}
{{ ternary "https" "http" (not (empty .Values.controlPlane.tlsSecret)) }}://{{ include "forebay.name" (list . "control-plane") }}.{{ .Release.Namespace }}.svc:8080
{{- end }}

{{- define "forebay.webhookName" -}}
{{ include "forebay.name" (list . "agent") }}-webhook
{{- end }}

{{/* (list $ image) */}}
{{- define "forebay.image" -}}
{{- $ := index . 0 -}}
{{ $.Values.image.registry }}/forebay-{{ index . 1 }}:{{ $.Values.image.tag | default $.Chart.AppVersion }}
{{- end }}

{{/* The common fields of all pods, with their placement. (list $ component values) */}}
{{- define "forebay.pod" -}}
{{- $ := index . 0 -}}
{{- $values := index . 2 -}}
serviceAccountName: {{ include "forebay.name" (list $ (index . 1)) }}
# Only clients of the API server get a token: the agent for Jobs and nodes, the control plane for Datasets, and the Jobs
# that clean up.
automountServiceAccountToken: {{ dig (index . 1) false (dict "agent" (or $.Values.region.agent.watchJobs $.Values.region.nodeLabels.enabled) "control-plane" $.Values.controlPlane.datasets.enabled "clean-up" true "switch-off" true) }}
# Otherwise Services would become variables FOREBAY_..., which are settings.
enableServiceLinks: false
{{- with $.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- range $field := list "nodeSelector" "tolerations" "affinity" }}
{{- with index $values $field }}
{{ $field }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* The requirements of the Pod Security Standard "restricted". The user is that of the images. */}}
{{- define "forebay.restrictedPod" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "forebay.restrictedContainer" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* Where a Service can be reached from. */}}
{{- define "forebay.exposure" -}}
type: {{ .type }}
{{- if ne .type "ClusterIP" }}
{{- with .externalTrafficPolicy | default (ternary "Local" "" (eq .type "LoadBalancer")) }}
externalTrafficPolicy: {{ . }}
{{- end }}
{{- end }}
{{- if eq .type "LoadBalancer" }}
{{- with .loadBalancerSourceRanges }}
loadBalancerSourceRanges:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* Spreads replicas over nodes and zones. (list $ component), or (list $ component replicas) to require as many nodes. */}}
{{- define "forebay.spread" -}}
{{- $apart := 0 }}
{{- if gt (len .) 2 }}{{ $apart = index . 2 }}{{ end }}
topologySpreadConstraints:
  {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - topologyKey: {{ $key }}
    maxSkew: 1
    {{- if and $apart (eq $key "kubernetes.io/hostname") }}
    # Without it one node, which is no more uneven than three, could run all replicas.
    minDomains: {{ $apart }}
    whenUnsatisfiable: DoNotSchedule
    {{- else }}
    whenUnsatisfiable: ScheduleAnyway
    {{- end }}
    labelSelector:
      matchLabels:
        {{- include "forebay.selector" $ | nindent 8 }}
  {{- end }}
{{- end }}

{{/* A value as text for a properties file. Numbers from values are floats here. */}}
{{- define "forebay.scalar" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}
{{ int64 . }}
{{- else -}}
{{ . }}
{{- end -}}
{{- end }}

{{/*
A properties file: the settings of the chart, and those of the user, who cannot override the chart's.
(list path-of-the-settings settings dict-of-what-the-chart-sets dict-of-values)
*/}}
{{- define "forebay.properties" -}}
{{- $own := index . 2 -}}
{{- include "forebay.refuseOwn" . -}}
# Above the file in the program, below its environment.
config_ordinal=275
{{- range $name, $value := merge (dict) $own (index . 1) }}
{{ $name }}={{ include "forebay.scalar" $value | replace "\\" "\\\\" }}
{{- end }}
{{- end }}

{{/* Like forebay.properties, for a program that reads its environment. The chart may set a source (valueFrom) instead of a value. */}}
{{- define "forebay.environment" -}}
{{- $own := index . 2 -}}
{{- include "forebay.refuseOwn" . -}}
{{- range $name, $value := merge (dict) $own (index . 1) }}
- name: {{ $name }}
  {{- if kindIs "map" $value }}
  valueFrom: {{ toJson $value }}
  {{- else }}
  value: {{ include "forebay.scalar" $value | quote }}
  {{- end }}
{{- end }}
{{- end }}

{{/* The common environment of control plane, agents and workers. (list $ values path-of-the-values) */}}
{{- define "forebay.quarkusEnvironment" -}}
{{- $lake := (index . 0).Values.lake -}}
- name: QUARKUS_CONFIG_LOCATIONS
  value: /etc/forebay/settings/application.properties
- name: JAVA_TOOL_OPTIONS
  value: {{ include "forebay.jvmOptions" (list (printf "%s.jvmOptions" (index . 2)) (concat (index . 1).jvmOptions (include "forebay.trustStoreOptions" (index . 0) | fromJsonArray)) (printf "%s.settings" (index . 2))) | quote }}
{{- if $lake.secret }}
- name: AWS_ACCESS_KEY_ID
  valueFrom:
    secretKeyRef: {name: {{ $lake.secret | quote }}, key: {{ $lake.accessKeyIdKey | quote }}}
- name: AWS_SECRET_ACCESS_KEY
  valueFrom:
    secretKeyRef: {name: {{ $lake.secret | quote }}, key: {{ $lake.secretAccessKeyKey | quote }}}
{{- end }}
{{- with $lake.webIdentity.role }}
- name: AWS_ROLE_ARN
  value: {{ . | quote }}
- name: AWS_WEB_IDENTITY_TOKEN_FILE
  value: /etc/forebay/lake-identity/token
{{- end }}
{{- end }}

{{/* The token that is exchanged for a key of the lake. The kubelet renews it there. */}}
{{- define "forebay.identityMount" -}}
{{- if .Values.lake.webIdentity.role }}
- {name: lake-identity, mountPath: /etc/forebay/lake-identity, readOnly: true}
{{- end }}
{{- end }}

{{- define "forebay.identityVolume" -}}
{{- with .Values.lake.webIdentity }}
{{- if .role }}
- name: lake-identity
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken: {path: token, audience: {{ .audience | quote }}, expirationSeconds: 3600}
{{- end }}
{{- end }}
{{- end }}

{{/* Certificates for and authorities of Temporal or etcd. They are directories, so that processes see replaced files. (list server tls) */}}
{{- define "forebay.tlsMounts" -}}
{{- $server := index . 0 -}}
{{- with index . 1 }}
{{- if .authoritySecret }}
- {name: {{ $server }}-ca, mountPath: /etc/forebay/{{ $server }}-ca, readOnly: true}
{{- end }}
{{- if .secret }}
- {name: {{ $server }}-tls, mountPath: /etc/forebay/{{ $server }}-tls, readOnly: true}
{{- end }}
{{- end }}
{{- end }}

{{/* (list server tls) */}}
{{- define "forebay.tlsVolumes" -}}
{{- $server := index . 0 -}}
{{- with index . 1 }}
{{- if .authoritySecret }}
- name: {{ $server }}-ca
  secret:
    secretName: {{ .authoritySecret | quote }}
    items:
      - {key: {{ .authorityKey | quote }}, path: ca.crt}
{{- end }}
{{- if .secret }}
- name: {{ $server }}-tls
  secret:
    secretName: {{ .secret | quote }}
    defaultMode: 0440
    items:
      - {key: tls.crt, path: tls.crt}
      - {key: tls.key, path: tls.key}
{{- end }}
{{- end }}
{{- end }}

{{/* The settings that name these files, as YAML. (list server tls) */}}
{{- define "forebay.tlsFiles" -}}
{{- $server := index . 0 -}}
{{- with index . 1 }}
{{- if .authoritySecret }}
forebay.{{ $server }}.tls.ca: /etc/forebay/{{ $server }}-ca/ca.crt
{{- end }}
{{- if .secret }}
forebay.{{ $server }}.tls.certificate: /etc/forebay/{{ $server }}-tls/tls.crt
forebay.{{ $server }}.tls.key: /etc/forebay/{{ $server }}-tls/tls.key
{{- end }}
{{- end }}
{{- end }}

{{/* The common settings of control plane, agents and workers, as YAML. */}}
{{- define "forebay.commonSettings" -}}
quarkus.http.host: 0.0.0.0
forebay.token-file: /etc/forebay/token/token
forebay.lake.region: {{ .Values.lake.region | quote }}
forebay.lake.path-style: {{ .Values.lake.pathStyle }}
{{- if .Values.serviceAuthority.secret }}
forebay.service-ca: /etc/forebay/service-ca/ca.crt
{{- end }}
{{- with .Values.lake.endpoint }}
forebay.lake.endpoint: {{ . | quote }}
{{- end }}
{{- with .Values.lake.stsEndpoint }}
forebay.lake.sts-endpoint: {{ . | quote }}
{{- end }}
{{- with .Values.lake.anonymousBuckets }}
forebay.lake.anonymous-buckets: {{ join "," . | quote }}
{{- end }}
{{- with .Values.lake.requesterPaysBuckets }}
forebay.lake.requester-pays-buckets: {{ join "," . | quote }}
{{- end }}
{{- end }}

{{/* The settings of both roles of the service, as YAML. */}}
{{- define "forebay.temporalSettings" -}}
quarkus.http.port: 8080
forebay.temporal.target: {{ .Values.temporal.target | quote }}
forebay.temporal.namespace: {{ .Values.temporal.namespace | quote }}
{{- with .Values.temporal.ui }}
forebay.temporal.ui: {{ . | quote }}
{{- end }}
{{- with .Values.temporal.tls }}
{{- if .enabled }}
forebay.temporal.tls.enabled: "true"
{{ include "forebay.tlsFiles" (list "temporal" .) }}
{{- with .serverName }}
forebay.temporal.tls.server-name: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
forebay.work-directory: /work
{{- end }}

{{/*
The number of replicas. With an autoscaler it is the present number. Leaving it out would not keep that number: Helm
removes the field of the last release, and Kubernetes then sets 1. The field is left out only if there are no replicas
yet,
or no cluster (helm template). Then the autoscaler sets its minimum.
(list $ kind component values)
*/}}
{{- define "forebay.replicas" -}}
{{- $ := index . 0 -}}
{{- $values := index . 3 -}}
{{- if $values.autoscaling.enabled -}}
{{- lookup "apps/v1" (index . 1) $.Release.Namespace (include "forebay.name" (list $ (index . 2))) | dig "spec" "replicas" "" -}}
{{- else -}}
{{- $values.replicas -}}
{{- end -}}
{{- end }}

{{/* Probes of control plane, agents and workers. A start may take five minutes. (scheme) */}}
{{- define "forebay.quarkusProbes" -}}
startupProbe:
  httpGet: {path: /q/health/live, port: http, scheme: {{ . }}}
  periodSeconds: 5
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /q/health/live, port: http, scheme: {{ . }}}
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /q/health/ready, port: http, scheme: {{ . }}}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}

{{/* The token, and the authority of workers with TLS for their clients. */}}
{{- define "forebay.tokenVolume" -}}
- name: token
  secret:
    secretName: {{ .Values.token.secret | quote }}
    defaultMode: 0440
    items:
      - {key: {{ .Values.token.key | quote }}, path: token}
{{- end }}

{{- define "forebay.authorityVolume" -}}
- name: worker-ca
  secret:
    secretName: {{ .Values.region.workers.tlsSecret | quote }}
    # Only the authority: the key is for workers.
    items:
      - {key: ca.crt, path: ca.crt}
{{- end }}

{{/* The certificate of a control plane or an agent. (values) */}}
{{- define "forebay.listenerMounts" -}}
{{- with .tlsSecret }}
- {name: tls, mountPath: /etc/forebay/tls, readOnly: true}
{{- end }}
{{- end }}

{{- define "forebay.listenerVolumes" -}}
{{- with .tlsSecret }}
- name: tls
  secret:
    secretName: {{ . | quote }}
    defaultMode: 0440
    items:
      - {key: tls.crt, path: tls.crt}
      - {key: tls.key, path: tls.key}
{{- end }}
{{- end }}

{{/* The settings that name these files, as YAML. (values) */}}
{{- define "forebay.listenerFiles" -}}
{{- if .tlsSecret }}
forebay.tls.certificate: /etc/forebay/tls/tls.crt
forebay.tls.key: /etc/forebay/tls/tls.key
{{- end }}
{{- end }}

{{/* The authority of control planes and agents, for their clients: they themselves, and workers. */}}
{{- define "forebay.serviceAuthorityMount" -}}
{{- if .Values.serviceAuthority.secret }}
- {name: service-ca, mountPath: /etc/forebay/service-ca, readOnly: true}
{{- end }}
{{- end }}

{{- define "forebay.serviceAuthorityVolume" -}}
{{- with .Values.serviceAuthority }}
{{- if .secret }}
- name: service-ca
  secret:
    secretName: {{ .secret | quote }}
    items:
      - {key: {{ .key | quote }}, path: ca.crt}
{{- end }}
{{- end }}
{{- end }}

{{/* The trust store that replaces Java's own. */}}
{{- define "forebay.trustStoreMount" -}}
{{- if .Values.trustStore.secret }}
- {name: trust-store, mountPath: /etc/forebay/trust-store, readOnly: true}
{{- end }}
{{- end }}

{{- define "forebay.trustStoreVolume" -}}
{{- with .Values.trustStore }}
{{- if .secret }}
- name: trust-store
  secret:
    secretName: {{ .secret | quote }}
    items:
      - {key: {{ .key | quote }}, path: store}
{{- end }}
{{- end }}
{{- end }}

{{/* The JVM options that name the trust store, as a list in JSON. */}}
{{- define "forebay.trustStoreOptions" -}}
{{- $options := list -}}
{{- with .Values.trustStore -}}
{{- if .secret -}}
{{- $options = list "-Djavax.net.ssl.trustStore=/etc/forebay/trust-store/store" (printf "-Djavax.net.ssl.trustStorePassword=%s" .password) -}}
{{- end -}}
{{- end -}}
{{ toJson $options }}
{{- end }}

{{/* The settings for the region's etcd, for workers and agents, as YAML. */}}
{{- define "forebay.etcdSettings" -}}
forebay.etcd.endpoints: {{ include "forebay.etcdEndpoints" . | quote }}
{{ include "forebay.tlsFiles" (list "etcd" .Values.region.etcd.tls) }}
{{- end }}

{{/* The client addresses of the region's etcd, separated by commas. */}}
{{- define "forebay.etcdEndpoints" -}}
{{- $etcd := .Values.region.etcd -}}
{{- if $etcd.endpoints -}}
{{ join "," $etcd.endpoints }}
{{- else -}}
{{- $name := include "forebay.name" (list . "etcd") -}}
{{- $all := list -}}
{{- range $i := until (int $etcd.members) -}}
{{- $all = append $all (printf "http://%s-%d.%s.%s.svc:2379" $name $i $name $.Release.Namespace) -}}
{{- end -}}
{{ join "," $all }}
{{- end -}}
{{- end }}

{{/* A size, Forebay's 10G or Kubernetes' 10Gi, in bytes. */}}
{{- define "forebay.bytes" -}}
{{- $number := regexFind "^[0-9]+" (toString .) | int64 -}}
{{- $unit := regexFind "[A-Za-z]*$" (toString .) -}}
{{- $power := index (dict "" 0 "K" 1 "M" 2 "G" 3 "T" 4 "Ki" 1 "Mi" 2 "Gi" 3 "Ti" 4) $unit -}}
{{- range until (int $power) }}{{ $number = mul $number 1024 }}{{ end -}}
{{ $number }}
{{- end }}

{{/* The space for copies of manifests, and for manifests that are being fetched or written. (capacity) */}}
{{- define "forebay.manifestSpace" -}}
{{ include "forebay.bytes" . | int64 | mul 2 | add (include "forebay.bytes" "1G" | int64) | quote }}
{{- end }}

{{/* Ingress of a NetworkPolicy from components of this release. (list $ component...) */}}
{{- define "forebay.peers" -}}
{{- $ := index . 0 -}}
{{- range rest . }}
- podSelector:
    matchLabels:
      {{- include "forebay.selector" (list $ .) | nindent 6 }}
{{- end }}
{{- end }}

{{/* Evicts one pod at a time. A pod that is not healthy does not delay the drain of its node. (list $ component) */}}
{{- define "forebay.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "forebay.metadata" . | nindent 2 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "forebay.selector" . | nindent 6 }}
{{- end }}

{{/* A service account without rights. (list $ component annotations) */}}
{{- define "forebay.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "forebay.metadata" (list (index . 0) (index . 1)) | nindent 2 }}
  {{- with index . 2 }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}
