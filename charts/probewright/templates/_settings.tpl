{{/* What values mean, where that takes more than reading them. */}}

{{/* YAML takes On and Off without quotes for true and false. */}}
{{- define "probewright.mutation" -}}
{{- if kindIs "bool" .Values.mutation -}}
{{- ternary "On" "Off" .Values.mutation -}}
{{- else -}}
{{- .Values.mutation -}}
{{- end -}}
{{- end -}}

{{/* The mode of the processes. They judge workloads with the probes that Pods get, whoever adds them. */}}
{{- define "probewright.mutationOfProcesses" -}}
{{- include "probewright.mutation" . | replace "Native" "On" -}}
{{- end -}}

{{/* The fewest replicas that there are to be; nothing when something else decides. */}}
{{- define "probewright.leastReplicas" -}}
{{- if .Values.autoscaling.enabled -}}
{{- int .Values.autoscaling.minReplicas -}}
{{- else if not (kindIs "invalid" .Values.replicas) -}}
{{- int .Values.replicas -}}
{{- end -}}
{{- end -}}

{{/* Seconds before the end of a serving certificate at which it should have been renewed long ago. Own ones are renewed after two thirds of their life,
     a tenth of that sooner or later. */}}
{{- define "probewright.leafExpirySeconds" -}}
{{- $certificates := .Values.certificates -}}
{{- if .Values.monitoring.prometheusRule.leafExpirySeconds -}}
{{- int64 .Values.monitoring.prometheusRule.leafExpirySeconds -}}
{{- else if eq $certificates.mode "own" -}}
{{- div (include "probewright.milliseconds" $certificates.own.leafLifetime | int64 | mul 3) 14000 -}}
{{- else if eq $certificates.mode "cert-manager" -}}
{{- div (include "probewright.milliseconds" $certificates.certManager.leafRenewBefore) 2000 -}}
{{- else -}}
129600
{{- end -}}
{{- end -}}

{{/* Seconds before the end of the own CA at which it should have been replaced. A rotation begins after two thirds of its life, and its overlap takes less
     than a sixth. */}}
{{- define "probewright.caExpirySeconds" -}}
{{- if .Values.monitoring.prometheusRule.caExpirySeconds -}}
{{- int64 .Values.monitoring.prometheusRule.caExpirySeconds -}}
{{- else -}}
{{- div (include "probewright.milliseconds" .Values.certificates.own.caLifetime) 6000 -}}
{{- end -}}
{{- end -}}

{{/* Quantities as texts: older servers take no numbers for them under server-side apply. */}}
{{- define "probewright.resources" -}}
{{- range $what, $quantities := .Values.resources }}
{{ $what }}:
  {{- range $resource, $quantity := $quantities }}
  {{ $resource }}: {{ $quantity | toString | quote }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Half of the memory limit in MiB, for the old generation of Node's heap. Code, young objects, connections and bodies that are still coming in take
     up to 160 MiB beside it, which the limit of values.yaml has room for. Nothing without a limit. */}}
{{- define "probewright.heapMegabytes" -}}
{{- $limit := dig "limits" "memory" "" .Values.resources | toString -}}
{{- if $limit -}}
{{- $units := dict "" 1 "k" 1000 "M" 1000000 "G" 1000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 -}}
{{- $unit := regexReplaceAll "^[0-9]+" $limit "" -}}
{{- if or (eq $unit $limit) (not (hasKey $units $unit)) -}}
{{- fail (printf "resources.limits.memory: %q cannot be read; write a whole number with Mi or Gi, such as 384Mi" $limit) -}}
{{- end -}}
{{- $bytes := mul (trimSuffix $unit $limit | int64) (get $units $unit) -}}
{{- div $bytes (mul 2 1048576) -}}
{{- end -}}
{{- end -}}

{{/* Custom kinds with a path of their own, in the words of --workload-kinds. */}}
{{- define "probewright.workloadKindsFile" -}}
{{- $entries := list -}}
{{- range .Values.workloadKinds -}}
{{- if .podTemplatePath -}}
{{- $entries = append $entries (omit . "resource") -}}
{{- end -}}
{{- end -}}
{{- if $entries }}{{ toYaml $entries }}{{ end -}}
{{- end -}}

{{/* The names of the webhooks, as metrics, audit annotations and denials tell them. */}}
{{- define "probewright.webhookNames" -}}
- mutate.probewright.dev
- validate-pods.probewright.dev
- validate-workloads.probewright.dev
{{- end -}}

{{/* Whether `helm test` can prove anything: the namespace must be one that the webhooks look at. */}}
{{- define "probewright.testsRendered" -}}
{{- $exempt := concat (include "probewright.exemptNamespaces" . | fromYamlArray) -}}
{{- if and .Values.tests.enabled (not (has .Values.tests.namespace $exempt)) -}}true{{- end -}}
{{- end -}}
