import { DEFAULT_TRUSTED_CONTROLLERS } from '../../src/webhook/review/trusted-controllers.ts';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { validate } from '../support/decisions.ts';
import { checkTexts } from '../support/check-texts.ts';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { Snapshot } from '../../src/engine/facts/snapshot.ts';
import { isJsonObject, objectMember, stringMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../../src/engine/probe/probe.ts';
import { KNOWN_KINDS, workloadKindOfManifest, type WorkloadKind } from '../../src/engine/workload/kinds.ts';
import { FOREIGN_CASE_EXCEPTIONS } from './foreign-case-exceptions.ts';
import { expectValidReply } from '../support/protocol.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument, requestOf, reviewOf } from '../support/worlds.ts';
import { NOW } from '../support/now.ts';

/*
 * The test cases of other tools, judged by us under policies that say what those tools' rules say. The data are third-party and stay out
 * of the repository: FOREIGN_CASES names the file.
 */

interface ForeignCase {
  readonly id: string;
  readonly suite: string;
  /** Our ids for what the suite tests. */
  readonly rules: readonly string[];
  /** As the suite sets them, in its own tool's words. */
  readonly parameters: JsonObject;
  readonly operation: 'CREATE' | 'UPDATE';
  readonly objects: readonly JsonObject[];
  readonly expect: 'ok' | 'violation';
  /** Who violates, where the suite says so. */
  readonly containers: readonly string[];
  /** `api-refuses:*`: what of the object no API server accepts. */
  readonly tags: readonly string[];
}

type Verdict = ForeignCase['expect'];

/** What a policy says about checks: `spec.checks`. */
type Checks = Readonly<Record<string, JsonObject>>;

const file = process.env['FOREIGN_CASES'];
const NAMESPACE = 'default';

/** What a cluster administrator on OpenShift adds with --workload-kinds. */
const KINDS: readonly WorkloadKind[] = [
  ...KNOWN_KINDS,
  {
    group: 'apps.openshift.io',
    kind: 'DeploymentConfig',
    templatePaths: [['spec', 'template']],
    runsToCompletion: false,
  },
];

const REQUIRED = { action: 'Deny', containers: 'all' };
const DENY = { action: 'Deny' };

/** Other tools' rules in our words, by test suite; suites that are not here have no parameters that matter. */
const TRANSLATIONS: Readonly<Record<string, (parameters: JsonObject, rules: readonly string[]) => Checks>> = {
  'kyverno/deny-commands-in-exec-probe': execForbidden,
  'kyverno/engine': (parameters, rules) => ({
    ...(rules.includes('exec-forbidden') ? execForbidden(parameters) : allOf(rules)),
    ...patternChecks(objectMember(parameters, 'pattern') ?? {}),
  }),
  'gatekeeper/requiredprobes': ({ probes, probeTypes }) => {
    const kinds = probes as string[];
    const handlers = kinds.map((kind) => [kind, { allowed: probeTypes }] as const);
    return {
      ...Object.fromEntries(kinds.map((kind) => [requiredCheck(kind), REQUIRED])),
      ...denied('probe-handler', handlers),
    };
  },
  'polaris/checks': polarisChecks,
  'polaris/unit': polarisChecks,
  'kubewarden/probes-policy': (parameters) => {
    const kinds = Object.keys(parameters).filter((kind) => objectMember(parameters, kind)?.['enforce'] === true);
    const bounds = kinds.flatMap((kind) => kubewardenBounds(kind, objectMember(parameters, kind) ?? {}));
    return {
      ...Object.fromEntries(kinds.map((kind) => [`required-${kind}`, REQUIRED])),
      ...denied('probe-bounds', bounds),
    };
  },
};

/** The checks that say what a suite's rule says. */
function translate(suite: string, parameters: JsonObject, rules: readonly string[]): Checks {
  return TRANSLATIONS[suite]?.(parameters, rules) ?? allOf(rules);
}

function allOf(rules: readonly string[]): Checks {
  return Object.fromEntries(rules.map((rule) => [rule, rule.startsWith('required-') ? REQUIRED : DENY]));
}

function requiredCheck(probe: string): string {
  return `required-${probe.replace('Probe', '')}`;
}

function execForbidden({ commands, probes }: JsonObject): Checks {
  return { 'exec-forbidden': { action: 'Deny', names: commands, probes } };
}

/** What Kyverno's patterns ask of a probe: a handler, and integers that are larger than something. */
function patternChecks(pattern: JsonObject): Checks {
  const asked = PROBE_KINDS.flatMap((kind) =>
    Object.entries(objectMember(pattern, kind) ?? {}).map(([field, wanted]) => ({ kind, field, wanted })),
  );
  const handlers = asked.filter(({ wanted }) => isJsonObject(wanted));
  const integers = asked.filter(({ wanted }) => !isJsonObject(wanted));
  return {
    ...denied(
      'probe-handler',
      handlers.map(({ kind, field }) => [kind, { allowed: [field] }]),
    ),
    ...denied(
      'probe-bounds',
      integers.map(({ kind, field, wanted }) => [kind, { [field]: { minimum: Number(String(wanted).slice(1)) + 1 } }]),
    ),
  };
}

/** A check with parameters by probe; none without any. */
function denied(id: string, parameters: readonly (readonly [string, JsonObject])[]): Checks {
  return parameters.length === 0 ? {} : { [id]: { ...DENY, ...Object.fromEntries(parameters) } };
}

function polarisChecks({ checks }: JsonObject): Checks {
  const actions: Readonly<Record<string, string>> = { danger: 'Deny', warning: 'Warn', ignore: 'Off' };
  const levels = Object.entries(checks as Record<string, string>);
  return Object.fromEntries(
    levels.map(([id, level]) => [
      requiredCheck(id.replace('Missing', '')),
      { action: actions[level], containers: 'all' },
    ]),
  );
}

function kubewardenBounds(kind: string, settings: JsonObject): (readonly [string, JsonObject])[] {
  const bounds = Object.entries(settings).flatMap(([field, limits]) =>
    isJsonObject(limits) ? [[field, { minimum: limits['minimum'], maximum: limits['limit'] }] as const] : [],
  );
  return bounds.length === 0 ? [] : [[`${kind}Probe`, Object.fromEntries(bounds)]];
}

/** The other checks are out of the way. valid-probe stays: what the API server refuses never gets as far as any other tool. */
const OTHERS_OFF: Checks = Object.fromEntries(
  Object.keys(CHECK_CATALOGUE)
    .filter((id) => id !== 'valid-probe')
    .map((id) => [id, { action: 'Off' }]),
);

/** The policies under which a case is judged. kube-score asks Pods that a Service selects: a policy with the Service's selector. */
function policiesFor(entry: ForeignCase): JsonObject[] {
  const checks = translate(entry.suite, entry.parameters, entry.rules);
  const others = clusterPolicyDocument({ checks: OTHERS_OFF }, 'others-off');
  if (entry.parameters['onlyIfSelectedByService'] === true) {
    const services = entry.objects.filter(({ kind }) => kind === 'Service');
    return [others, ...services.map((service) => policyForService(service, checks))];
  }
  const anchor = objectMember(entry.parameters, 'pattern')?.['(name)'];
  const containers = anchor === undefined ? {} : { containers: [anchor] };
  return [others, clusterPolicyDocument({ ...containers, checks }, 'rule')];
}

function policyForService(service: JsonObject, checks: Checks): JsonObject {
  const matchLabels = objectMember(objectMember(service, 'spec') ?? {}, 'selector');
  return policyDocument({ workloadSelector: { matchLabels }, checks }, 'selected', namespaceOf(service));
}

function namespaceOf(object: JsonObject): string {
  return stringMember(objectMember(object, 'metadata') ?? {}, 'namespace') ?? NAMESPACE;
}

/** What we make of a case. */
interface Outcome {
  readonly verdict: Verdict;
  /** Checks and containers behind a refusal. */
  readonly checks: ReadonlySet<string>;
  readonly containers: ReadonlySet<string>;
}

function outcomeOf(refusals: readonly { check: string; container: string }[]): Outcome {
  return {
    verdict: refusals.length > 0 ? 'violation' : 'ok',
    checks: new Set(refusals.map(({ check }) => check)),
    containers: new Set(refusals.map(({ container }) => container)),
  };
}

/** Asks as an API server would, object after object. */
function online(entry: ForeignCase): Outcome {
  const policies = Snapshot.of(CHECK_CATALOGUE, policiesFor(entry).map(parsedPolicy));
  const refusals = entry.objects.flatMap((object) => {
    const request = requestOf(reviewOf(object, { operation: entry.operation, namespace: namespaceOf(object) }));
    const decision = validate(
      request,
      policies,
      { enforcement: 'Deny', mutation: 'On', controllers: DEFAULT_TRUSTED_CONTROLLERS, kinds: KINDS },
      NOW,
    );
    const { allowed } = expectValidReply('validate', request.uid, decision.reply);
    const denying = (decision.violations ?? []).filter(({ action }) => action === 'Deny');
    expect(allowed).toBe(denying.length === 0);
    return denying;
  });
  return outcomeOf(refusals);
}

/** Asks as `probewright check` does: the objects in files, the policies in a directory. */
function offline(entry: ForeignCase): Outcome {
  const texts = entry.objects.map((object, index) => ({ file: `${index}.json`, text: JSON.stringify(object) }));
  const policyTexts = policiesFor(entry).map((policy, index) => ({
    file: `policies/${index}.json`,
    text: JSON.stringify(policy),
  }));
  const report = checkTexts(texts, policyTexts, { namespace: NAMESPACE, kinds: KINDS });
  expect(report.problems).toEqual([]);
  return outcomeOf(report.violations.filter(({ action }) => action === 'Deny'));
}

/** Tools that are asked at admission; the others read manifests. */
const AT_ADMISSION = ['kyverno', 'gatekeeper', 'kubewarden', 'psa'];

function toolOf({ suite }: ForeignCase): string {
  return suite.slice(0, suite.indexOf('/'));
}

const casesInFile = (path: string): ForeignCase[] =>
  (JSON.parse(readFileSync(path, 'utf8')) as { cases: ForeignCase[] }).cases.map(completed);

/**
 * Literals of unit tests lack what an API server asks for and the rule under test does not look at. They get the least that makes them
 * sound; `{}` for a probe stays where the rule is about having one.
 */
function completed(entry: ForeignCase): ForeignCase {
  const needsHandler = entry.suite === 'kubewarden/probes-policy';
  const objects = entry.objects.map((object) => {
    const isJob = workloadKindOfManifest(object, KINDS)?.runsToCompletion === true;
    return JSON.parse(JSON.stringify(object), (key, value: unknown) => {
      if (!isJsonObject(value)) return value;
      if (PROBES_AND_HOOKS.includes(key)) return withHandler(value, needsHandler);
      return isJob && key === 'spec' && 'containers' in value ? { restartPolicy: 'Never', ...value } : value;
    }) as JsonObject;
  });
  return { ...entry, objects };
}

const PROBES_AND_HOOKS: readonly string[] = [...PROBE_KINDS, 'postStart', 'preStop'];

function withHandler(probe: JsonObject, needsHandler: boolean): JsonObject {
  const handlers = HANDLER_KINDS.flatMap((kind) => {
    const handler = objectMember(probe, kind);
    return handler === undefined ? [] : [[kind, soundHandler(kind, handler)] as const];
  });
  if (needsHandler && handlers.length === 0) return { ...probe, tcpSocket: { port: 8080 } };
  return { ...probe, ...Object.fromEntries(handlers) };
}

function soundHandler(kind: string, handler: JsonObject): JsonObject {
  if (kind === 'exec') return { command: ['true'], ...handler };
  return { ...handler, port: handler['port'] === 0 ? 8080 : (handler['port'] ?? 8080) };
}

if (file === undefined)
  console.info("foreign-cases.tools.test.ts: skipped, since FOREIGN_CASES names no file with other tools' cases");

it.skipIf(file !== undefined)('agrees with other tools (skipped: FOREIGN_CASES names no file)', (context) =>
  context.skip('FOREIGN_CASES names no file'),
);

describe.skipIf(file === undefined)("another tool's cases", () => {
  const cases = file === undefined ? [] : casesInFile(file);
  const byTool = Map.groupBy(cases, toolOf);
  const outcomes = new Map(
    cases.map((entry) => [entry.id, AT_ADMISSION.includes(toolOf(entry)) ? online(entry) : offline(entry)]),
  );
  const summary: string[] = [];
  afterAll(() => console.info(summary.join('\n')));

  it.each([...byTool])('%s: we agree, but for the exceptions', (tool, ownCases) => {
    const differing = ownCases.filter(({ id, expect: wanted }) => outcomes.get(id)?.verdict !== wanted);
    const listed = ownCases.filter(({ id }) => Object.hasOwn(FOREIGN_CASE_EXCEPTIONS, id));
    const figures = [ownCases.length, ownCases.length - differing.length, listed.length];
    summary.push(`${tool}: ${figures[0]} cases, ${figures[1]} agreed, ${figures[2]} excepted`);
    expect(differing.map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
    expect(documentedFigures(tool)).toEqual(figures);
  });

  it('exist for every exception', () => {
    const ids = new Set(cases.map(({ id }) => id));
    expect(Object.keys(FOREIGN_CASE_EXCEPTIONS).filter((id) => !ids.has(id))).toEqual([]);
  });

  const refused = cases.filter((entry) => entry.expect === 'violation' && outcomes.get(entry.id)?.verdict !== 'ok');

  it('are refused for the containers that the case names', () => {
    for (const { id, containers } of refused.filter((entry) => entry.containers.length > 0))
      expect([...(outcomes.get(id)?.containers ?? [])].sort(), id).toEqual([...containers].sort());
  });

  it('are refused by the check of the rule, or by valid-probe where the API server refuses the probe or hook anyway', () => {
    for (const { id, rules, tags } of refused) {
      if (rules.some((rule) => outcomes.get(id)?.checks.has(rule))) continue;
      expect(tags.filter((tag) => REFUSED_ANYWAY.test(tag)).length, id).toBeGreaterThan(0);
    }
  });

  it('get the same verdict from the webhook and from manifests', () => {
    for (const entry of cases) expect(online(entry), entry.id).toEqual(offline(entry));
  });
});

/** How the data mark objects whose probes or hooks no API server accepts. */
const REFUSED_ANYWAY = /^api-refuses:(probe-without-handler|(probe|lifecycle)-on-(plain-init|ephemeral))$/;

describe('docs/comparison.md', () => {
  it('says in YAML what the cases are judged under', () => {
    const listed = rowsUnder('Rules').map(([rule = '', snippets = '']) => [rule, checksIn(snippets)]);
    expect(Object.fromEntries(listed)).toEqual(DOCUMENTED_RULES);
    for (const [, checks] of listed) parsedPolicy(policyDocument({ checks }));
  });

  it('lists every exception with its reason, and no other', () => {
    const listed = rowsUnder('Exceptions').flatMap(([reason, ids = '']) =>
      ids.split(', ').map((id) => [id.replaceAll('`', ''), reason] as const),
    );
    expect(Object.fromEntries(listed)).toEqual(FOREIGN_CASE_EXCEPTIONS);
  });
});

/** The rules of the page's table, with the parameters that their tools ship or show as an example. */
const DOCUMENTED_RULES: Readonly<Record<string, Checks>> = {
  'Kyverno `require-pod-probes`': translate('kyverno/require-probes', {}, ['required-any']),
  'Kyverno `validate-probes`': translate('kyverno/ensure-probes-different', {}, ['identical-probes']),
  'Kyverno `deny-commands-in-exec-probe`': translate(
    'kyverno/deny-commands-in-exec-probe',
    { commands: ['jcmd', 'ps', 'ls'], probes: ['livenessProbe'] },
    ['exec-forbidden'],
  ),
  'Gatekeeper `K8sRequiredProbes`': translate(
    'gatekeeper/requiredprobes',
    { probes: ['readinessProbe', 'livenessProbe'], probeTypes: ['tcpSocket', 'httpGet', 'exec'] },
    [],
  ),
  'Gatekeeper `K8sPSPHostProbesLifecycle`': translate('gatekeeper/host-probes-lifecycle', {}, ['probe-host']),
  'Pod Security `hostProbesAndHostLifecycle`': translate('psa/hostProbesAndHostLifecycle', {}, ['probe-host']),
  'Kubewarden `probes-policy`': translate(
    'kubewarden/probes-policy',
    { liveness: { enforce: true, periodSeconds: { minimum: 5, limit: 15 } }, readiness: { enforce: true } },
    [],
  ),
  'kube-linter `liveness-port`, `readiness-port`, `startup-port`': translate('kube-linter/liveness-port', {}, [
    'named-port',
    'undeclared-port',
  ]),
  'kube-linter `no-liveness-probe`': translate('kube-linter/no-liveness-probe', {}, ['required-liveness']),
  'kube-linter `no-readiness-probe`': translate('kube-linter/no-readiness-probe', {}, ['required-readiness']),
  'Polaris `livenessProbeMissing`, `readinessProbeMissing`': translate(
    'polaris/checks',
    { checks: { livenessProbeMissing: 'warning', readinessProbeMissing: 'danger' } },
    [],
  ),
  'kube-score `pod-probes`': translate('kube-score/probes', {}, ['required-liveness', 'required-readiness']),
  'kube-score `pod-probes-identical`': translate('kube-score/probes', {}, ['shared-endpoint']),
  'redhat-cop `RHCOP-OCP_BESTPRACT-00007`': translate('redhat-cop/', {}, ['identical-probes']),
  'redhat-cop `RHCOP-OCP_BESTPRACT-00008`': translate('redhat-cop/', {}, ['required-liveness']),
  'redhat-cop `RHCOP-OCP_BESTPRACT-00009`': translate('redhat-cop/', {}, ['required-readiness']),
  'popeye `POP-102`, `POP-103`, `POP-104`': translate('popeye/', {}, ['required-liveness', 'required-readiness']),
};

/** The rows of the table under a heading, without its head. */
function rowsUnder(heading: string): string[][] {
  const section = readFileSync('docs/comparison.md', 'utf8').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) => line.slice(2, -2).split(' | '));
}

/** The checks of a cell, which are written as YAML in backquotes. */
function checksIn(cell: string): Checks {
  const snippets = [...cell.matchAll(/`([^`]+)`/g)].map(([, yaml = '']) => parse(yaml) as Checks);
  return Object.assign({}, ...snippets) as Checks;
}

/** Cases, agreed and excepted, as the page has them. */
function documentedFigures(tool: string): number[] {
  const row = rowsUnder('How far it goes').find(([name]) => name === tool) ?? [];
  return row.slice(-3).map(Number);
}
