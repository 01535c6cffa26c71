import { CHECK_CATALOGUE } from '../engine/checks/catalogue.ts';
import { builtInPolicy, mergeChecks } from '../engine/policy/check-policy.ts';
import { exceptionSpec } from '../engine/policy/probe-exception.ts';
import { BUILT_IN_KINDS, isPod, mayEnd } from '../engine/workload/kinds.ts';
import { MESH_PROXIES } from '../engine/workload/mesh.ts';
import { MADE_FOR } from '../engine/workload/workload-of-pod.ts';
import { celList, celMap, celText, oneLine, type CelVariable } from './cel.ts';
import {
  ALSO_UNKNOWN,
  ASKS_FOR_PROBES,
  DENY_RULES,
  celFindings,
  KNOWN_ALONE,
  type DeniedCheck,
  type Known,
} from './deny-law.ts';
import { ADMISSION_API } from './admission-kinds.ts';
import { reachedNamespaces, UNTOUCHED } from './objects.ts';
import { meets } from './pod-law.ts';
import type { JsonObject } from '../base/json/json-value.ts';
import type { Snapshot } from '../engine/facts/snapshot.ts';
import type { LabelSelector } from '../engine/policy/label-selector.ts';
import type { ProbePolicy } from '../engine/policy/probe-policy.ts';

const NAME = 'probewright-floors';

/** What becomes of the floors Deny of a check. */
export interface ExportedFloor {
  readonly id: string;
  /** The policies that set a floor, the highest first. */
  readonly policies: readonly ProbePolicy[];
  /** Present for a check that is exported. */
  readonly check?: DeniedCheck;
  /** Why the check is not exported. */
  readonly why?: string;
}

/** The checks with a floor Deny, and which of them the native policy denies as the webhook does. */
export function floorsOf({ tiers, policies, facts }: Snapshot): readonly ExportedFloor[] {
  const cluster = tiers.flatMap((tier) => tier.cluster).toReversed();
  const ids = new Set(
    cluster.flatMap(({ checks }) => [...checks].flatMap(([id, { floor }]) => (floor === 'Deny' ? [id] : []))),
  );
  const excepted = new Set([...facts.exceptions.lists.values()].flat().flatMap((one) => exceptionSpec(one).checks));
  return [...ids].sort().map((id): ExportedFloor => {
    const setting = cluster.filter(({ checks }) => checks.get(id)?.floor !== undefined);
    const floor = { id, policies: setting };
    const rule = DENY_RULES[id];
    if (rule === undefined) return { ...floor, why: 'CEL cannot say it, or it is not written yet' };
    if (excepted.has(id)) return { ...floor, why: 'a ProbeException names it, and CEL has no clock' };
    const choosing = policies.filter(({ checks }) => Object.keys(checks.get(id)?.parameters ?? {}).length > 0);
    if (choosing.length > 0 && (setting.length > 1 || choosing.some((policy) => policy !== setting[0])))
      return { ...floor, why: 'several policies decide about its parameters' };
    const merged = mergeChecks(builtInPolicy(CHECK_CATALOGUE), setting.slice(0, 1)).get(id);
    const parameters = merged?.parameters ?? {};
    const why = rule.unless?.(parameters, policies);
    return why === undefined ? { ...floor, check: { id, parameters } } : { ...floor, why };
  });
}

/** The places of the Pod templates of the built-in kinds: `spec.template`, with the kinds there. */
const PLACES = Map.groupBy(BUILT_IN_KINDS, ({ templatePaths }) => (templatePaths[0] ?? []).join('.'));

/** By the kind of the request: the template of an object, as a list with at most one element. */
const templateIn = (object: string): string =>
  [...PLACES].reduceRight((otherwise, [path, kinds]) => {
    const steps = path === '' ? [] : path.split('.');
    const present = steps.map((_, index) => `has(${[object, ...steps.slice(0, index + 1)].join('.')})`);
    const whole = [object, ...steps].join('.');
    return `request.kind.kind in ${celList(kinds.map(({ kind }) => kind))} ? (${[...present, `has(${whole}.spec)`].join(' && ')} ? [${whole}] : []) : ${otherwise}`;
  }, '[]');

