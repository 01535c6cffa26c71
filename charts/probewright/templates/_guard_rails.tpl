{{/*
Combinations that would hurt later are refused now. A sentence says what is wrong and what to write instead.
What a single value may be is in values.schema.json.
*/}}
{{- define "probewright.guardRails" -}}
{{- if eq .Release.Namespace "kube-system" -}}
{{- fail "Probewright cannot be installed in kube-system: that namespace has to work without any webhook. Install it in one of its own: --namespace probewright-system --create-namespace" -}}
{{- end -}}
{{- if and .Values.callers.commonNames (not .Values.callers.configMap) -}}
{{- fail "callers.commonNames is set and callers.configMap is not: names count only in certificates that a known CA has signed. Set callers.configMap, or take the names out" -}}
{{- end -}}
{{- range $what := list "pods" "workloads" -}}
{{- if and (eq (index $.Values.webhooks $what).failurePolicy "Fail") (lt (int $.Values.replicas) 2) -}}
{{- fail (printf "webhooks.%s.failurePolicy is Fail and replicas is %d: whenever that Pod is replaced, nothing could be created. Set replicas to 2 or more, or failurePolicy to Ignore" $what (int $.Values.replicas)) -}}
{{- end -}}
{{- end -}}
{{- with .Values.certificates -}}
{{- if and .secret.name (ne .mode "secret") -}}
{{- fail (printf "certificates.secret.name is set and certificates.mode is %s: choose one. Set certificates.mode to secret to serve with that Secret, or take the name out" .mode) -}}
{{- end -}}
{{- if and .certManager.issuerRef (ne .mode "cert-manager") -}}
{{- fail (printf "certificates.certManager.issuerRef is set and certificates.mode is %s: choose one. Set certificates.mode to cert-manager to have that issuer sign, or take the reference out" .mode) -}}
{{- end -}}
{{- if and .own.caSecret (ne .mode "own") -}}
{{- fail (printf "certificates.own.caSecret is set and certificates.mode is %s: choose one. Set certificates.mode to own for Probewright's own CA, or take the name out" .mode) -}}
{{- end -}}
{{- if and (eq .mode "secret") (not .secret.name) -}}
{{- fail "certificates.mode is secret: set certificates.secret.name to the kubernetes.io/tls Secret with the serving pair" -}}
{{- end -}}
{{- end -}}
{{- if eq (int .Values.ports.webhook) (int .Values.ports.health) -}}
{{- fail (printf "ports.webhook and ports.health are both %d: choose another for one of them" (int .Values.ports.health)) -}}
{{- end -}}
{{- if and .Values.hostNetwork (has 10250 (list (int .Values.ports.webhook) (int .Values.ports.health))) -}}
{{- fail "hostNetwork is true and a port is 10250: on a node that is the kubelet's. Set ports.webhook to a free one, such as 9443, and open it to the control plane" -}}
{{- end -}}
{{- $end := add .Values.preStopSleepSeconds .Values.drainSeconds 5 -}}
{{- if lt (int .Values.terminationGracePeriodSeconds) (int $end) -}}
{{- fail (printf "terminationGracePeriodSeconds is %d, and preStopSleepSeconds, drainSeconds and 5 seconds to finish need %d: requests would be cut off. Set it to %d or more" (int .Values.terminationGracePeriodSeconds) (int $end) (int $end)) -}}
{{- end -}}
{{- if and (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) -}}
{{- fail "serviceAccount.create is false: set serviceAccount.name to the one that the Pods are to run as" -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled .Values.hostNetwork -}}
{{- fail "networkPolicy.enabled and hostNetwork are both true: NetworkPolicies do not reach Pods in the nodes' network. Switch one of them off" -}}
{{- end -}}
{{- range .Values.workloadKinds -}}
{{- if not (or .podTemplatePath (has (printf "%s/%s" .group .kind) (include "probewright.readyMadeKinds" $ | fromYamlArray))) -}}
{{- fail (printf "workloadKinds: %s of %s is no kind that Probewright knows by itself. Set its podTemplatePath, such as spec.template" .kind .group) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What `probewright serve` knows without --workload-kinds. Held to src/workload/custom-kinds.ts by a test. */}}
{{- define "probewright.readyMadeKinds" -}}
- argoproj.io/Rollout
- apps.kruise.io/CloneSet
- serving.knative.dev/Service
- keda.sh/ScaledJob
- jobset.x-k8s.io/JobSet
- leaderworkerset.x-k8s.io/LeaderWorkerSet
{{- end -}}
