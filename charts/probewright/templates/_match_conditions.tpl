{{/*
Match conditions: the API server skips a call when one of them is false.

An expression that fails to evaluate, or that costs too much, makes the API server fall back to failurePolicy. So expressions test with has() before
they select, and compare with null. Metadata and the built-in kinds are typed, so every object has them in the same shape. The spec of a custom kind may
be anything: expressions compare such a spec as a whole and never select from it.

Cost: the API server allows 1,000,000 units an expression (PerCallLimit in k8s.io/apiserver/pkg/apis/cel/config.go) and 2,500,000 for all conditions of
a webhook (RuntimeCELCostBudgetMatchConditions, same file). `==` on two maps costs a tenth of their members, however deep they are
(interpreter/runtimecost.go of cel-go), so the largest template costs a few units. Kubernetes 1.36 compares two templates of 1 MB within the limits.
One step of exists() costs 10 to 20 units, so expressions iterate only over lists of bounded length.

Types: `object` is dynamic, `request` is typed, and a list literal may not mix both (HomogeneousAggregateLiterals in
k8s.io/apiserver/pkg/cel/environment/base.go): a server refuses the whole configuration. dyn() makes them alike.

test/chart/match-conditions.property.tools.test.ts proves for random requests: what the conditions skip, /validate would allow without a warning.
*/}}

{{/* An object that is being deleted only loses finalizers. A denied update would keep such an object forever. */}}
{{- define "probewright.notBeingDeleted" -}}
- name: not-being-deleted
  expression: "object == null || !has(object.metadata.deletionTimestamp) || object.metadata.deletionTimestamp == null"
{{- end -}}

{{/* The API server's copies of static Pods, and all other Pods that a kubelet creates: such a Pod already runs. */}}
{{- define "probewright.notFromNodes" -}}
- name: not-from-a-node
  expression: "!has(request.userInfo.groups) || !('system:nodes' in request.userInfo.groups)"
- name: not-a-mirror-pod
  expression: >-
    object == null || !has(object.metadata.annotations) || object.metadata.annotations == null ||
    !('kubernetes.io/config.mirror' in object.metadata.annotations)
{{- end -}}

{{/*
True when one of kube-controller-manager's own accounts asks about an object that Kubernetes makes for its controller:
isControlledByControllerManager in src/webhook/review/trusted-controllers.ts. Every user may write a controller reference, so the requester is tested
first. The versions are those that kube-controller-manager writes where the API server has match conditions. Accounts of trustedControllers and service
accounts of other namespaces are left to the program, which knows its settings.
*/}}
{{- define "probewright.isControlled" -}}
has(request.userInfo.username) && (request.userInfo.username == 'system:kube-controller-manager' ||
request.userInfo.username.matches('^system:serviceaccount:kube-system:[^:]+$')) && object != null &&
has(object.metadata.ownerReferences) && object.metadata.ownerReferences != null &&
object.metadata.ownerReferences.size() <= 100 &&
object.metadata.ownerReferences.exists(owner, has(owner.controller) && owner.controller == true) &&
object.metadata.ownerReferences.all(owner, !has(owner.controller) || owner.controller != true ||
(has(owner.apiVersion) && has(owner.kind) &&
[dyn(owner.apiVersion), dyn(owner.kind), dyn(request.kind.group), dyn(request.kind.kind)] in [
['apps/v1', 'ReplicaSet', '', 'Pod'], ['apps/v1', 'StatefulSet', '', 'Pod'], ['apps/v1', 'DaemonSet', '', 'Pod'],
['batch/v1', 'Job', '', 'Pod'], ['v1', 'ReplicationController', '', 'Pod'],
['apps/v1', 'Deployment', 'apps', 'ReplicaSet'], ['batch/v1', 'CronJob', 'batch', 'Job']]))
{{- end -}}

{{/*
A Pod that lacks a probe, or that /mutate audits. Init containers can have probes only if they are sidecars (restartPolicy Always). With
webhooks.skipNeedlessCalls, /mutate gets every Pod that /validate does not get, so exactly one of the two records the violations.
*/}}
{{- define "probewright.lacksAProbe" -}}
- name: lacks-a-probe
  expression: >-
    object == null || !has(object.spec) ||
    {{- if .Values.webhooks.skipNeedlessCalls }}
    ({{ include "probewright.isControlled" . | nindent 4 | trim }}) ||
    {{- end }}
    (has(object.spec.containers) && object.spec.containers != null && (object.spec.containers.size() > 1000 ||
    object.spec.containers.exists(c, !has(c.livenessProbe) || !has(c.readinessProbe) || !has(c.startupProbe)))) ||
    (has(object.spec.initContainers) && object.spec.initContainers != null && (object.spec.initContainers.size() > 1000 ||
    object.spec.initContainers.exists(c, has(c.restartPolicy) && c.restartPolicy == 'Always' &&
    (!has(c.livenessProbe) || !has(c.readinessProbe) || !has(c.startupProbe)))))
{{- end -}}