const PLACE = [...PLACES].reduceRight(
  (otherwise, [path, kinds]) =>
    `request.kind.kind in ${celList(kinds.map(({ kind }) => kind))} ? ${celText([...path.split('.').filter(Boolean), 'spec'].join('.'))} : ${otherwise}`,
  "'spec'",
);

const kindsThat = (is: (kind: (typeof BUILT_IN_KINDS)[number]) => boolean): string =>
  `request.kind.kind in ${celList(BUILT_IN_KINDS.filter(is).map(({ kind }) => kind))}`;

/** A mesh's injector may have changed the probes of a Pod, and `readProbe` judges those that the author wrote. */
const containersOf = (list: string): string =>
  `(has(t.spec.${list}) ? lists.range(t.spec.${list}.size()).map(i, ${celMap({
    c: `t.spec.${list}[i]`,
    at: `variables.place + '.${list}[' + string(i) + ']'`,
    onNode: 'has(t.spec.hostNetwork) && t.spec.hostNetwork',
  })}) : [])`;
const CONTAINERS = (
  known: Known,
): string => `(!(${known(`!(${kindsThat(isPod)} && (t.spec.containers + (has(t.spec.initContainers) ? t.spec.initContainers : [])).exists(c, c.name in ${celList([...MESH_PROXIES.keys()])}))`)}) ? [] :
  ${containersOf('containers')} + ${containersOf('initContainers')}.filter(x, has(x.c.restartPolicy) && x.c.restartPolicy == 'Always'))`;

/** False where a container needs no probe (isConcerned), and where an annotation asks the webhook for probes. */
const NEEDS = (
  known: Known,
): string => `!(${kindsThat(({ runsToCompletion }) => runsToCompletion)}) && (!has(t.spec.restartPolicy) || t.spec.restartPolicy == 'Always') &&
  x.at.contains('.containers[') && (!(${kindsThat(mayEnd)}) || !has(x.c.restartPolicy) || x.c.restartPolicy == 'Always') && ${known(`!(has(t.metadata) && has(t.metadata.annotations) && t.metadata.annotations${ASKS_FOR_PROBES})`)}`;

/** The findings of a list of templates for which a policy sets a floor. `deny` tells whether the highest is Deny. */
const findings = (templates: string, checks: readonly DeniedCheck[], known: Known): string => {
  const selected = checks.map(({ id }) => [
    id,
    `variables.floors[${celText(id)}].filter(f, ${meets('f.namespaceSelector', 'variables.namespaceLabels')} &&
      ${meets('f.workloadSelector', '(has(t.metadata) && has(t.metadata.labels) ? t.metadata.labels : {})')})`,
  ]);
  const key = "v.check + ' ' + v.name + ' ' + v.kind";
  const floors = 'floors[v.check].filter(f, f.containers.size() == 0 || v.name in f.containers)';
  return `${templates}.map(t, [${celMap(Object.fromEntries(selected) as Record<string, string>)}].map(floors,
    ${celFindings(CONTAINERS(known), checks, NEEDS(known), known)}.map(v, ${celMap({ key, message: 'v.message', floors })})
    .filter(v, v.floors.size() > 0))[0]).flatten()`;
};

const selector = (requirements: LabelSelector = []): string =>
  `[${requirements.map(({ key, operator, values }) => `{'key': dyn(${celText(key)}), 'operator': dyn(${celText(operator)}), 'values': dyn(${celList(values)})}`).join(', ')}]`;

const floorRecord =
  (id: string) =>
  ({ containers, workloadSelector, namespaceSelector, checks }: ProbePolicy): string =>
    celMap({
      deny: String(checks.get(id)?.floor === 'Deny'),
      containers: typeof containers === 'string' ? '[]' : celList(containers),
      namespaceSelector: selector(namespaceSelector),
      workloadSelector: selector(workloadSelector),
    });

