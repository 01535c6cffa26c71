{{/* The observer: a process of its own, with a service account of its own. */}}

{{- define "probewright.observerName" -}}
{{- include "probewright.fullname" . }}-observer
{{- end -}}

{{- define "probewright.observerServiceAccount" -}}
{{- .Values.observer.serviceAccount.name | default (include "probewright.observerName" .) -}}
{{- end -}}

{{- define "probewright.observerSelectorLabels" -}}
{{- set (include "probewright.selectorLabels" . | fromYaml) "app.kubernetes.io/component" "observer" | toYaml -}}
{{- end -}}

{{/* Labels and annotations of an object of the observer. */}}
{{- define "probewright.observerMetadata" -}}
{{- include "probewright.labelsAndAnnotations" (dict "context" .context "annotations" .annotations "labels" (dict "app.kubernetes.io/component" "observer")) -}}
{{- end -}}

{{- define "probewright.observerPodLabels" -}}
{{- merge (dict "app.kubernetes.io/component" "observer") (include "probewright.podLabels" . | fromYaml) | toYaml -}}
{{- end -}}

{{/* The command line of `probewright observe`. One argument a line. */}}
{{- define "probewright.observerArgs" -}}
observe
--kubeconfig=in-cluster
--namespace={{ .Release.Namespace }}
--host={{ .Values.host }}
--health-port={{ .Values.ports.health }}
{{- if .Values.observer.dashboard.enabled }}
--dashboard-port={{ .Values.observer.dashboard.port }}
{{- with .Values.observer.dashboard.hosts }}
--dashboard-hosts={{ join "," . }}
{{- end }}
{{- end }}
--scan-interval={{ .Values.observer.scanInterval }}
--reports={{ .Values.observer.reports.api }}
--reports-include-clean={{ .Values.observer.reports.includeClean }}
--services={{ .Values.facts.services }}
--startup-profiles={{ .Values.facts.startupProfiles }}
--startups={{ .Values.observer.startups }}
--native-params={{ .Values.observer.nativeParams }}
--enforcement={{ .Values.enforcement }}
--mutation={{ include "probewright.mutationOfProcesses" . }}
--webhook-configuration={{ include "probewright.mutatingName" . }}
--exempt-namespaces={{ include "probewright.exemptNamespaces" . | fromYamlArray | join "," }}
--log-level={{ .Values.logLevel }}
--lease={{ include "probewright.observerName" . }}
--lease-duration={{ .Values.leaderElection.leaseDuration }}
--lease-renew={{ .Values.leaderElection.renewInterval }}
--watch-renewal={{ .Values.watchRenewal }}
--policy-budget={{ .Values.policyBudget }}
{{- if or .Values.clusterPolicy .Values.library }}
--policies=/etc/probewright/policies
{{- end }}
{{- if include "probewright.workloadKindsFile" . }}
--workload-kinds=/etc/probewright/workload-kinds/workload-kinds.yaml
{{- end }}
{{- range .Values.observer.extraArgs }}
{{ . }}
{{- end }}
{{- end -}}

{{/* Files for the observer: the cluster's default policy and the custom kinds. */}}
{{- define "probewright.observerFileVolumes" -}}
{{- $volumes := list -}}
{{- range include "probewright.fileVolumes" . | fromYamlArray -}}
{{- if has .name (list "policies" "workload-kinds") -}}
{{- $volumes = append $volumes . -}}
{{- end -}}
{{- end -}}
{{- if $volumes }}{{ toYaml $volumes }}{{ end -}}
{{- end -}}

{{/* Rules without some verbs. */}}
{{- define "probewright.rulesWithoutVerbs" -}}
{{- $kept := list -}}
{{- range .rules -}}
{{- $rule := deepCopy . -}}
{{- range $verb := $.verbs -}}
{{- $_ := set $rule "verbs" (without $rule.verbs $verb) -}}
{{- end -}}
{{- $kept = append $kept $rule -}}
{{- end -}}
{{- toYaml $kept -}}
{{- end -}}

{{/* The rules on reports. A named API leaves only what the deletion of reports of the other API needs. */}}
{{- define "probewright.observerReportRules" -}}
{{- $groups := dict "openreports" "openreports.io" "wgpolicyk8s" "wgpolicyk8s.io" -}}
{{- $named := get $groups .api -}}
{{- $kept := list -}}
{{- range .rules -}}
{{- $isOther := and (ne $named "") (not (has $named .apiGroups)) -}}
{{- $verbs := $isOther | ternary (list "get" "watch" "create" "update") (list) -}}
{{- $kept = concat $kept (include "probewright.rulesWithoutVerbs" (dict "rules" (list .) "verbs" $verbs) | fromYamlArray) -}}
{{- end -}}
{{- toYaml $kept -}}
{{- end -}}

{{/* What the webhook lists and watches, and what the observer alone reads and writes. */}}
{{- define "probewright.observerClusterRules" -}}
{{- $read := list -}}
{{- range include "probewright.clusterRules" . | fromYamlArray -}}
{{- $writes := without .verbs "get" "list" "watch" -}}
{{- if and (not $writes) (not (has "admissionregistration.k8s.io" .apiGroups)) -}}
{{- $read = append $read . -}}
{{- end -}}
{{- end -}}
{{- $rules := include "probewright.rulesWithoutVerbs" (dict "rules" $read "verbs" (list "get")) | fromYamlArray -}}
{{- $written := .Files.Get "files/observer-rbac.yaml" | replace "{{ .webhook }}" (include "probewright.mutatingName" .) | fromYaml -}}
{{- $workloads := $written.workloads -}}
{{- range .Values.workloadKinds -}}
{{- $workloads = append $workloads (dict "apiGroups" (list .group) "resources" (list .resource) "verbs" (list "get" "list" "watch")) -}}
{{- end -}}
{{- $hasReports := ne .Values.observer.reports.api "none" -}}
{{- $ofPods := $hasReports | ternary (list) (list "get") -}}
{{- $ofWorkloads := or $hasReports .Values.observer.startups | ternary (list) (list "get") -}}
{{- $rules = concat $rules $written.cluster -}}
{{- $rules = concat $rules (include "probewright.rulesWithoutVerbs" (dict "rules" $written.pods "verbs" $ofPods) | fromYamlArray) -}}
{{- $rules = concat $rules (include "probewright.rulesWithoutVerbs" (dict "rules" $workloads "verbs" $ofWorkloads) | fromYamlArray) -}}
{{- $rules = concat $rules $written.missed -}}
{{- if .Values.observer.startups -}}
{{- $rules = concat $rules $written.startups -}}
{{- end -}}
{{- if .Values.observer.nativeParams -}}
{{- $rules = concat $rules $written.native -}}
{{- end -}}
{{- if $hasReports -}}
{{- $rules = concat $rules (include "probewright.observerReportRules" (dict "rules" $written.reports "api" .Values.observer.reports.api) | fromYamlArray) -}}
{{- end -}}
{{- toYaml ($rules | uniq) -}}
{{- end -}}

{{- define "probewright.observerNamespaceRules" -}}
{{- $text := .Files.Get "files/observer-rbac.yaml" | replace "{{ .name }}" (include "probewright.observerName" .) -}}
{{- toYaml (fromYaml $text).namespace -}}
{{- end -}}