{{/*
A Pod that a controller creates was judged in its template, so its verdict is Audit at most, and /mutate records it. The label opts a Pod out of
/mutate (objectSelector): then /validate records the verdict.
*/}}
{{- define "probewright.notAControllersPod" -}}
- name: not-created-by-a-controller
  expression: >-
    request.operation != 'CREATE' ||
    !({{ include "probewright.isControlled" . | nindent 4 | trim }}) ||
    (has(object.metadata.labels) && object.metadata.labels != null && 'probewright.dev/webhook' in object.metadata.labels &&
    object.metadata.labels['probewright.dev/webhook'] == 'disabled')
{{- end -}}

{{/* Labels, finalizers and owner references of a Pod change without a new verdict. */}}
{{- define "probewright.changesThePod" -}}
- name: changes-the-spec
  expression: >-
    request.operation != 'UPDATE' || object == null || oldObject == null ||
    !has(object.spec) || !has(oldObject.spec) || object.spec != oldObject.spec
{{- end -}}

{{/* A workload that a controller looks after was made from one that was judged: a ReplicaSet of a Deployment, a Job of a CronJob. */}}
{{- define "probewright.notOfAController" -}}
- name: not-of-a-controller
  expression: >-
    !({{ include "probewright.isControlled" . | nindent 4 | trim }})
{{- end -}}

{{/* True when both objects have the field with the same value, or both have none. */}}
{{- define "probewright.sameField" -}}
has(object.spec.{{ . }}) == has(oldObject.spec.{{ . }}) &&
(!has(object.spec.{{ . }}) || object.spec.{{ . }} == oldObject.spec.{{ . }})
{{- end -}}

{{/*
An update that leaves the templates as they were, and the two other fields that checks read, has no new verdict: updateOf in
src/engine/workload/update.ts. Scaling, suspending and labelling are such updates. Of custom kinds the whole spec has to be the same. Custom kinds with a
template outside of their spec, and PodTemplates, are always sent.
*/}}
{{- define "probewright.changesATemplate" -}}
- name: changes-a-template
  expression: >-
    request.operation != 'UPDATE' || object == null || oldObject == null || !has(object.spec) || !has(oldObject.spec) ||
    (request.kind.group == '' && request.kind.kind == 'PodTemplate') ||
    {{- range .Values.workloadKinds }}
    {{- if and .podTemplatePath (ne (splitList "." .podTemplatePath | first) "spec") }}
    (request.kind.group == '{{ .group }}' && request.kind.kind == '{{ .kind }}') ||
    {{- end }}
    {{- end }}
    (object.spec != oldObject.spec && !(
    request.kind.group in ['', 'apps', 'batch'] &&
    {{ include "probewright.sameField" "minReadySeconds" | nindent 4 | trim }} &&
    {{ include "probewright.sameField" "progressDeadlineSeconds" | nindent 4 | trim }} &&
    (request.kind.kind == 'CronJob'
    ? has(object.spec.jobTemplate) && has(oldObject.spec.jobTemplate) &&
    object.spec.jobTemplate == oldObject.spec.jobTemplate
    : request.kind.kind in ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'ReplicationController', 'Job'] &&
    has(object.spec.template) && has(oldObject.spec.template) && object.spec.template == oldObject.spec.template)))
{{- end -}}

{{/* The built-in conditions of all webhooks, also of those that a value switches off. The guard rails read the names here. */}}
{{- define "probewright.builtInConditions" -}}
{{- range $which := list "notBeingDeleted" "notFromNodes" "lacksAProbe" "notAControllersPod" "changesThePod" "notOfAController" "changesATemplate" }}
{{ include (printf "probewright.%s" $which) $ }}
{{- end }}
{{- end -}}

{{/* The conditions of the values come last: a condition that is false ends the evaluation, and the built-in ones are cheap. */}}
{{- define "probewright.furtherConditions" -}}
{{- with .Values.webhooks.matchConditions -}}
{{- toYaml . -}}
{{- end -}}
{{- end -}}
