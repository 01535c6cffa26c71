{{/*
Values that would hurt later are refused now. A sentence says what is wrong and what to write instead. The schema refuses what a single value
must not be where its message needs no explanation; a regular expression does.
*/}}
{{- define "probewright.guardRails" -}}
{{- if eq .Release.Namespace "kube-system" -}}
{{- fail "Probewright cannot be installed in kube-system: that namespace has to work without any webhook. Install it in one of its own: --namespace probewright-system --create-namespace" -}}
{{- end -}}
{{- include "probewright.refuseOtherNames" . -}}
{{- include "probewright.refuseMissingValues" . -}}
{{- include "probewright.refuseImage" . -}}
{{- include "probewright.refuseUseless" . -}}
{{- include "probewright.refuseReplicas" . -}}
{{- include "probewright.refuseDurations" . -}}
{{- include "probewright.refuseCertManagerDurations" . -}}
{{- include "probewright.refuseNames" . -}}
{{- include "probewright.refuseArgs" . -}}
{{- include "probewright.refuseWorkloadKinds" . -}}
{{- include "probewright.refuseMatchConditions" . -}}
{{- include "probewright.refusePolicyTexts" . -}}
{{- include "probewright.refuseNative" . -}}
{{- if and .Values.callers.commonNames (not .Values.callers.configMap) -}}
{{- fail "callers.commonNames is set and callers.configMap is not: names count only in certificates that a known CA has signed. Set callers.configMap, or take the names out" -}}
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
{{- with .Values.observer -}}
{{- if and .enabled .dashboard.enabled (has (int $.Values.ports.health) (list (int .dashboard.port) (int .dashboard.servicePort))) -}}
{{- fail (printf "ports.health is %d, and so is observer.dashboard.port or observer.dashboard.servicePort: choose another for the page" (int $.Values.ports.health)) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.hostNetwork (has 10250 (list (int .Values.ports.webhook) (int .Values.ports.health))) -}}
{{- fail "hostNetwork is true and a port is 10250: on a node that is the kubelet's. Set ports.webhook to a free one, such as 9443, and open it to the control plane" -}}
{{- end -}}
{{- $end := add .Values.preStopSleepSeconds .Values.drainSeconds 5 -}}
{{- if lt (int .Values.terminationGracePeriodSeconds) (int $end) -}}
{{- fail (printf "terminationGracePeriodSeconds is %d, and preStopSleepSeconds, drainSeconds and 5 seconds to finish need %d: requests would be cut off. Set it to %d or more" (int .Values.terminationGracePeriodSeconds) (int $end) (int $end)) -}}
{{- end -}}
{{- $heap := include "probewright.heapMegabytes" . -}}
{{- if and $heap (gt (int .Values.policyBudget) 8) (gt (int .Values.policyBudget) (div (sub (int $heap) 128) 8 | int)) -}}
{{- fail (printf "policyBudget is %d, and resources.limits.memory has no room for so many policies: set the limit to %s or more" (int .Values.policyBudget) (printf "%dMi" (add 256 (mul 16 (int .Values.policyBudget))))) -}}
{{- end -}}
{{- with .Values.observer.enabled | ternary .Values.observer nil -}}
{{- $heap := include "probewright.heapMegabytes" (dict "Values" (dict "resources" .resources)) -}}
{{- $budget := int $.Values.policyBudget -}}
{{- if and $heap (gt $budget 8) (gt $budget (div (sub (int $heap) 192) 8 | int)) -}}
{{- fail (printf "policyBudget is %d, and observer.resources.limits.memory has no room for so many policies: set the limit to %s or more" $budget (printf "%dMi" (add 384 (mul 16 $budget)))) -}}
{{- end -}}
{{- end -}}
{{- if and (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) -}}
{{- fail "serviceAccount.create is false: set serviceAccount.name to the one that the Pods are to run as" -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled .Values.hostNetwork -}}
{{- fail "networkPolicy.enabled and hostNetwork are both true: NetworkPolicies do not reach Pods in the nodes' network. Switch one of them off" -}}
{{- end -}}
{{- end -}}

