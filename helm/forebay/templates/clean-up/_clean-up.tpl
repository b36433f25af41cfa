{{/*
A Job at an event of Helm, with its own account, which removes the release's marks from other objects. Helm has already
removed the rights of agents and control planes, so they cannot add marks again while their pods end. Helm deletes the
Job and its account when the Job has succeeded.
(list $ component event region-whose-labels-go whether-finalizers-go)
*/}}
{{- define "forebay.cleanUp" -}}
{{- $ := index . 0 -}}
{{- $component := index . 1 -}}
{{- $event := index . 2 -}}
{{- $region := index . 3 -}}
{{- $datasets := index . 4 -}}
{{- $release := printf "%s/%s" $.Release.Namespace $.Release.Name -}}
{{- /* Not namespaced, so the name must identify the release. */}}
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
  # To see whether Datasets exist, and whether another release has taken them over.
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
  # Also limits a pod without a node or an image.
  activeDeadlineSeconds: {{ mul 2 (int .timeoutSeconds) }}
  # Retries after the loss of a node.
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

{{/* An object that Helm creates at an event, lower weights first, and deletes after success. (list event weight) */}}
{{- define "forebay.hook" -}}
helm.sh/hook: {{ index . 0 }}
helm.sh/hook-weight: {{ index . 1 | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
helm.sh/hook-output-log-policy: hook-failed
{{- end }}

{{/* The settings of a component of the installed release, as text. (list $ component) */}}
{{- define "forebay.settingsBefore" -}}
{{- lookup "v1" "ConfigMap" (index . 0).Release.Namespace (include "forebay.name" .) | dig "data" "application.properties" "" -}}
{{- end }}
