{{/*
A Job at an event of Helm, with an account of its own, which takes back what is on objects of others. Helm has taken the rights from agents and control
planes by then, so what is taken off stays off, also while their pods still end. All of it goes when the Job has succeeded.
(list $ component event region-whose-labels-go whether-finalizers-go)
*/}}
{{- define "forebay.cleanUp" -}}
{{- $ := index . 0 -}}
{{- $component := index . 1 -}}
{{- $event := index . 2 -}}
{{- $region := index . 3 -}}
{{- $datasets := index . 4 -}}
{{- $release := printf "%s/%s" $.Release.Namespace $.Release.Name -}}
{{- /* Has no namespace, so its name must say which release it is of. */}}
{{- $name := printf "%s-%s" $.Release.Namespace (include "forebay.name" (list $ $component)) }}
{{- with $.Values.cleanUp -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "forebay.metadata" (list $ $component) | nindent 2 }}
  annotations:
    {{- include "forebay.hook" (list $event -1) | nindent 4 }}
automountServiceAccountToken: false
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ $name }}
  labels:
    {{- include "forebay.labels" (list $ $component) | nindent 4 }}
  annotations:
    {{- include "forebay.hook" (list $event -1) | nindent 4 }}
rules:
  {{- if $region }}
  - apiGroups: [""]
    resources: [nodes]
    verbs: [get, list, patch]
  {{- end }}
  {{- if $datasets }}
  - apiGroups: [forebay.dev]
    resources: [datasets]
    verbs: [get, list, patch]
  # Whether there are any, and whether another release has taken them over.
  - apiGroups: [apiextensions.k8s.io]
    resources: [customresourcedefinitions]
    resourceNames: [datasets.forebay.dev]
    verbs: [get]
  {{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ $name }}
  labels:
    {{- include "forebay.labels" (list $ $component) | nindent 4 }}
  annotations:
    {{- include "forebay.hook" (list $event -1) | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ $name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "forebay.name" (list $ $component) }}
    namespace: {{ $.Release.Namespace | quote }}
---
apiVersion: batch/v1
kind: Job
metadata:
  {{- include "forebay.metadata" (list $ $component) | nindent 2 }}
  annotations:
    {{- include "forebay.hook" (list $event 0) | nindent 4 }}
spec:
  # Also for a pod that finds no node, or no image.
  activeDeadlineSeconds: {{ mul 2 (int .timeoutSeconds) }}
  # For a node that is lost.
  backoffLimit: 2
  template:
    metadata:
      labels:
        {{- include "forebay.labels" (list $ $component) | nindent 8 }}
      {{- with .podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- include "forebay.pod" (list $ $component .) | nindent 6 }}
      {{- include "forebay.restrictedPod" $ | nindent 6 }}
      restartPolicy: Never
      containers:
        - name: {{ $component }}
          image: {{ include "forebay.image" (list $ "service") | quote }}
          imagePullPolicy: {{ $.Values.image.pullPolicy }}
          args:
            - clean-up
            {{- with $region }}
            - {{ printf "--node-labels=%s" . | quote }}
            {{- end }}
            {{- if $datasets }}
            - {{ printf "--datasets=%s" $release | quote }}
            {{- end }}
            - {{ printf "--timeout-seconds=%d" (int .timeoutSeconds) | quote }}
          env:
            - name: JAVA_TOOL_OPTIONS
              value: {{ join " " .jvmOptions | quote }}
          resources:
            {{- toYaml .resources | nindent 12 }}
          {{- include "forebay.restrictedContainer" $ | nindent 10 }}
          volumeMounts:
            - {name: tmp, mountPath: /tmp}
      volumes:
        - {name: tmp, emptyDir: {sizeLimit: 64Mi}}
{{- end }}
{{- end }}

{{/* What Helm makes at an event, the lower weights first, and removes when all of it has succeeded. (list event weight) */}}
{{- define "forebay.hook" -}}
helm.sh/hook: {{ index . 0 }}
helm.sh/hook-weight: {{ index . 1 | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
helm.sh/hook-output-log-policy: hook-failed
{{- end }}

{{/* What the settings of a component that is installed already say, as text. (list $ component) */}}
{{- define "forebay.settingsBefore" -}}
{{- lookup "v1" "ConfigMap" (index . 0).Release.Namespace (include "forebay.name" .) | dig "data" "application.properties" "" -}}
{{- end }}
