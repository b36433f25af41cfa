{{- define "forebay.disks" -}}
{{ len .storage.hostPaths | default (int .storage.claims) }}
{{- end }}

{{/*
The address that a worker advertises. A pod has a new address after each start, and clients that use a name would
connect to the old address until their DNS caches expire. With TLS it is a name, because certificates contain names.
(list $ values)
*/}}
{{- define "forebay.workerAddress" -}}
{{- $ := index . 0 -}}
{{- if (index . 1).tlsSecret -}}
- name: POD_NAME
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
- name: FOREBAY_WORKER_ADVERTISED_ADDRESS
  value: https://$(POD_NAME).{{ include "forebay.name" (list $ "worker") }}.{{ $.Release.Namespace }}.svc:7400
{{- else -}}
- name: POD_IP
  valueFrom: {fieldRef: {fieldPath: status.podIP}}
- name: FOREBAY_WORKER_ADVERTISED_ADDRESS
  value: http://$(POD_IP):7400
{{- end }}
{{- end }}

{{/* Where workers run. Two workers cannot use the same directories of one node. (list $ values) */}}
{{- define "forebay.workerPlaces" -}}
{{- $places := pick (index . 1) "priorityClassName" "nodeSelector" "tolerations" "affinity" | deepCopy -}}
{{- if (index . 1).storage.hostPaths -}}
{{- $apart := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (dict "matchLabels" (include "forebay.selector" (list (index . 0) "worker") | fromYaml)) -}}
{{- $anti := dig "podAntiAffinity" (dict) $places.affinity -}}
{{- $terms := append ($anti.requiredDuringSchedulingIgnoredDuringExecution | default list) $apart -}}
{{- $anti = set $anti "requiredDuringSchedulingIgnoredDuringExecution" $terms -}}
{{- $_ := set $places "affinity" (set $places.affinity "podAntiAffinity" $anti) -}}
{{- end -}}
{{ toYaml $places }}
{{- end }}