/** A controller's objects were judged in their template (isControlledByControllerManager; the chart's conditions). */
const OF_A_CONTROLLER = `(request.userInfo.username == 'system:kube-controller-manager' ||
  request.userInfo.username.matches('^system:serviceaccount:kube-system:[^:]+$')) && has(object.metadata.ownerReferences) &&
  object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller) &&
  object.metadata.ownerReferences.all(o, !has(o.controller) || !o.controller ||
  [(o.apiVersion.contains('/') ? o.apiVersion.split('/')[0] : '') + '/' + o.kind, request.kind.group + '/' + request.kind.kind] in [${[...MADE_FOR].map((pair) => celList(pair)).join(', ')}])`;

/** Of more findings, the rest is counted: a messageExpression has at most 5 KiB. */
const MOST_TOLD = 10;

/** The variables of the policy. `added` are the findings that the request adds, and a floor denies. */
export function denyVariables(floors: readonly ExportedFloor[]): readonly CelVariable[] {
  const exported = floors.flatMap(({ check, policies }) => (check === undefined ? [] : [{ check, policies }]));
  const checks = exported.map(({ check }) => check);
  const records = exported.map(({ check, policies }) => [
    check.id,
    `[${policies.map(floorRecord(check.id)).join(', ')}]`,
  ]);
  const all: readonly CelVariable[] = [
    {
      name: 'namespaceLabels',
      expression: '(has(namespaceObject.metadata.labels) ? namespaceObject.metadata.labels : {})',
    },
    { name: 'floors', expression: celMap(Object.fromEntries(records) as Record<string, string>) },
    { name: 'place', expression: PLACE },
    { name: 'templates', expression: templateIn('object') },
    { name: 'oldTemplates', expression: `oldObject == null ? [] : ${templateIn('oldObject')}` },
    { name: 'found', expression: findings('variables.templates', checks, KNOWN_ALONE) },
    { name: 'before', expression: `${findings('variables.oldTemplates', checks, ALSO_UNKNOWN)}.map(v, v.key)` },
    { name: 'added', expression: `variables.found.filter(v, v.floors[0].deny && !(v.key in variables.before))` },
  ];
  return all.map(({ name, expression }) => ({ name, expression: oneLine(expression) }));
}

/** The text of a denial. */
export const DENIAL =
  oneLine(`'Probewright: ' + lists.range(variables.added.size()).filter(i, i < ${MOST_TOLD}).map(i, string(variables.added[i].message)).join('; ') +
  (variables.added.size() > ${MOST_TOLD} ? '; and ' + string(variables.added.size() - ${MOST_TOLD}) + ' more' : '')`);

/** The ValidatingAdmissionPolicy with the floors that are exported, and its binding. None without such a floor. */
export function validatingObjects(floors: readonly ExportedFloor[], home: string): readonly JsonObject[] {
  if (!floors.some(({ check }) => check !== undefined)) return [];
  // No update changes the probes of a Pod, and a new label must not be denied.
  const rules = [...Map.groupBy(BUILT_IN_KINDS, (kind) => (isPod(kind) ? 'pods' : kind.group))].map(([key, kinds]) => ({
    apiGroups: [key === 'pods' ? '' : key],
    apiVersions: ['v1'],
    operations: key === 'pods' ? ['CREATE'] : ['CREATE', 'UPDATE'],
    resources: kinds.map(({ kind }) => `${kind.toLowerCase()}s`),
    scope: 'Namespaced',
  }));
  return [
    {
      apiVersion: ADMISSION_API,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: NAME },
      spec: {
        matchConstraints: { resourceRules: rules },
        matchConditions: [...UNTOUCHED, { name: 'not-of-a-controller', expression: oneLine(`!(${OF_A_CONTROLLER})`) }],
        // Else hundreds of violations would cost too much, and so evade the floors.
        failurePolicy: 'Fail',
        variables: denyVariables(floors),
        validations: [
          {
            expression: 'variables.added.size() == 0',
            messageExpression: DENIAL,
            message: 'a probe violates a floor of Probewright',
            reason: 'Forbidden',
          },
        ],
      },
    },
    {
      apiVersion: ADMISSION_API,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: NAME },
      spec: {
        policyName: NAME,
        validationActions: ['Deny'],
        matchResources: { namespaceSelector: reachedNamespaces(home) },
      },
    },
  ];
}
