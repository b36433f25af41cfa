{{- define "forebay.disks" -}}
{{ len .storage.hostPaths | default (int .storage.claims) }}
{{- end }}

{{/*
A pod has a new address each time it starts, and who knew the worker by a name would ask the old one for as long as answers of DNS are kept.
A certificate is for a name. (list $ values)
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

{{/* The values that say where workers run; two cannot have the same directories of one node. (list $ values) */}}
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
