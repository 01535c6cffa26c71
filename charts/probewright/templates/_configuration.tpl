{{/*
Files that Probewright reads at its start, by name; nothing when there are none.

The cluster's default policy is a file, and not an object: Helm cannot create an object of a kind that the same release brings, and a hook that
does it afterwards would leave a gap at each upgrade in which Pods get no probes.
*/}}
{{- define "probewright.configuration" -}}
{{- $files := dict -}}
{{- with .Values.clusterPolicy -}}
{{- $policy := dict "apiVersion" "probewright.dev/v1alpha1" "kind" "ClusterProbePolicy" "metadata" (dict "name" (include "probewright.fullname" $)) "spec" . -}}
{{- $_ := set $files "cluster-policy.yaml" (toYaml $policy) -}}
{{- end -}}
{{- range .Values.library -}}
{{- $_ := set $files (printf "library-%s.yaml" .) ($.Files.Get (printf "files/library/%s.yaml" .)) -}}
{{- end -}}
{{- with include "probewright.workloadKindsFile" . -}}
{{- $_ := set $files "workload-kinds.yaml" . -}}
{{- end -}}
{{- if $files }}{{ toYaml $files }}{{ end -}}
{{- end -}}
