{{/* What both webhook configurations have in common. */}}

{{/* Namespaces that no value can bring back: the cluster has to be able to heal, and Probewright to start again, without Probewright. */}}
{{- define "probewright.exemptNamespaces" -}}
{{- list "kube-system" "kube-public" "kube-node-lease" .Release.Namespace | concat .Values.webhooks.excludedNamespaces | uniq | sortAlpha | toYaml -}}
{{- end -}}

{{/*
By kubernetes.io/metadata.name, which nobody can change, and not by a label of the user's. The label for opting out can be set by whoever may
update the Namespace: see opt-out-guard.yaml. Expressions are all required, so values can only narrow.
*/}}
{{- define "probewright.namespaceSelector" -}}
{{- with .Values.webhooks.namespaceSelector.matchLabels }}
matchLabels:
  {{- toYaml . | nindent 2 }}
{{- end }}
matchExpressions:
  - key: kubernetes.io/metadata.name
    operator: NotIn
    values:
      {{- include "probewright.exemptNamespaces" . | nindent 6 }}
  - key: probewright.dev/webhook
    operator: NotIn
    values: [disabled]
  {{- with .Values.webhooks.namespaceSelector.matchExpressions }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/*
How long the API server waits for each webhook. A Pod of a user costs two calls in sequence, and the value is the longest delay of a Pod: so the two
webhooks share the value. A second is the least that the API server takes.
*/}}
{{- define "probewright.timeouts" -}}
{{- $whole := int .Values.webhooks.timeoutSeconds -}}
mutatePods: {{ div (add $whole 1) 2 }}
validatePods: {{ max 1 (div $whole 2) }}
workloads: {{ $whole }}
{{- end -}}

{{/*
Fields of every webhook. clientConfig has no caBundle, not even an empty one: who renders the field owns it, and would undo at every upgrade what
the leader, or cert-manager, wrote. See probewright.carriedBundle for the exception.
*/}}
{{- define "probewright.webhook" -}}
admissionReviewVersions: [v1]
clientConfig:
  {{- with .caBundle }}
  caBundle: {{ . }}
  {{- end }}
  service:
    name: {{ include "probewright.fullname" .context | quote }}
    namespace: {{ .context.Release.Namespace | quote }}
    path: {{ .path }}
    port: 443
failurePolicy: {{ .failurePolicy }}
matchPolicy: Equivalent
sideEffects: None
timeoutSeconds: {{ .timeoutSeconds }}
{{- if not .everyNamespace }}
namespaceSelector:
  {{- include "probewright.namespaceSelector" .context | trim | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
The caBundle for a MutatingWebhookConfiguration that takes the place of one with the name of earlier versions. Replicas of these versions answer
until the rollout is over, and do not fill the new configuration. Without the caBundle, every call would fail until then. Helm has rendered the
field then, and would empty it if it were not there at the next upgrade. So the annotation says to render what the cluster has.
*/}}
{{- define "probewright.carriedBundle" -}}
{{- $find := dict "api" "admissionregistration.k8s.io/v1" "kind" "MutatingWebhookConfiguration" -}}
{{- $found := lookup $find.api $find.kind "" (include "probewright.mutatingName" .) -}}
{{- if not $found -}}
{{- $found = lookup $find.api $find.kind "" (include "probewright.fullname" .) -}}
{{- else if ne (dig "metadata" "annotations" "probewright.dev/ca-bundle" "" $found) "carried" -}}
{{- $found = dict -}}
{{- end -}}
{{- range $found.webhooks -}}
{{- $service := dig "clientConfig" "service" dict . -}}
{{- if and (eq .name "mutate.probewright.dev") (eq (dig "name" "" $service) (include "probewright.fullname" $)) (eq (dig "namespace" "" $service) $.Release.Namespace) -}}
{{- dig "clientConfig" "caBundle" "" . -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Annotations of both configurations. AKS would add a namespaceSelector of its own and have it fought over; this switches that off.
*/}}
{{- define "probewright.webhookAnnotations" -}}
{{- $own := dict "admissions.enforcer/disabled" "true" -}}
{{- if eq .Values.certificates.mode "cert-manager" -}}
{{- $_ := set $own "cert-manager.io/inject-ca-from" (printf "%s/%s" .Release.Namespace (include "probewright.certManagerName" .)) -}}
{{- end -}}
{{- merge (dict) $own .Values.webhooks.annotations .Values.commonAnnotations | toYaml -}}
{{- end -}}

{{/* The Pods that may get probes. */}}
{{- define "probewright.podSelector" -}}
{{- include "probewright.objectSelector" (dict "context" . "expressions" (list (dict "key" "probewright.dev/webhook" "operator" "NotIn" "values" (list "disabled")))) | trim -}}
{{- end -}}

{{/*
Conditions on the labels of an object, besides the built-in ones. Expressions are all required, so values can only narrow. The list has the built-in
expressions of the webhook.
*/}}
{{- define "probewright.objectSelector" -}}
{{- with .context.Values.webhooks.objectSelector.matchLabels }}
matchLabels:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with concat .expressions (.context.Values.webhooks.objectSelector.matchExpressions | default list) }}
matchExpressions:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