{{/* What the schema takes, and what the process, the API server or the release would stumble over. */}}
{{- define "probewright.refuseUseless" -}}
{{- if not (regexMatch "^([A-Za-z0-9_][-A-Za-z0-9_.]{0,127})?$" (toString .Values.image.tag)) -}}
{{- fail (printf "image.tag is %q, which is no tag. Write letters, digits, '_', '.' and '-'" (toString .Values.image.tag)) -}}
{{- end -}}
{{- /* Hidden characters, spaces at the ends, and log commands of CI hosts: `probewright serve` refuses them too. */ -}}
{{- if regexMatch "[\\p{Cc}\\p{Cf}\\p{Co}\\p{Zl}\\p{Zp}\\x{034f}\\x{115f}\\x{1160}\\x{17b4}\\x{17b5}\\x{180b}-\\x{180f}\\x{3164}\\x{fe00}-\\x{fe0f}\\x{ffa0}\\x{e0000}-\\x{e0fff}]|^\\s|\\s$|##[A-Za-z]*\\[" .Values.denial.contact -}}
{{- fail (printf "denial.contact is %q: write one line of visible characters, without spaces at its ends, such as Questions? Ask #platform-probes." .Values.denial.contact) -}}
{{- end -}}
{{- if has "*" .Values.trustedControllers -}}
{{- fail "trustedControllers has \"*\", which trusts the controller references of every user: nothing would be checked. Write the user names of your operators, such as system:serviceaccount:data:postgres-operator" -}}
{{- end -}}
{{- $of := dict "resources" .Values.resources -}}
{{- with .Values.observer -}}
{{- if .enabled -}}
{{- $_ := set $of "observer.resources" .resources -}}
{{- $interval := include "probewright.milliseconds" .scanInterval -}}
{{- if and $interval (lt (int64 $interval) 60000) -}}
{{- fail (printf "observer.scanInterval is %q, and the process does not start with less than 1m. Write 1m or more" .scanInterval) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $path, $resources := $of -}}
{{- $limit := dig "limits" "memory" "" $resources | toString -}}
{{- $heap := include "probewright.heapMegabytes" (dict "Values" (dict "resources" $resources)) -}}
{{- if and $heap (lt (int $heap) 64) -}}
{{- fail (printf "%s.limits.memory is %q, in which no process can start. Write 128Mi or more; the default has room for all policies" $path $limit) -}}
{{- end -}}
{{- end -}}
{{- /* The notes warn of the default and of the release's own namespace: such an installation is no mistake. */ -}}
{{- if and .Values.tests.enabled (not (has .Values.tests.namespace (list "default" .Release.Namespace))) (not (include "probewright.testsRendered" .)) -}}
{{- fail (printf "tests.namespace is %q, which is exempt, so that `helm test` could prove nothing. Set tests.namespace to a namespace that is not, or tests.enabled to false" .Values.tests.namespace) -}}
{{- end -}}
{{- range $key := list "apiServerIngressCIDRs" "apiServerEgressCIDRs" -}}
{{- range get $.Values.networkPolicy $key -}}
{{- $family := include "probewright.isAddress" (regexReplaceAll "/.*$" . "") -}}
{{- if or (not $family) (not (regexMatch "/([0-9]|[1-9][0-9]|1[01][0-9]|12[0-8])$" .)) (and (eq $family "4") (not (regexMatch "/([12]?[0-9]|3[0-2])$" .))) -}}
{{- fail (printf "networkPolicy.%s has %q, which is no CIDR. Write an address and the length of its prefix, such as 10.0.0.7/32" $key .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $path, $labels := dict "podLabels" .Values.podLabels "commonLabels" .Values.commonLabels -}}
{{- range $key, $value := $labels -}}
{{- if not (regexMatch "^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$" (toString $value)) -}}
{{- fail (printf "%s.%s is %q, which is no value of a label. Write at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends" $path $key (toString $value)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Keys that people know from other charts, or from earlier versions of this one. */}}
{{- define "probewright.refuseOtherNames" -}}
{{- if hasKey .Values "replicaCount" -}}
{{- fail "replicaCount is no value of this chart. Write replicas" -}}
{{- end -}}
{{- if hasKey (.Values.image | default dict) "registry" -}}
{{- fail "image.registry is no value of this chart. Write the registry in image.repository, or set global.imageRegistry" -}}
{{- end -}}
{{- if hasKey (.Values.networkPolicy | default dict) "apiServerCIDRs" -}}
{{- fail "networkPolicy.apiServerCIDRs is now two values. Write apiServerIngressCIDRs for where the API server calls from, and apiServerEgressCIDRs for where it listens" -}}
{{- end -}}
{{- end -}}

{{/* Templates rely on the defaults. null takes one away; --reuse-values keeps the values of the older chart, which lack the new ones. */}}
{{- define "probewright.refuseMissingValues" -}}
{{- range $path := .Files.Get "files/values-with-defaults.txt" | trim | splitList "\n" -}}
{{- $node := $.Values -}}
{{- range $key := splitList "." $path -}}
{{- if not (and (kindIs "map" $node) (hasKey $node $key)) -}}
{{- fail (printf "%s has no value. Leave it out instead of setting it to null, and upgrade with --reset-then-reuse-values instead of --reuse-values" $path) -}}
{{- end -}}
{{- $node = get $node $key -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The image has no default: whoever owned a default name could run code with the rights of Probewright. */}}
{{- define "probewright.refuseImage" -}}
{{- if not .Values.image.repository -}}
{{- fail (printf "image.repository is not set, and the chart has no default image. docs/install.md shows three ways to an image. Then add one of these lines to the command:\n\n  --set image.repository=localhost/probewright --set image.tag=%s\n  --set image.repository=REGISTRY/probewright --set image.tag=%s\n  --set image.repository=REGISTRY/probewright --set image.digest=sha256:DIGEST\n" .Chart.AppVersion .Chart.AppVersion) -}}
{{- end -}}
{{- if regexMatch "(:[^/]*|@.*)$" .Values.image.repository -}}
{{- fail (printf "image.repository is %q: write the tag in image.tag, and the digest in image.digest" .Values.image.repository) -}}
{{- end -}}
{{- if not (regexMatch "^(sha256:[0-9a-f]{64})?$" .Values.image.digest) -}}
{{- fail (printf "image.digest is %q. Write sha256: and 64 hexadecimal digits, as the registry shows it" .Values.image.digest) -}}
{{- end -}}
{{- end -}}

{{- define "probewright.refuseReplicas" -}}
{{- $least := include "probewright.leastReplicas" . -}}
{{- $key := .Values.autoscaling.enabled | ternary "autoscaling.minReplicas" "replicas" -}}
{{- range $what := list "pods" "workloads" -}}
{{- if eq (index $.Values.webhooks $what).failurePolicy "Fail" -}}
{{- if and $least (lt (int $least) 2) -}}
{{- fail (printf "webhooks.%s.failurePolicy is Fail and %s is %s: whenever that Pod is replaced, nothing could be created. Set %s to 2 or more, or failurePolicy to Ignore" $what $key $least $key) -}}
{{- end -}}
{{- if eq (dig "type" "" $.Values.strategy) "Recreate" -}}
{{- fail (printf "webhooks.%s.failurePolicy is Fail and strategy.type is Recreate: during every update, nothing could be created. Leave strategy out, or set failurePolicy to Ignore" $what) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with .Values.autoscaling -}}
{{- if and .enabled (lt (int .maxReplicas) (int .minReplicas)) -}}
{{- fail (printf "autoscaling.maxReplicas is %d, less than minReplicas, which is %d. Set maxReplicas to %d or more" (int .maxReplicas) (int .minReplicas) (int .minReplicas)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Names that the API server, or `probewright serve`, would refuse. A Service's name is a DNS label that begins with a letter. */}}
{{- define "probewright.refuseNames" -}}
{{- $fullname := include "probewright.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $fullname) -}}
{{- fail (printf "the objects would be named %q. Set fullnameOverride to a name of lower-case letters, digits and hyphens that begins with a letter" $fullname) -}}
{{- end -}}
{{- if not (regexMatch "^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$" (include "probewright.name" .)) -}}
{{- fail (printf "nameOverride is %q, and becomes a label of every object. Write letters, digits, '-', '_' and '.', with a letter or digit at both ends" .Values.nameOverride) -}}
{{- end -}}
{{- $secrets := dict "certificates.own.caSecret" .Values.certificates.own.caSecret "certificates.secret.name" .Values.certificates.secret.name -}}
{{- range $path, $name := merge (dict "callers.configMap" .Values.callers.configMap) $secrets -}}
{{- if and $name (not (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$" $name)) -}}
{{- fail (printf "%s is %q, which is no name of a %s. Write lower-case letters, digits, hyphens and dots" $path $name (hasKey $secrets $path | ternary "Secret" "ConfigMap")) -}}
{{- end -}}
{{- end -}}
{{- if not (regexMatch "^[-._a-zA-Z0-9]+$" .Values.callers.key) -}}
{{- fail (printf "callers.key is %q, which is no key of a ConfigMap. Write letters, digits, '-', '_' and '.'" .Values.callers.key) -}}
{{- end -}}
{{- range .Values.webhooks.excludedNamespaces -}}
{{- if not (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" .) -}}
{{- fail (printf "webhooks.excludedNamespaces has %q, which is no name of a namespace, so it would exempt nothing. Write whole names; for a group of namespaces, set webhooks.namespaceSelector" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What would become another argument than the value says. */}}
{{- define "probewright.refuseArgs" -}}
{{- $limits := .Files.Get "files/serve-limits.yaml" | fromYaml -}}
{{- include "probewright.refuseExtraArgs" (dict "path" "extraArgs" "command" "serve" "args" .Values.extraArgs "rendered" (include "probewright.args" .) "limits" $limits) -}}
{{- include "probewright.refuseExtraArgs" (dict "path" "observer.extraArgs" "command" "observe" "args" .Values.observer.extraArgs "rendered" (include "probewright.observerArgs" .) "limits" $limits) -}}
{{- range $path, $names := dict "trustedControllers" .Values.trustedControllers "callers.commonNames" .Values.callers.commonNames -}}
{{- range $names -}}
{{- if or (contains "," .) (contains "\n" .) (not (trim .)) -}}
{{- fail (printf "%s: %q is no name. Write one name an entry, without commas" $path .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range .Values.trustedControllers -}}
{{- if or (regexMatch $limits.accounts.never .) (and (hasPrefix "system:serviceaccount" .) (not (regexMatch $limits.accounts.serviceAccount .))) -}}
{{- fail (printf "trustedControllers has %q, which is no full name of an account: a tenant could have such an account, or nobody. Write each account in full and without *, such as system:serviceaccount:data:postgres-operator" .) -}}
{{- end -}}
{{- end -}}
{{- if not (include "probewright.isAddress" .Values.host) -}}
{{- fail (printf "host is %q, which is no IP address. Write 0.0.0.0 for IPv4, or :: for IPv6" .Values.host) -}}
{{- end -}}
{{- end -}}

{{/*
More flags for a command. A flag that the chart sets would take the place of what its value says. The flags of mounted files are free while the chart
mounts none. A line break in an entry begins another argument, so lines are looked at.
*/}}
{{- define "probewright.refuseExtraArgs" -}}
{{- $args := .args | empty | ternary list (join "\n" .args | splitList "\n") -}}
{{- $rendered := splitList "\n" .rendered -}}
{{- $others := slice $rendered 0 (sub (len $rendered) (len $args)) -}}
{{- $values := get .limits.flagsOfValues .command -}}
{{- $open := "" -}}
{{- range $arg := $args -}}
{{- $flag := regexReplaceAll "=[\\s\\S]*$" $arg "" | trimPrefix "--" -}}
{{- if not (hasPrefix "--" $arg) -}}
{{- if not $open -}}
{{- fail (printf "%s has %q, which is no flag. Write --flag=value" $.path $arg) -}}
{{- end -}}
{{- $open = "" -}}
{{- else if not (has $flag (get $.limits.flags $.command)) -}}
{{- fail (printf "%s: --%s is no flag of %s. %s lists the flags" $.path $flag $.command (eq $.command "serve" | ternary "docs/operate.md" "docs/observer.md")) -}}
{{- else -}}
{{- if get $values $flag -}}
{{- fail (printf "%s: --%s would replace the value %s. Set %s, and take the flag out" $.path $flag (get $values $flag) (get $values $flag)) -}}
{{- else if or (hasKey $values $flag) (regexMatch (printf "(^|\n)--%s=" $flag) (join "\n" $others)) -}}
{{- fail (printf "%s: --%s is a flag that the chart sets itself. Take it out, and set the chart's values" $.path $flag) -}}
{{- end -}}
{{- $open = contains "=" $arg | ternary "" $flag -}}
{{- end -}}
{{- end -}}
{{- if $open -}}
{{- fail (printf "%s: --%s has no value. Write --%s=value" .path $open $open) -}}
{{- end -}}
{{- end -}}

{{/* Something for an IP address; nothing for any other text. An IPv6 address has 8 groups, or fewer and :: for the rest. */}}
{{- define "probewright.isAddress" -}}
{{- $octet := "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])" -}}
{{- $groups := regexReplaceAll (printf ":%s([.]%s){3}$" $octet $octet) . ":0:0" -}}
{{- if regexMatch (printf "^%s([.]%s){3}$" $octet $octet) . -}}
4
{{- else if and (regexMatch "^([0-9A-Fa-f]{0,4}:){2,8}[0-9A-Fa-f]{0,4}$" $groups) (not (regexMatch "^:[^:]|[^:]:$|:::|::.*::" $groups)) (or (regexMatch "^([^:]+:){7}[^:]+$" $groups) (and (contains "::" $groups) (le (len (splitList ":" (trimAll ":" $groups))) 8))) -}}
6
{{- end -}}
{{- end -}}

{{- define "probewright.refuseWorkloadKinds" -}}
{{- $builtIn := (.Files.Get "files/serve-limits.yaml" | fromYaml).builtInKinds -}}
{{- $seen := list -}}
{{- range .Values.workloadKinds -}}
{{- if not (and (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$" .group) (regexMatch "^[A-Za-z][-A-Za-z0-9]*$" .kind)) -}}
{{- fail (printf "workloadKinds has the kind %q of the group %q. Write both as the CustomResourceDefinition does, such as Rollout of argoproj.io" .kind .group) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z][a-z0-9-]*$" .resource) -}}
{{- fail (printf "workloadKinds: resource of %s is %q. Write the plural name of the kind in lower case, such as rollouts" .kind .resource) -}}
{{- end -}}
{{- if and .podTemplatePath (not (regexMatch "^[A-Za-z]\\w*(\\.(\\w+|\\*))*$" .podTemplatePath)) -}}
{{- fail (printf "workloadKinds: podTemplatePath of %s is %q. Write field names with dots between them, such as spec.template; * is every element of a list" .kind .podTemplatePath) -}}
{{- end -}}
{{- if not (or .podTemplatePath (has (printf "%s/%s" .group .kind) (include "probewright.readyMadeKinds" $ | fromYamlArray))) -}}
{{- fail (printf "workloadKinds: %s of %s is no kind that Probewright knows by itself. Set its podTemplatePath, such as spec.template" .kind .group) -}}
{{- end -}}
{{- if has (printf "%s/%s" .group .kind) $builtIn -}}
{{- fail (printf "workloadKinds has %s of %s, which is built in. Take the entry out" .kind .group) -}}
{{- end -}}
{{- $entry := . -}}
{{- range $seen -}}
{{- if and (eq .group $entry.group) (eq .kind $entry.kind) -}}
{{- $isOther := and .podTemplatePath $entry.podTemplatePath (ne .podTemplatePath $entry.podTemplatePath) -}}
{{- if not (and $isOther (eq .resource $entry.resource) (eq (default false .runsToCompletion) (default false $entry.runsToCompletion))) -}}
{{- fail (printf "workloadKinds has %s of %s twice. Take one entry out. Only a kind with several Pod templates has an entry for each podTemplatePath, with the same resource and runsToCompletion" .kind .group) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $seen = append $seen . -}}
{{- end -}}
{{- end -}}

{{/* A minimum above its maximum, anywhere in clusterPolicy: minimum and maximum, minimumSeconds and maximumSeconds. */}}
{{- define "probewright.refuseBounds" -}}
{{- $node := .node -}}
{{- $at := .at -}}
{{- if kindIs "map" $node -}}
{{- range $key, $least := $node -}}
{{- $upper := regexReplaceAll "^minimum" $key "maximum" -}}
{{- if and (hasPrefix "minimum" $key) (hasKey $node $upper) (gt (float64 $least) (float64 (get $node $upper))) -}}
{{- fail (printf "%s.%s is %v, more than %s, which is %v. Write a %s of %v or more, or a lower %s" $at $key $least $upper (get $node $upper) $upper $least $key) -}}
{{- end -}}
{{- include "probewright.refuseBounds" (dict "node" $least "at" (printf "%s.%s" $at $key)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Texts of clusterPolicy that the CustomResourceDefinition would refuse by a regular expression. */}}
{{- define "probewright.refusePolicyTexts" -}}
{{- include "probewright.refuseBounds" (dict "node" .Values.clusterPolicy "at" "clusterPolicy") -}}
{{- range .Files.Get "files/policy-texts.yaml" | fromYamlArray -}}
{{- include "probewright.refuseText" (dict "node" $.Values.clusterPolicy "steps" (splitList "." .path) "at" "clusterPolicy" "rule" .) -}}
{{- end -}}
{{- end -}}

{{/* Follows the steps of a path, * into every element or value, to texts that break its rule. */}}
{{- define "probewright.refuseText" -}}
{{- if not .steps -}}
{{- if and (kindIs "string" .node) (not (regexMatch .rule.pattern (toString .node))) -}}
{{- fail (printf "%s is %q. Write %s" .at .node .rule.words) -}}
{{- end -}}
{{- else if or (kindIs "map" .node) (kindIs "slice" .node) -}}
{{- $step := first .steps -}}
{{- range $key, $node := .node -}}
{{- if or (eq $step "*") (eq (toString $key) $step) -}}
{{- include "probewright.refuseText" (dict "node" $node "steps" (rest $.steps) "at" (printf "%s.%v" $.at $key) "rule" $.rule) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What `probewright serve` knows without --workload-kinds. Held to src/engine/workload/kinds.ts by a test. */}}
{{- define "probewright.readyMadeKinds" -}}
- argoproj.io/Rollout
- apps.kruise.io/CloneSet
- serving.knative.dev/Service
- keda.sh/ScaledJob
- jobset.x-k8s.io/JobSet
- leaderworkerset.x-k8s.io/LeaderWorkerSet
{{- end -}}

{{/* Names of match conditions must differ within a webhook: the API server refuses a configuration with two equal names. */}}
{{- define "probewright.refuseMatchConditions" -}}
{{- $builtIn := list -}}
{{- $native := include "probewright.nativeObjects" . | fromYamlArray | first -}}
{{- range concat (include "probewright.builtInConditions" . | fromYamlArray) $native.spec.matchConditions -}}
{{- $builtIn = append $builtIn .name -}}
{{- end -}}
{{- $seen := dict -}}
{{- range .Values.webhooks.matchConditions -}}
{{- if has .name $builtIn -}}
{{- fail (printf "webhooks.matchConditions has the name %s: the chart has a condition of that name. Choose another name" .name) -}}
{{- end -}}
{{- if hasKey $seen .name -}}
{{- fail (printf "webhooks.matchConditions has the name %s twice. Choose another name for one of the two" .name) -}}
{{- end -}}
{{- if not (regexMatch "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)$" .name) -}}
{{- fail (printf "webhooks.matchConditions has the name %s, which the API server refuses. Use letters, digits, '-', '_' and '.', with a letter or digit at both ends" (quote .name)) -}}
{{- end -}}
{{- $_ := set $seen .name true -}}
{{- end -}}
{{- end -}}
