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
How long the API server waits for each webhook. A Pod is asked about twice, one after the other, and is to be delayed by no more than the value
in all: so its two webhooks share it. A second is the least that the API server takes.
*/}}
{{- define "probewright.timeouts" -}}
{{- $whole := int .Values.webhooks.timeoutSeconds -}}
mutatePods: {{ div (add $whole 1) 2 }}
validatePods: {{ max 1 (div $whole 2) }}
workloads: {{ $whole }}
{{- end -}}

{{/*
Fields of every webhook. clientConfig has no caBundle, not even an empty one: who renders the field owns it, and would undo at every upgrade what
the leader, or cert-manager, wrote.
*/}}
{{- define "probewright.webhook" -}}
admissionReviewVersions: [v1]
clientConfig:
  service:
    name: {{ include "probewright.fullname" .context }}
    namespace: {{ .context.Release.Namespace | quote }}
    path: {{ .path }}
    port: 443
failurePolicy: {{ .failurePolicy }}
matchPolicy: Equivalent
sideEffects: None
timeoutSeconds: {{ .timeoutSeconds }}
namespaceSelector:
  {{- include "probewright.namespaceSelector" .context | trim | nindent 2 }}
{{- end -}}

{{/*
Annotations of both configurations. AKS would add a namespaceSelector of its own and have it fought over; this switches that off.
*/}}
{{- define "probewright.webhookAnnotations" -}}
{{- $own := dict "admissions.enforcer/disabled" "true" -}}
{{- if eq .Values.certificates.mode "cert-manager" -}}
{{- $_ := set $own "cert-manager.io/inject-ca-from" (printf "%s/%s" .Release.Namespace (include "probewright.certManagerName" .)) -}}
{{- end -}}
{{- merge (dict) $own .Values.webhooks.annotations | toYaml -}}
{{- end -}}

{{/*
Calls that are spared because Probewright would say nothing. When an expression fails to evaluate, failurePolicy decides: so they look before
they reach, and know nulls.
*/}}

{{/* What is left to do to it is removing finalizers, and a refusal would keep it for ever. */}}
{{- define "probewright.notBeingDeleted" -}}
- name: not-being-deleted
  expression: "!has(object.metadata.deletionTimestamp) || object.metadata.deletionTimestamp == null"
{{- end -}}

{{/* The API server's copies of static Pods, and whatever else a kubelet creates: the Pod runs already. */}}
{{- define "probewright.notFromNodes" -}}
- name: not-from-a-node
  expression: "!has(request.userInfo.groups) || !('system:nodes' in request.userInfo.groups)"
- name: not-a-mirror-pod
  expression: >-
    !has(object.metadata.annotations) || object.metadata.annotations == null ||
    !('kubernetes.io/config.mirror' in object.metadata.annotations)
{{- end -}}

{{/* A Pod that has all it could be given. Init containers can have probes only if they are sidecars (restartPolicy Always). */}}
{{- define "probewright.lacksAProbe" -}}
- name: lacks-a-probe
  expression: >-
    (has(object.spec.containers) && object.spec.containers != null &&
    object.spec.containers.exists(c, !has(c.livenessProbe) || !has(c.readinessProbe) || !has(c.startupProbe))) ||
    (has(object.spec.initContainers) && object.spec.initContainers != null &&
    object.spec.initContainers.exists(c, has(c.restartPolicy) && c.restartPolicy == 'Always' &&
    (!has(c.livenessProbe) || !has(c.readinessProbe) || !has(c.startupProbe))))
{{- end -}}
