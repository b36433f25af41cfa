{{/* (dict name domain members state) */}}
{{- define "forebay.etcdEnvironment" -}}
{{- $cluster := list -}}
{{- range $i := until (int .members) -}}
{{- $cluster = append $cluster (printf "%s-%d=http://%s-%d.%s:2380" $.name $i $.name $i $.domain) -}}
{{- end -}}
- {name: ETCD_DATA_DIR, value: /var/lib/etcd/data}
- {name: ETCD_LISTEN_CLIENT_URLS, value: "http://0.0.0.0:2379"}
- {name: ETCD_ADVERTISE_CLIENT_URLS, value: "http://$(ETCD_NAME).{{ .domain }}:2379"}
- {name: ETCD_LISTEN_PEER_URLS, value: "http://0.0.0.0:2380"}
- {name: ETCD_INITIAL_ADVERTISE_PEER_URLS, value: "http://$(ETCD_NAME).{{ .domain }}:2380"}
- {name: ETCD_LISTEN_METRICS_URLS, value: "http://0.0.0.0:2381"}
- {name: ETCD_INITIAL_CLUSTER, value: {{ join "," $cluster | quote }}}
- {name: ETCD_INITIAL_CLUSTER_TOKEN, value: {{ .name }}}
- {name: ETCD_INITIAL_CLUSTER_STATE, value: {{ .state }}}
# Clients resume watches from their last revision. An hour is longer than any client is away and resumes.
- {name: ETCD_AUTO_COMPACTION_MODE, value: periodic}
- {name: ETCD_AUTO_COMPACTION_RETENTION, value: 1h}
{{- end }}
