{{/* The one component that may do what others may not: it mounts, for the node. (list $ component) */}}
{{- define "forebay.nodePod" -}}
{{- $ := index . 0 -}}
{{- $node := $.Values.region.node -}}
{{- $name := $node.priorityClassName | default (include "forebay.nodePriority" $) -}}
{{ include "forebay.pod" (list $ (index . 1) (merge (dict "priorityClassName" $name) $node)) }}
{{- end }}

{{/* Only a privileged container may pass mounts on to the node. */}}
{{- define "forebay.nodeContainer" -}}
securityContext:
  privileged: true
  runAsUser: 0
  readOnlyRootFilesystem: true
{{- end }}

{{/* Releases do not meet in one holder. */}}
{{- define "forebay.holderDirectory" -}}
{{ .Values.region.holder.directory }}/{{ .Release.Namespace }}-{{ include "forebay.fullname" . }}
{{- end }}

{{/* Which the holder makes while there is a mount. (holder) */}}
{{- define "forebay.mountedSign" -}}
{{ include "forebay.holderDirectory" . }}/mounted
{{- end }}

{{/* The same paths as on the node, for mounts are known by their paths. */}}
{{- define "forebay.nodeMounts" -}}
- {name: mounts, mountPath: {{ dir .Values.region.mountRoot }}, mountPropagation: Bidirectional}
- {name: holder, mountPath: {{ .Values.region.holder.directory }}}
# A container's own is read-only, also if it is privileged: then the kernel's read-ahead could not be raised.
- {name: sys, mountPath: /sys}
{{- end }}

{{/*
The directory above the mount, not the mount itself: a kubelet that looks at a dead mount would not start the pod that takes it away, and what
is unmounted in the root of a volume stays mounted on the node.
*/}}
{{- define "forebay.nodeVolumes" -}}
- {name: mounts, hostPath: {path: {{ dir .Values.region.mountRoot }}, type: Directory}}
- {name: holder, hostPath: {path: {{ .Values.region.holder.directory }}, type: DirectoryOrCreate}}
- {name: sys, hostPath: {path: /sys, type: Directory}}
{{- end }}

{{/* A process that serves the mount or stands by. Each has a port and a directory of its own. (list $ name port) */}}
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
  # Ready is one that serves, or that could take over. While etcd is away a new one is not: it waits, and is left alone.
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

{{/* Of who has health to show, and no metrics: it asks itself as others would, and has 10 s to answer. */}}
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
