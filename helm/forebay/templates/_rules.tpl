{{/*
Rules that values.schema.json cannot express: what a role needs, and which values exclude each other. Each message names
the value and the rule.
*/}}
{{- define "forebay.rules" -}}
{{- $needs := dict -}}
{{- $region := .Values.region -}}
{{- $workers := $region.workers -}}
{{- if not (or .Values.controlPlane.enabled $region.enabled) -}}
{{- fail "nothing to install: set controlPlane.enabled or region.enabled to true" -}}
{{- end -}}
{{- $_ := set $needs "image.registry: where your images are, such as registry.example.com/forebay" .Values.image.registry -}}
{{- $_ := set $needs "token.secret: the name of a Secret with the bearer token" .Values.token.secret -}}
{{- $_ := set $needs "temporal.target: host and port of Temporal's frontend, such as temporal-frontend.temporal:7233" .Values.temporal.target -}}
{{- if .Values.controlPlane.enabled -}}
{{- $_ := set $needs "controlPlane.manifestBucket: Forebay's own bucket in the lake" .Values.controlPlane.manifestBucket -}}
{{- $_ := set $needs "controlPlane.database.url: PostgreSQL, such as jdbc:postgresql://host:5432/forebay" .Values.controlPlane.database.url -}}
{{- $_ := set $needs "controlPlane.database.secret: the name of a Secret with the database's user and password" .Values.controlPlane.database.secret -}}
{{- end -}}
{{- if $region.enabled -}}
{{- $_ := set $needs "region.name: the region of this cluster, such as us-east-1" $region.name -}}
{{- include "forebay.workerRules" $workers -}}
{{- include "forebay.pathRules" $region -}}
{{- include "forebay.etcdRules" $region.etcd -}}
{{- if not $region.etcd.endpoints -}}
{{- $members := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "forebay.name" (list . "etcd")) | dig "spec" "replicas" 0 | int -}}
{{- if and $members (ne $members (int $region.etcd.members)) -}}
{{- fail (printf "region.etcd.members: %d differs from the installed %d, which an upgrade cannot change, because the members would form two clusters with different pins" (int $region.etcd.members) $members) -}}
{{- end -}}
{{- end -}}
{{- if eq (get $region.fuse.settings "FOREBAY_FUSE_TRANSPORT" | toString | lower) "jnr" -}}
{{- fail "region.fuse.settings: FOREBAY_FUSE_TRANSPORT must not be jnr: only the transport kernel can serve the mount of a holder" -}}
{{- end -}}
{{- end -}}
{{- include "forebay.replicaRules" (list "controlPlane.autoscaling" .Values.controlPlane.autoscaling) -}}
{{- include "forebay.replicaRules" (list "region.workers.autoscaling" $workers.autoscaling) -}}
{{- if and $region.enabled (or $region.webhook.enabled $region.kueue.enabled) -}}
{{- if not .Values.controlPlane.enabled -}}
{{- $_ := set $needs "region.webhook.api: the address of the control plane, such as http://forebay.example.com:8080" $region.webhook.api -}}
{{- end -}}
{{- if not $region.agent.watchJobs -}}
{{- fail (printf "region.%s.enabled: needs region.agent.watchJobs, so that pins end with their Jobs" (ternary "webhook" "kueue" $region.webhook.enabled)) -}}
{{- end -}}
{{- end -}}
{{- if and $region.enabled $region.webhook.enabled -}}
{{- range $kind, $affinity := $region.node.affinity -}}
{{- if hasKey $affinity "requiredDuringSchedulingIgnoredDuringExecution" -}}
{{- fail (printf "region.node.affinity.%s: must be empty with region.webhook.enabled: training pods get only region.node.nodeSelector, and could be scheduled to nodes without a mount" $kind) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.lake.secret .Values.lake.webIdentity.role -}}
{{- fail "lake.webIdentity.role: lake.secret is set, too, and would take precedence: clear one of them" -}}
{{- end -}}
{{- if not .Values.serviceAuthority.secret -}}
{{- if and .Values.controlPlane.enabled $region.enabled $region.agent.tlsSecret -}}
{{- fail "region.agent.tlsSecret: the control plane connects to the agent by its name in the cluster, which only your own authority signs: set serviceAuthority.secret" -}}
{{- end -}}
{{- if and .Values.controlPlane.tlsSecret (include "forebay.controlPlaneIsAsked" .) -}}
{{- fail "controlPlane.tlsSecret: clients for Datasets, pods and Workloads connect by its name in the cluster, which only your own authority signs: set serviceAuthority.secret" -}}
{{- end -}}
{{- end -}}
{{- if .Values.certManager.enabled -}}
{{- include "forebay.certificateRules" . -}}
{{- end -}}
{{- with .Values.temporal.tls -}}
{{- if and (not .enabled) (or .secret .authoritySecret .serverName) -}}
{{- fail "temporal.tls.enabled: must be true if other values of temporal.tls are set" -}}
{{- end -}}
{{- end -}}
{{- $missing := list -}}
{{- range $what, $value := $needs -}}
{{- if not $value -}}
{{- $missing = append $missing $what -}}
{{- end -}}
{{- end -}}
{{- with $missing -}}
{{- fail (printf "missing:\n  %s" (join "\n  " .)) -}}
{{- end -}}
{{- with .Values.controlPlane -}}
{{- if lt (include "forebay.bytes" .workSize | int64) (mul 2 (include "forebay.bytes" .manifestCache | int64)) -}}
{{- fail (printf "controlPlane.workSize: %s is less than twice controlPlane.manifestCache, %s" .workSize .manifestCache) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.controlPlane.enabled $region.enabled (hasKey .Values.controlPlane.regions $region.name) -}}
{{- fail (printf "controlPlane.regions: %s is the region of this release, which is added automatically: remove it" $region.name) -}}
{{- end -}}
{{- end }}

