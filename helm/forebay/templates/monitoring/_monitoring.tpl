{{/* forebay.metadata with the labels by which an operator selects objects. (list $ component) */}}
{{- define "forebay.monitoringMetadata" -}}
{{- $ := index . 0 -}}
name: {{ include "forebay.name" . }}
namespace: {{ $.Release.Namespace | quote }}
labels:
  {{- merge (include "forebay.labels" . | fromYaml) $.Values.monitoring.labels | toYaml | nindent 2 }}
{{- end }}

{{/* How to scrape a control plane or an agent. (list $ component values) */}}
{{- define "forebay.serviceMonitored" -}}
{{- $ := index . 0 -}}
ports: [http]
path: /q/metrics
token: true
{{- if (index . 2).tlsSecret }}
tls: {{ merge (dict "server" (include "forebay.name" (list $ (index . 1)))) $.Values.serviceAuthority | toJson }}
{{- end }}
{{- end }}

{{/*
One PodMonitor for each component, because ports, paths and credentials differ.
(list $ component (dict "ports" list "path" path "token" whether-it-wants-the-token "tls" (dict "secret"
of-its-authorities "key" key "server" name)))
*/}}
{{- define "forebay.podMonitor" -}}
{{- $ := index . 0 -}}
{{- $component := index . 1 -}}
{{- $asked := index . 2 -}}
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata:
  {{- include "forebay.monitoringMetadata" (list $ $component) | nindent 2 }}
spec:
  selector:
    matchLabels:
      {{- include "forebay.selector" (list $ $component) | nindent 6 }}
  podMetricsEndpoints:
    {{- range $asked.ports }}
    - port: {{ . }}
      path: {{ $asked.path }}
      interval: {{ $.Values.monitoring.podMonitors.interval }}
      {{- if $asked.token }}
      authorization:
        credentials: {name: {{ $.Values.token.secret | quote }}, key: {{ $.Values.token.key | quote }}}
      {{- end }}
      {{- with $asked.tls }}
      scheme: https
      tlsConfig:
        {{- if .secret }}
        ca:
          secret: {name: {{ .secret | quote }}, key: {{ .key | quote }}}
        {{- end }}
        # Prometheus connects to addresses of pods, but certificates contain names.
        serverName: {{ .server }}.{{ $.Release.Namespace }}.svc
      {{- end }}
      # The labels that alerts and dashboards need.
      relabelings:
        - {action: replace, targetLabel: component, replacement: {{ $component }}}
        - {action: replace, targetLabel: node, sourceLabels: [__meta_kubernetes_pod_node_name]}
        {{- if ne $component "control-plane" }}
        - {action: replace, targetLabel: region, replacement: {{ $.Values.region.name | quote }}}
        {{- end }}
    {{- end }}
{{- end }}
