{{/* The Secrets of certificates by component, each with the names in the certificate, as JSON. */}}
{{- define "forebay.certificates" -}}
{{- $all := dict -}}
{{- $namespace := .Release.Namespace -}}
{{- with .Values.controlPlane -}}
{{- if and .enabled .tlsSecret -}}
{{- $service := printf "%s.%s.svc" (include "forebay.name" (list $ "control-plane")) $namespace -}}
{{- $_ := set $all "control-plane" (dict "secret" .tlsSecret "names" (prepend $.Values.certManager.controlPlaneNames $service)) -}}
{{- end -}}
{{- end -}}
{{- with .Values.region -}}
{{- if and .enabled .agent.tlsSecret -}}
{{- $service := printf "%s.%s.svc" (include "forebay.name" (list $ "agent")) $namespace -}}
{{- $_ := set $all "agent" (dict "secret" .agent.tlsSecret "names" (prepend $.Values.certManager.agentNames $service)) -}}
{{- end -}}
{{- if and .enabled .workers.tlsSecret -}}
{{- $pods := printf "*.%s.%s.svc" (include "forebay.name" (list $ "worker")) $namespace -}}
{{- $_ := set $all "worker" (dict "secret" .workers.tlsSecret "names" (list $pods)) -}}
{{- end -}}
{{- end -}}
{{ toJson $all }}
{{- end }}

{{- define "forebay.certificateRules" -}}
{{- $all := include "forebay.certificates" . | fromJson -}}
{{- if not $all -}}
{{- fail "certManager.enabled: it makes only Secrets that are named: name some in controlPlane.tlsSecret, region.agent.tlsSecret or region.workers.tlsSecret" -}}
{{- end -}}
{{- $owners := dict -}}
{{- range $component, $certificate := $all -}}
{{- with get $owners $certificate.secret -}}
{{- fail (printf "certManager.enabled: the tlsSecret of %s and %s is the same, %s; each needs its own" . $component $certificate.secret) -}}
{{- end -}}
{{- $_ := set $owners $certificate.secret $component -}}
{{- end -}}
{{- end }}