{{- define "forebay.workerRules" -}}
{{- $claims := int .storage.claims -}}
{{- if not .storage.hostPaths -}}
{{- $space := mul $claims (include "forebay.bytes" .storage.size | int64) -}}
{{- /* Besides chunks: forebay.worker.manifests.capacity, 2G, forebay.worker.images.capacity, 4G, and running fills. */ -}}
{{- $needed := add (include "forebay.bytes" .capacity | int64) (include "forebay.bytes" "8G" | int64) -}}
{{- if gt $needed $space -}}
{{- fail (printf "region.workers.capacity: %s and 8G for manifests, images and fills do not fit into %d claim(s) of region.workers.storage.size %s" .capacity $claims .storage.size) -}}
{{- end -}}
{{- end -}}
{{- $disks := len .storage.hostPaths | default $claims -}}
{{- if lt (include "forebay.bytes" .capacity | int64) (mul $disks (include "forebay.bytes" "32M" | int64)) -}}
{{- fail (printf "region.workers.capacity: %s is less than 32M for each of %d disk(s)" .capacity $disks) -}}
{{- end -}}
{{- if and .autoscaling.enabled .autoscaling.scaleDown (eq (int .drainSeconds) 0) -}}
{{- fail "region.workers.autoscaling.scaleDown: needs region.workers.drainSeconds above 0, otherwise the chunks of removed workers are fetched from the lake again" -}}
{{- end -}}
{{- end }}

{{/* Whether a component of this release calls the control plane by its name in the cluster. */}}
{{- define "forebay.controlPlaneIsAsked" -}}
{{- $datasets := .Values.controlPlane.datasets -}}
{{- $region := .Values.region -}}
{{- $gated := and $region.enabled (or $region.webhook.enabled $region.kueue.enabled) (not $region.webhook.api) -}}
{{- if and .Values.controlPlane.enabled (or (and $datasets.enabled (not $datasets.api)) $gated) -}}
true
{{- end -}}
{{- end }}

{{- define "forebay.etcdRules" -}}
{{- $encrypted := 0 -}}
{{- range .endpoints -}}
{{- $encrypted = add $encrypted (ternary 1 0 (hasPrefix "https:" .)) -}}
{{- end -}}
{{- if and $encrypted (ne (int $encrypted) (len .endpoints)) -}}
{{- fail (printf "region.etcd.endpoints: some are https and some are http: %s" (join ", " .endpoints)) -}}
{{- end -}}
{{- if and (not $encrypted) (or .tls.secret .tls.authoritySecret) -}}
{{- fail "region.etcd.tls: works only with an existing etcd in region.etcd.endpoints with https" -}}
{{- end -}}
{{- end }}

{{/* (list path values) */}}
{{- define "forebay.replicaRules" -}}
{{- with index . 1 -}}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) -}}
{{- fail (printf "%s: minReplicas is more than maxReplicas, %d and %d" (index $ 0) (int .minReplicas) (int .maxReplicas)) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/*
Rules for directories of the node that pods mount at the same paths. No directory may contain another one or overlap one
of the container itself. (region)
*/}}
{{- define "forebay.pathRules" -}}
{{- $places := dict "region.mountRoot" .mountRoot "region.holder.directory" .holder.directory "region.fuse.cacheDirectory" .fuse.cacheDirectory -}}
{{- if .csi.enabled -}}
{{- $_ := set $places "region.csi.kubeletDirectory" .csi.kubeletDirectory -}}
{{- end -}}
{{- range $i, $path := .workers.storage.hostPaths -}}
{{- $_ := set $places (printf "region.workers.storage.hostPaths[%d]" $i) $path -}}
{{- end -}}
{{- $parent := dir .mountRoot -}}
{{- range $name, $path := dict "region.holder.directory" .holder.directory "region.fuse.cacheDirectory" .fuse.cacheDirectory -}}
{{- if hasPrefix (printf "%s/" $parent) (printf "%s/" $path) -}}
{{- fail (printf "%s: %s is in %s, which contains region.mountRoot: each start of a pod would leave a mount there on the node" $name $path $parent) -}}
{{- end -}}
{{- end -}}
{{- range $name, $path := $places -}}
{{- range $other, $there := $places -}}
{{- if and (ne $name $other) (hasPrefix (printf "%s/" $there) (printf "%s/" $path)) -}}
{{- fail (printf "%s: %s is in %s, which is %s: use separate directories" $name $path $there $other) -}}
{{- end -}}
{{- end -}}
{{- range $taken := list "/dev" "/etc" "/lib" "/lib64" "/opt/forebay" "/opt/java" "/proc" "/registration" "/sys" "/tmp" "/usr" "/work" -}}
{{- $seen := ternary $parent $path (eq $name "region.mountRoot") -}}
{{- if and (not (hasPrefix "region.workers" $name)) (or (hasPrefix (printf "%s/" $taken) (printf "%s/" $seen)) (hasPrefix (printf "%s/" $seen) (printf "%s/" $taken))) -}}
{{- fail (printf "%s: %s is where containers have %s of their own" $name $path $taken) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}
