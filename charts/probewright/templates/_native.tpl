{{/* The native policy: the API server itself adds the probes. */}}

{{- define "probewright.hasNativeApi" -}}
{{- if .Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy" -}}true{{- end -}}
{{- end -}}

{{- define "probewright.keepsNativeParams" -}}
{{- if and .Values.observer.enabled .Values.observer.nativeParams -}}true{{- end -}}
{{- end -}}

{{/*
Whether the native policy is installed. With mutation On, it is beside the webhook. Helm changes the webhook before it creates the policy, and the API
server needs a second to compile the policy. So a change between On and Native leaves no Pod without probes only if the policy is there already.
*/}}
{{- define "probewright.hasNativePolicy" -}}
{{- $adds := has (include "probewright.mutation" .) (list "On" "Native") -}}
{{- if and $adds (include "probewright.keepsNativeParams" .) (include "probewright.hasNativeApi" .) -}}true{{- end -}}
{{- end -}}

{{/* The objects of files/native.yaml, which `npm run generate:native` writes. */}}
{{- define "probewright.nativeObjects" -}}
{{- $objects := list -}}
{{- range .Files.Get "files/native.yaml" | splitList "\n---\n" | rest -}}
{{- $objects = append $objects (fromYaml .) -}}
{{- end -}}
{{- toYaml $objects -}}
{{- end -}}

{{- define "probewright.refuseNative" -}}
{{- if eq (include "probewright.mutation" .) "Native" -}}
{{- if not (include "probewright.keepsNativeParams" .) -}}
{{- fail "mutation is Native, and nothing keeps the parameters of the native policy current. Set observer.enabled and observer.nativeParams to true" -}}
{{- end -}}
{{- if not (include "probewright.hasNativeApi" .) -}}
{{- fail "mutation is Native, and the cluster has no MutatingAdmissionPolicy v1, which Kubernetes has since 1.36. Set mutation to On. If the cluster has the API and Helm cannot ask it: --api-versions admissionregistration.k8s.io/v1/MutatingAdmissionPolicy" -}}
{{- end -}}
{{- $api := "admissionregistration.k8s.io/v1" -}}
{{- $webhook := lookup $api "MutatingWebhookConfiguration" "" (include "probewright.mutatingName" .) -}}
{{- if contains "mutation=On" (dig "metadata" "annotations" "probewright.dev/settings" "" $webhook) -}}
{{- $param := dict -}}
{{- if .Capabilities.APIVersions.Has "probewright.dev/v1alpha1/NamespaceProbes" -}}
{{- $param = lookup "probewright.dev/v1alpha1" "NamespaceProbes" .Release.Namespace "cluster" -}}
{{- end -}}
{{- if not (and $param (lookup $api "MutatingAdmissionPolicyBinding" "" "probewright-inject-others")) -}}
{{- fail (printf "mutation is Native, and the native policy is not at work yet, so new Pods would get no probes. First upgrade with mutation On and observer.nativeParams true, and wait until this succeeds: kubectl get namespaceprobes cluster --namespace %s" .Release.Namespace) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
