{{/* What Pods of this chart have in common. */}}

{{/*
The service account's token, as Kubernetes itself would mount it; but only where it is asked for, and for an hour at a time. Without
runAsUser and fsGroup the file can be read by whatever user the image or OpenShift chooses.
*/}}
{{- define "probewright.serviceAccountVolume" -}}
- name: service-account
  projected:
    sources:
      - serviceAccountToken:
          path: token
          expirationSeconds: 3607
      - configMap:
          name: kube-root-ca.crt
          items:
            - key: ca.crt
              path: ca.crt
      - downwardAPI:
          items:
            - path: namespace
              fieldRef:
                apiVersion: v1
                fieldPath: metadata.namespace
{{- end -}}

{{- define "probewright.serviceAccountVolumeMount" -}}
- name: service-account
  mountPath: /var/run/secrets/kubernetes.io/serviceaccount
  readOnly: true
{{- end -}}

{{/*
The API server is outside of every mesh, so a sidecar that requires mTLS would refuse its connections. Istio reads the label, older releases read the
annotation, and ambient mode reads the other label. The label with the chart's version is left out: a new chart alone must not restart Pods.
*/}}
{{- define "probewright.podLabels" -}}
{{- $mesh := ternary (dict "sidecar.istio.io/inject" "false" "istio.io/dataplane-mode" "none" "kuma.io/sidecar-injection" "disabled") (dict) .Values.meshOptOut -}}
{{- merge (dict) (include "probewright.selectorLabels" . | fromYaml) .Values.podLabels .Values.commonLabels $mesh | toYaml -}}
{{- end -}}

{{- define "probewright.podAnnotations" -}}
{{- $mesh := ternary (dict "sidecar.istio.io/inject" "false" "linkerd.io/inject" "disabled") (dict) .Values.meshOptOut -}}
{{- $annotations := merge (dict) .Values.podAnnotations .Values.commonAnnotations $mesh -}}
{{- with include "probewright.configuration" . -}}
{{- $_ := set $annotations "checksum/configuration" (sha256sum .) -}}
{{- end -}}
{{- if $annotations }}{{ toYaml $annotations }}{{ end -}}
{{- end -}}

{{/* The selector of the Pods is filled in, because its labels depend on the release's name. */}}
{{- define "probewright.topologySpreadConstraints" -}}
{{- $selector := dict "matchLabels" (include "probewright.selectorLabels" . | fromYaml) -}}
{{- $constraints := list -}}
{{- range .Values.topologySpreadConstraints -}}
{{- $constraints = append $constraints (hasKey . "labelSelector" | ternary . (set (omit . "labelSelector") "labelSelector" $selector)) -}}
{{- end -}}
{{- if $constraints }}{{ toYaml $constraints }}{{ end -}}
{{- end -}}
