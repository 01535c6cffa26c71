{{/*
The rules of files/rbac.yaml, which is where they are written and explained. Those on certificates follow the mode: with cert-manager's,
Probewright neither makes a certificate nor writes a caBundle, and with a Secret of your own it reads that one instead of the CA's.
*/}}
{{- define "probewright.writtenRules" -}}
{{- $names := dict
  "name" (include "probewright.fullname" .)
  "caSecret" (include "probewright.caSecret" .)
  "tlsSecret" .Values.certificates.secret.name
-}}
{{- $text := .Files.Get "files/rbac.yaml" -}}
{{- range $placeholder, $value := $names -}}
{{- $text = replace (printf "{{ .%s }}" $placeholder) $value $text -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/* The rules of a section, without those on some resources. */}}
{{- define "probewright.rulesWithout" -}}
{{- $kept := list -}}
{{- range .rules -}}
{{- $isKept := true -}}
{{- range .resources -}}
{{- if has . $.resources -}}
{{- $isKept = false -}}
{{- end -}}
{{- end -}}
{{- if $isKept -}}
{{- $kept = append $kept . -}}
{{- end -}}
{{- end -}}
{{- toYaml $kept -}}
{{- end -}}

{{- define "probewright.clusterRules" -}}
{{- $written := include "probewright.writtenRules" . | fromYaml -}}
{{- $unwanted := list -}}
{{- if eq .Values.certificates.mode "cert-manager" -}}
{{- $unwanted = append $unwanted "mutatingwebhookconfigurations" -}}
{{- end -}}
{{- if not .Values.facts.services -}}
{{- $unwanted = append $unwanted "services" -}}
{{- end -}}
{{- if not .Values.facts.startupProfiles -}}
{{- $unwanted = append $unwanted "startupprofiles" -}}
{{- end -}}
{{- include "probewright.rulesWithout" (dict "rules" $written.cluster "resources" $unwanted) -}}
{{- if .Values.policyReview.impact }}
{{ toYaml $written.policyImpact }}
{{- range .Values.workloadKinds }}
- apiGroups: [{{ .group | quote }}]
  resources: [{{ .resource | quote }}]
  verbs: [list]
{{- end }}
{{- end }}
{{- end -}}

{{- define "probewright.namespaceRules" -}}
{{- $written := include "probewright.writtenRules" . | fromYaml -}}
{{- $unwanted := eq .Values.certificates.mode "own" | ternary (list) (list "secrets") -}}
{{- include "probewright.rulesWithout" (dict "rules" $written.namespace "resources" $unwanted) -}}
{{- if eq .Values.certificates.mode "secret" }}
{{ toYaml $written.ownSecret }}
{{- end -}}
{{- end -}}
