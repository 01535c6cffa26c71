{{/* Names and labels. */}}

{{- define "probewright.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 48 | trimSuffix "-" -}}
{{- end -}}

{{/*
The release's name in the cluster: of its Service, its Lease and the ValidatingWebhookConfiguration. Short enough for the suffixes of other objects.
*/}}
{{- define "probewright.fullname" -}}
{{- $name := include "probewright.name" . -}}
{{- $ofRelease := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- .Values.fullnameOverride | default $ofRelease | trunc 48 | trimSuffix "-" -}}
{{- end -}}

{{/*
The API server calls mutating webhooks in the order of their configurations' names. The injectors of Istio (istio-sidecar-injector), Consul
(<release>-consul-connect-injector) and Kuma (kuma-admission-mutating-webhook-configuration) redirect only the probes that they find, so
Probewright is called first. reinvocationPolicy covers sidecars that are injected later.
*/}}
{{- define "probewright.mutatingName" -}}
{{- printf "00-%s" (include "probewright.fullname" .) -}}
{{- end -}}

{{- define "probewright.selectorLabels" -}}
app.kubernetes.io/name: {{ include "probewright.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: webhook
{{- end -}}

{{/* Labels of every object. commonLabels cannot change the labels of selectors. */}}
{{- define "probewright.labels" -}}
{{- $own := dict
  "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-")
  "app.kubernetes.io/version" .Chart.AppVersion
  "app.kubernetes.io/managed-by" .Release.Service
  "app.kubernetes.io/part-of" "probewright"
-}}
{{- merge (dict) (include "probewright.selectorLabels" . | fromYaml) .Values.commonLabels $own | toYaml -}}
{{- end -}}

{{/* The metadata of an object but for its name: labels, and annotations when there are any. Its own come before those of every object. */}}
{{- define "probewright.labelsAndAnnotations" -}}
labels:
  {{- merge (dict) (.labels | default dict) (include "probewright.labels" .context | fromYaml) | toYaml | nindent 2 }}
{{- with merge (dict) (.annotations | default dict) .context.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "probewright.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "probewright.fullname" .) -}}
{{- end -}}

{{/* The Secret with Probewright's own CA. */}}
{{- define "probewright.caSecret" -}}
{{- .Values.certificates.own.caSecret | default (printf "%s-ca" (include "probewright.fullname" .)) -}}
{{- end -}}

{{/* The Certificate and the Secret of cert-manager's serving pair. */}}
{{- define "probewright.certManagerName" -}}
{{- include "probewright.fullname" . }}-tls
{{- end -}}

{{- define "probewright.testAccount" -}}
{{- include "probewright.fullname" . }}-prove
{{- end -}}

{{/* global.imageRegistry stands in for the registry of the repository: a first part with a dot or a colon, or localhost, as for container tools. */}}
{{- define "probewright.repository" -}}
{{- $repository := .Values.image.repository -}}
{{- with .Values.global.imageRegistry -}}
{{- printf "%s/%s" (trimSuffix "/" .) (regexReplaceAll "^([^/]*[.:][^/]*|localhost)/" $repository "") -}}
{{- else -}}
{{- $repository -}}
{{- end -}}
{{- end -}}

{{/* The digest decides; the tag beside it is for people. */}}
{{- define "probewright.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{- $digest := empty .Values.image.digest | ternary "" (printf "@%s" .Values.image.digest) -}}
{{- printf "%s:%s%s" (include "probewright.repository" .) $tag $digest -}}
{{- end -}}
