{{/* The command line of `probewright serve`. Every setting is an argument, so `kubectl get deployment -o yaml` shows all of them. One argument a line. */}}
{{- define "probewright.args" -}}
serve
--kubeconfig=in-cluster
--namespace={{ .Release.Namespace }}
--host={{ .Values.host }}
--port={{ .Values.ports.webhook }}
--health-port={{ .Values.ports.health }}
--service-name={{ include "probewright.fullname" . }}
--webhook-configurations={{ include "probewright.mutatingName" . }},{{ include "probewright.fullname" . }}
--enforcement={{ .Values.enforcement }}
--mutation={{ include "probewright.mutationOfProcesses" . }}
{{- with .Values.denial.contact }}
--denial-contact={{ replace "$" "$$" . }}
{{- end }}
--trust-foreign-service-accounts={{ .Values.trustForeignServiceAccounts }}
{{- with .Values.trustedControllers }}
--trusted-controllers={{ join "," . }}
{{- end }}
--log-level={{ .Values.logLevel }}
--drain-seconds={{ .Values.drainSeconds }}
--lease={{ include "probewright.fullname" . }}
--lease-duration={{ .Values.leaderElection.leaseDuration }}
--lease-renew={{ .Values.leaderElection.renewInterval }}
--watch-renewal={{ .Values.watchRenewal }}
--services={{ .Values.facts.services }}
--startup-profiles={{ .Values.facts.startupProfiles }}
--policy-budget={{ .Values.policyBudget }}
--policy-impact={{ .Values.policyReview.impact }}
--exempt-namespaces={{ include "probewright.exemptNamespaces" . | fromYamlArray | join "," }}
{{- with .Values.certificates }}
{{- if eq .mode "own" }}
--ca-secret={{ include "probewright.caSecret" $ }}
--ca-lifetime={{ .own.caLifetime }}
--leaf-lifetime={{ .own.leafLifetime }}
--ca-overlap={{ .own.caOverlap }}
--certificate-check={{ .checkInterval }}
{{- else if eq .mode "secret" }}
--tls-secret={{ .secret.name }}
--certificate-check={{ .checkInterval }}
{{- else }}
--tls-cert=/etc/probewright/tls/tls.crt
--tls-key=/etc/probewright/tls/tls.key
{{- end }}
{{- end }}
{{- with .Values.callers }}
{{- if .configMap }}
--client-ca=/etc/probewright/client-ca/{{ .key }}
{{- end }}
{{- if .commonNames }}
--client-cn={{ join "," .commonNames }}
{{- end }}
{{- end }}
{{- if or .Values.clusterPolicy .Values.library }}
--policies=/etc/probewright/policies
{{- end }}
{{- if include "probewright.workloadKindsFile" . }}
--workload-kinds=/etc/probewright/workload-kinds/workload-kinds.yaml
{{- end }}
{{- range .Values.extraArgs }}
{{ . }}
{{- end }}
{{- end -}}

{{/* Files for the program, each in a directory of its own: every file in the directory of policies is read as a policy. */}}
{{- define "probewright.fileVolumes" -}}
{{- if eq .Values.certificates.mode "cert-manager" }}
- name: tls
  secret:
    secretName: {{ include "probewright.certManagerName" . }}
{{- end }}
{{- if or .Values.clusterPolicy .Values.library }}
- name: policies
  configMap:
    name: {{ include "probewright.fullname" . | quote }}
    items:
      {{- if .Values.clusterPolicy }}
      - key: cluster-policy.yaml
        path: cluster-policy.yaml
      {{- end }}
      {{- range .Values.library }}
      - key: library-{{ . }}.yaml
        path: library-{{ . }}.yaml
      {{- end }}
{{- end }}
{{- if .Values.callers.configMap }}
- name: client-ca
  configMap:
    name: {{ .Values.callers.configMap | quote }}
{{- end }}
{{- if include "probewright.workloadKindsFile" . }}
- name: workload-kinds
  configMap:
    name: {{ include "probewright.fullname" . | quote }}
    items:
      - key: workload-kinds.yaml
        path: workload-kinds.yaml
{{- end }}
{{- end -}}

{{- define "probewright.fileVolumeMounts" -}}
{{- range include "probewright.fileVolumes" . | fromYamlArray }}
- name: {{ .name }}
  mountPath: /etc/probewright/{{ .name }}
  readOnly: true
{{- end }}
{{- end -}}
