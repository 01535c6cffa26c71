{{/* Durations, and the values that `probewright serve` would not start with. files/serve-limits.yaml has the numbers of the program itself. */}}

{{/* A duration such as 1h30m in milliseconds; nothing for a text that is none. Up to nine digits a part, so that no sum overflows. */}}
{{- define "probewright.milliseconds" -}}
{{- $units := dict "d" 86400000 "h" 3600000 "m" 60000 "s" 1000 "ms" 1 -}}
{{- $text := toString . -}}
{{- if regexMatch "^([0-9]{1,9}(ms|[dhms]))+$" $text -}}
{{- $sum := 0 -}}
{{- range regexFindAll "[0-9]+(ms|[dhms])" $text -1 -}}
{{- $unit := regexReplaceAll "^[0-9]+" . "" -}}
{{- $sum = add $sum (mul (trimSuffix $unit . | atoi) (get $units $unit)) -}}
{{- end -}}
{{- $sum -}}
{{- end -}}
{{- end -}}

{{/* Milliseconds as people write them: 90000 is 1m30s. */}}
{{- define "probewright.durationText" -}}
{{- $rest := int64 . -}}
{{- range list (list "d" 86400000) (list "h" 3600000) (list "m" 60000) (list "s" 1000) (list "ms" 1) -}}
{{- $count := div $rest (index . 1) -}}
{{- if $count }}{{ $count }}{{ index . 0 }}{{ end -}}
{{- $rest = mod $rest (index . 1) -}}
{{- end -}}
{{- end -}}

{{/* Refuses a value, by its path, that is no duration of `probewright serve`. */}}
{{- define "probewright.refuseNoDuration" -}}
{{- $most := (.context.Files.Get "files/serve-limits.yaml" | fromYaml).durations.mostDuration | int64 -}}
{{- $milliseconds := include "probewright.milliseconds" .value -}}
{{- if or (not $milliseconds) (lt (int64 $milliseconds) 1) (gt (int64 $milliseconds) $most) -}}
{{- fail (printf "%s is %q, which is no duration from 1ms to 100 years. Write one such as 90s, 5m, 1h30m or 7d" .path (toString .value)) -}}
{{- end -}}
{{- end -}}

{{- define "probewright.refuseDurations" -}}
{{- $limits := .Files.Get "files/serve-limits.yaml" | fromYaml -}}
{{- $mode := .Values.certificates.mode -}}
{{- $own := .Values.certificates.own -}}
{{- $durations := dict
  "leaderElection.leaseDuration" .Values.leaderElection.leaseDuration
  "leaderElection.renewInterval" .Values.leaderElection.renewInterval
  "watchRenewal" .Values.watchRenewal
-}}
{{- if ne $mode "cert-manager" -}}
{{- $_ := set $durations "certificates.checkInterval" .Values.certificates.checkInterval -}}
{{- end -}}
{{- if eq $mode "own" -}}
{{- range list "caLifetime" "leafLifetime" "caOverlap" -}}
{{- $_ := set $durations (printf "certificates.own.%s" .) (get $own .) -}}
{{- end -}}
{{- end -}}
{{- range $path, $value := $durations -}}
{{- include "probewright.refuseNoDuration" (dict "context" $ "path" $path "value" $value) -}}
{{- end -}}
{{- $leaf := include "probewright.milliseconds" (eq $mode "own" | ternary $own.leafLifetime $limits.defaultLeafLifetime) | int64 -}}
{{- if eq $mode "own" -}}
{{- $rotation := include "probewright.milliseconds" $own.caOverlap | int64 | mul $limits.durations.overlapsInRotation | add $leaf -}}
{{- $least := mul $limits.durations.rotationsInCaLifetime $rotation -}}
{{- if lt (include "probewright.milliseconds" $own.caLifetime | int64) $least -}}
{{- fail (printf "certificates.own.caLifetime is %s, and must be %d times as long as leafLifetime plus %d times caOverlap. Set it to %s or more" $own.caLifetime (int64 $limits.durations.rotationsInCaLifetime) (int64 $limits.durations.overlapsInRotation) (include "probewright.durationText" $least)) -}}
{{- end -}}
{{- end -}}
{{- $most := div $leaf $limits.durations.checksInLeafLifetime -}}
{{- if and (ne $mode "cert-manager") (gt (include "probewright.milliseconds" .Values.certificates.checkInterval | int64) $most) -}}
{{- fail (printf "certificates.checkInterval is %s, too rare to renew a certificate that lasts %s. Set it to %s or less" .Values.certificates.checkInterval (include "probewright.durationText" $leaf) (include "probewright.durationText" $most)) -}}
{{- end -}}
{{- with .Values.leaderElection -}}
{{- $most := div (include "probewright.milliseconds" .leaseDuration) $limits.durations.renewalsInLeaseDuration -}}
{{- if gt (include "probewright.milliseconds" .renewInterval | int64) $most -}}
{{- fail (printf "leaderElection.renewInterval is %s, too rare for a leaseDuration of %s. Set it to %s or less" .renewInterval .leaseDuration (include "probewright.durationText" $most)) -}}
{{- end -}}
{{- end -}}
{{- $watch := include "probewright.milliseconds" .Values.watchRenewal | int64 -}}
{{- if or (lt $watch (int64 $limits.durations.leastWatchRenewal)) (gt $watch (int64 $limits.durations.mostWatchRenewal)) -}}
{{- fail (printf "watchRenewal is %s. Set it to a duration from %s to %s" .Values.watchRenewal (include "probewright.durationText" $limits.durations.leastWatchRenewal) (include "probewright.durationText" $limits.durations.mostWatchRenewal)) -}}
{{- end -}}
{{- end -}}

{{/* What cert-manager would not accept: MinimumCertificateDuration and MinimumRenewBefore of its API, and a renewal before the issuance. */}}
{{- define "probewright.refuseCertManagerDurations" -}}
{{- if eq .Values.certificates.mode "cert-manager" -}}
{{- $own := .Values.certificates.certManager -}}
{{- range $key, $least := dict "caDuration" "1h" "leafDuration" "1h" "leafRenewBefore" "5m" -}}
{{- $value := get $own $key | toString -}}
{{- $milliseconds := include "probewright.milliseconds" $value -}}
{{- if or (not $milliseconds) (contains "d" $value) -}}
{{- fail (printf "certificates.certManager.%s is %q, which is no duration that cert-manager reads. Write one such as 90m or 2160h" $key $value) -}}
{{- end -}}
{{- if lt (int64 $milliseconds) (include "probewright.milliseconds" $least | int64) -}}
{{- fail (printf "certificates.certManager.%s is %s, less than cert-manager accepts. Set it to %s or more" $key $value $least) -}}
{{- end -}}
{{- end -}}
{{- if ge (include "probewright.milliseconds" $own.leafRenewBefore | int64) (include "probewright.milliseconds" $own.leafDuration | int64) -}}
{{- fail (printf "certificates.certManager.leafRenewBefore is %s, and a serving certificate lasts only %s (leafDuration). Set leafRenewBefore to a third of leafDuration" $own.leafRenewBefore $own.leafDuration) -}}
{{- end -}}
{{- end -}}
{{- end -}}
