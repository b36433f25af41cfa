{{/* Pods that mount for the node, and so are the only ones with more rights. (list $ component) */}}
{{- define "forebay.nodePod" -}}
{{- $ := index . 0 -}}
{{- $node := $.Values.region.node -}}
{{- $name := $node.priorityClassName | default (include "forebay.nodePriority" $) -}}
{{ include "forebay.pod" (list $ (index . 1) (merge (dict "priorityClassName" $name) $node)) }}
{{- end }}

{{/* Only a privileged container may propagate mounts to the node. */}}
{{- define "forebay.nodeContainer" -}}
securityContext:
  privileged: true
  runAsUser: 0
  readOnlyRootFilesystem: true
{{- end }}

{{/* Each release has its own directory, so that releases do not share a holder. */}}
{{- define "forebay.holderDirectory" -}}
{{ .Values.region.holder.directory }}/{{ .Release.Namespace }}-{{ include "forebay.fullname" . }}
{{- end }}

{{/* The file that the holder creates while the mount exists. (holder) */}}
{{- define "forebay.mountedSign" -}}
{{ include "forebay.holderDirectory" . }}/mounted
{{- end }}

{{/* The same paths as on the node, because processes identify mounts by their paths. */}}
{{- define "forebay.nodeMounts" -}}
- {name: mounts, mountPath: {{ dir .Values.region.mountRoot }}, mountPropagation: Bidirectional}
- {name: holder, mountPath: {{ .Values.region.holder.directory }}}
# A container's own sysfs is read-only, even if it is privileged, and prevents a larger read-ahead of the kernel.
- {name: sys, mountPath: /sys}
{{- end }}

{{/*
The parent directory of the mount, for two reasons. If the volume were a dead mount, the kubelet could not start the pod
that removes it. Besides, an unmount in the root of a volume does not reach the node.
*/}}
{{- define "forebay.nodeVolumes" -}}
- {name: mounts, hostPath: {path: {{ dir .Values.region.mountRoot }}, type: Directory}}
- {name: holder, hostPath: {path: {{ .Values.region.holder.directory }}, type: DirectoryOrCreate}}
- {name: sys, hostPath: {path: /sys, type: Directory}}
{{- end }}

{{/* A process that serves the mount or stands by. Each has its own port and directory. (list $ name port) */}}
{{- define "forebay.fuseContainer" -}}
{{- $ := index . 0 -}}
{{- $fuse := $.Values.region.fuse -}}
{{- $own := dict "FOREBAY_REGION" $.Values.region.name -}}
{{- range $setting, $value := include "forebay.etcdSettings" $ | fromYaml -}}
{{- $_ := set $own (regexReplaceAll "[.]" $setting "_" | upper) $value -}}
{{- end -}}
{{- $_ := set $own "FOREBAY_FUSE_HOLDER" (include "forebay.holderDirectory" $) -}}
{{- $_ := set $own "FOREBAY_FUSE_DIRECTORY" "/work" -}}
{{- $_ := set $own "FOREBAY_FUSE_CACHE_DIRECTORY" $fuse.cacheDirectory -}}
{{- $_ := set $own "FOREBAY_FUSE_PACK_CACHE" $fuse.packCache -}}
{{- $_ := set $own "FOREBAY_FUSE_IMAGE_CACHE" $fuse.imageCache -}}
{{- $_ := set $own "FOREBAY_FUSE_MEMORY_CACHE" $fuse.memoryCache -}}
{{- $_ := set $own "FOREBAY_FUSE_MANIFEST_CACHE" $fuse.manifestCache -}}
{{- $_ := set $own "FOREBAY_FUSE_METRICS_ADDRESS" "0.0.0.0" -}}
{{- $_ := set $own "FOREBAY_FUSE_METRICS_PORT" (index . 2) -}}
{{- $_ := set $own "FOREBAY_TOKEN_FILE" "/etc/forebay/token/token" -}}
{{- if $.Values.region.nodeLabels.enabled -}}
{{- $_ := set $own "FOREBAY_FUSE_NODE_NAME" (dict "fieldRef" (dict "fieldPath" "spec.nodeName")) -}}
{{- end -}}
{{- if $.Values.region.workers.tlsSecret -}}
{{- $_ := set $own "FOREBAY_WORKER_CA" "/etc/forebay/worker-ca/ca.crt" -}}
{{- end -}}
- name: {{ index . 1 }}
  image: {{ include "forebay.image" (list $ "fuse") | quote }}
  imagePullPolicy: {{ $.Values.image.pullPolicy }}
  env:
    - name: JAVA_TOOL_OPTIONS
      value: {{ join " " $fuse.jvmOptions | quote }}
    {{- include "forebay.environment" (list "region.fuse.settings" $fuse.settings $own (include "forebay.fuseValues" . | fromYaml)) | trim | nindent 4 }}
  ports:
    - {name: {{ index . 1 }}, containerPort: {{ index . 2 }}}
  # A process is ready if it serves or could take over. A new one is not ready while etcd is away: it waits without
  # restarts.
  startupProbe:
    httpGet: {path: /health/live, port: {{ index . 1 }}}
    periodSeconds: 2
    timeoutSeconds: 5
    failureThreshold: 150
  livenessProbe:
    httpGet: {path: /health/live, port: {{ index . 1 }}}
    timeoutSeconds: 5
    failureThreshold: 6
  readinessProbe:
    httpGet: {path: /health/ready, port: {{ index . 1 }}}
    periodSeconds: 2
    timeoutSeconds: 5
  resources:
    {{- toYaml $fuse.resources | nindent 4 }}
  {{- include "forebay.nodeContainer" $ | nindent 2 }}
  volumeMounts:
    {{- include "forebay.nodeMounts" $ | nindent 4 }}
    - {name: cache, mountPath: {{ $fuse.cacheDirectory }}}
    - {name: {{ index . 1 }}, mountPath: /work}
    - {name: token, mountPath: /etc/forebay/token, readOnly: true}
    {{- if $.Values.region.workers.tlsSecret }}
    - {name: worker-ca, mountPath: /etc/forebay/worker-ca, readOnly: true}
    {{- end }}
    {{- include "forebay.tlsMounts" (list "etcd" $.Values.region.etcd.tls) | nindent 4 }}
    - {name: tmp, mountPath: /tmp, subPath: {{ index . 1 }}}
{{- end }}

{{/* Probes of a process without metrics. It checks itself from outside and has 10 s to answer. */}}
{{- define "forebay.nodeHealth" -}}
ports:
  - {name: health, containerPort: 9466}
startupProbe:
  httpGet: {path: /health/live, port: health}
  periodSeconds: 2
  timeoutSeconds: 12
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /health/live, port: health}
  timeoutSeconds: 12
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /health/ready, port: health}
  periodSeconds: 5
  timeoutSeconds: 12
{{- end }}

{{- define "forebay.nodeHealthVariables" -}}
FOREBAY_FUSE_HEALTH_ADDRESS: "0.0.0.0"
FOREBAY_FUSE_HEALTH_PORT: "9466"
{{- end }}

{{- define "forebay.nodePriority" -}}
{{ .Release.Namespace }}-{{ include "forebay.name" (list . "node") }}
{{- end }}
