{{- define "pgveil.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "pgveil.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "pgveil.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "pgveil.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "pgveil.secret" -}}
{{- default (include "pgveil.name" .) .Values.secret.existingSecret -}}
{{- end }}

{{- define "pgveil.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "pgveil.name" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end }}

{{- /* What every container of pgveil may do: read its files, write its state, and nothing else. */ -}}
{{- define "pgveil.securityContext" -}}
runAsNonRoot: true
runAsUser: 6432
runAsGroup: 6432
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "pgveil.config" -}}
listen: {host: 0.0.0.0, port: 6432}
backend:
  host: {{ required "postgres.host is required" .Values.postgres.host | quote }}
  port: {{ .Values.postgres.port }}
  {{- if not .Values.postgres.databases }}{{ fail "postgres.databases is required" }}{{ end }}
  databases: {{ .Values.postgres.databases | toJson }}
  query_role: {user: {{ .Values.postgres.queryRole | quote }}, password_env: PGVEIL_QUERY_PASSWORD}
{{- if .Values.postgres.adminRole }}
  admin_role: {user: {{ .Values.postgres.adminRole | quote }}, password_env: PGVEIL_ADMIN_PASSWORD}
{{- end }}
tls:
  backend:
    mode: {{ .Values.postgres.tls.mode }}
{{- if .Values.postgres.tls.caSecret }}
    ca_file: /etc/pgveil-ca/ca.crt
{{- end }}
{{- if .Values.clientTls.secret }}
  clients: {mode: require, cert_file: /etc/pgveil-tls/tls.crt, key_file: /etc/pgveil-tls/tls.key}
{{- end }}
auth: {method: scram-sha-256, users_file: /etc/pgveil-secret/users}
admin:
  admin_users: {{ .Values.admins | toJson }}
  stats_users: {{ .Values.stats | toJson }}
{{- if .Values.page.enabled }}
  http: {host: 127.0.0.1, port: {{ .Values.page.port }}}
{{- end }}
policies: {{ if .Values.policies }}[policies/*.yaml]{{ else }}[]{{ end }}
state_dir: /var/lib/pgveil/state
metrics: {host: 0.0.0.0, port: {{ .Values.metrics.port }}}
{{- if .Values.state.auditLog }}
audit: {file: /var/lib/pgveil/audit.log}
{{- end }}
{{- with .Values.extraConfig }}
{{ . }}
{{- end }}
{{- end }}
