import { describe, expect, it } from 'vitest';
import { validate } from '../../support/decisions.ts';
import { withExceptionsInApps, exceptionDocument } from '../../support/exceptions.ts';
import { expectValidReply, type DecodedReply } from '../../support/protocol.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { manifestOf, policiesOf, type WorkloadCase } from '../../support/workload-cases.ts';
import {
  VALIDATE_SETTINGS,
  appContainer,
  clusterPolicyDocument,
  pod,
  policyDocument,
  policySet,
  requestOf,
  reviewOf,
} from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import type { Decision } from '../../../src/webhook/review/decision.ts';
import type { ValidateSettings } from '../../../src/webhook/review/validate.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';

interface Validation extends DecodedReply {
  readonly decision: Decision;
  readonly status: { code?: number; reason?: string; message?: string; details?: { causes: JsonObject[] } };
}

function validation(
  object: JsonObject,
  options: { policies?: Snapshot; request?: JsonObject; settings?: Partial<ValidateSettings>; now?: number } = {},
): Validation {
  const request = requestOf(reviewOf(object, options.request));
  const settings = { ...VALIDATE_SETTINGS, ...options.settings } as const;
  const decision = validate(request, options.policies ?? policySet(), settings, options.now ?? NOW);
  const reply = expectValidReply('validate', request.uid, decision.reply);
  const response = JSON.parse(JSON.stringify(decision.reply.response)) as { status?: Validation['status'] };
  return { ...reply, decision, status: response.status ?? {} };
}

/** A workload with other members of the object's own metadata. */
interface RootedCase extends WorkloadCase {
  readonly root?: JsonObject;
}

interface Case extends RootedCase {
  /** The object before; the request is an UPDATE then. */
  readonly before?: RootedCase;
  readonly request?: JsonObject;
  /** Who asks. */
  readonly user?: string;
  readonly policies?: JsonObject;
  readonly settings?: Partial<ValidateSettings>;
  /** How the exceptions of namespace apps differ from named-port of Deployment web until 2026-08-01. */
  readonly exceptions?: readonly JsonObject[];
  readonly now?: string;
}

function rooted({ root, ...given }: RootedCase): JsonObject {
  const object = manifestOf(given);
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), ...root } };
}

function resultOf(allowed: boolean, warnings: readonly string[], skipped: string | undefined): string {
  if (skipped !== undefined) return 'skip';
  if (!allowed) return 'deny';
  return warnings.length > 0 ? 'warn' : 'allow';
}

/** What differs from a plain `allowed: true`; a denial as its message, and all of its other members where they are not 403 Forbidden. */
function answer({
  before,
  request,
  user = 'jane',
  policies,
  settings = {},
  exceptions = [],
  now,
  ...given
}: Case): JsonObject {
  const snapshot = policiesOf(policies);
  const documents = exceptions.map((spec) => exceptionDocument(spec));
  const { allowed, warnings, auditAnnotations, decision, status } = validation(rooted(given), {
    policies: documents.length > 0 ? withExceptionsInApps(snapshot, documents) : snapshot,
    request: {
      userInfo: { username: user },
      ...(before && { operation: 'UPDATE', oldObject: rooted(before) }),
      ...request,
    },
    settings,
    ...(now !== undefined && { now: Date.parse(now) }),
  });
  const { message, details, ...others } = status;
  expect(decision.result).toBe(resultOf(allowed, warnings, decision.skipped));
  if (!allowed) expect(others).toEqual({ code: 403, reason: 'Forbidden' });
  return {
    denied: message,
    fields: details?.causes.map(({ field, reason }) => `${String(field)} ${String(reason)}`),
    warnings: warnings.length > 0 ? warnings : undefined,
    audit: auditAnnotations['violations'],
    wouldBe: decision.wouldBe?.result,
    wouldAudit: auditAnnotations['would-be'],
    skipped: decision.skipped,
  };
}

describe.each(['violations', 'updates', 'scope', 'exceptions'])('/validate: %s', (name) =>
  describeCases(
    `test/fixtures/replies/${name}.yaml`,
    ['denied', 'fields', 'warnings', 'audit', 'wouldBe', 'wouldAudit', 'skipped'],
    (given) => answer(given),
  ),
);

const misspelt = { readinessProbe: { httpGet: { path: '/', port: 'htpp' } } };

function deployment(container: JsonObject, members: { metadata?: JsonObject; template?: JsonObject } = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'apps', ...members.metadata },
    spec: {
      replicas: 1,
      template: { metadata: { labels: { app: 'web' }, ...members.template }, spec: { containers: [container] } },
    },
  };
}

const update = (before: JsonObject): JsonObject => ({ operation: 'UPDATE', oldObject: before });

it('sums up warnings beyond the eighth', () => {
  const containers = Array.from({ length: 20 }, (_, index) => appContainer({ name: `c${index}`, ...misspelt }));
  const object = deployment(appContainer());
  const spec = { template: { spec: { containers } } };
  const { warnings } = validation({ ...object, spec }, { settings: { enforcement: 'Warn' } });
  expect(warnings).toHaveLength(9);
  expect(warnings.at(-1)).toMatch(/^and \d+ more$/);
});

describe('what has more faults than anybody reads', () => {
  const ports = Array.from({ length: 2000 }, (_, i) => ({ name: `-${i}--`, containerPort: 80 }));

  it('is denied for the first of them, a thousand or so of a list', () => {
    const lines = validation(deployment(appContainer({ ports }))).status.message?.split('\n') ?? [];
    expect(lines.indexOf('and 2 more violations')).toBe(1000);
  });

  it('has its first ports listed, by names of bearable length', () => {
    const named = Array.from({ length: 25 }, (_, i) => ({ name: `p${i}${'x'.repeat(100)}`, containerPort: i + 1 }));
    const livenessProbe = { httpGet: { path: '/', port: 'nope' } };
    const { message = '' } = validation(deployment(appContainer({ ports: named, livenessProbe }))).status;
    const line = message.split('\n').find((each) => each.includes('(named-port)')) ?? '';
    expect(line).toContain('(3) and 22 more (named-port)');
    expect(line.length).toBeLessThan(500);
  });
});

describe('what is too large to be looked at', () => {
  const many = (count: number): JsonObject =>
    deployment(appContainer({ ports: Array.from({ length: count }, () => ({ containerPort: 80 })) }));
  const containers = (count: number): JsonObject => pod(Array.from({ length: count }, (_, i) => ({ name: `c${i}` })));

  const refusal = (object: JsonObject): string => validation(object).status.message ?? 'allowed';

  it('is refused with its number and the most that is looked at', () => {
    expect(refusal(containers(301))).toBe(
      'spec: the object has 301 containers: more than 300 are not looked at (valid-probe)',
    );
    expect(refusal(many(5001))).toMatch(/the object has 5001 annotations, ports, .*: more than 5000 are not/);
    const headers = { httpGet: { port: 80, httpHeaders: Array.from({ length: 5001 }, () => ({ name: 'a' })) } };
    const lifecycle = { preStop: headers };
    expect(refusal(deployment(appContainer({ livenessProbe: headers, ports: [] })))).toContain('the object has 5004');
    expect(refusal(deployment(appContainer({ lifecycle, ports: [] })))).toContain('the object has 5003');
    const members = Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`m${i}`, 1]));
    expect(refusal(deployment(appContainer({ livenessProbe: members, ports: [] })))).toContain('the object has 5001');
    const annotations = Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`a${i}`, '']));
    expect(refusal(deployment(appContainer({ ports: [] }), { template: { annotations } }))).toContain('5001');
    const template = { spec: { template: { spec: (containers(151) as { spec: JsonObject }).spec } } };
    const replicatedJobs = [0, 1].map((i) => ({ name: `j${i}`, template }));
    const jobSet = { apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet', metadata: {}, spec: { replicatedJobs } };
    expect(refusal(jobSet)).toContain('the object has 302 containers');
  });

  it('excuses nothing when it was so before an update', () => {
    const ask = (container: JsonObject): boolean =>
      validation(deployment(container), { request: update(many(5001)) }).allowed;
    expect([ask(appContainer()), ask(appContainer(misspelt))]).toEqual([true, false]);
  });

  it('is not what just fits', () => {
    expect(validation(containers(300)).decision.violations).toBeDefined();
    expect(validation(many(5000)).decision.violations).toBeDefined();
  });
});

it('does not repeat a name that is longer than any container has', () => {
  const { status } = validation(deployment(appContainer({ name: 'n'.repeat(10_000), ...misspelt })));
  expect(status.message).toContain('container "" declares no port named "htpp"');
});

it('cuts short what it shows of a value, and a denial of which there is no end', () => {
  const port = `-${'\x7f'.repeat(100_000)}`;
  const template = { spec: { containers: [appContainer({ livenessProbe: { httpGet: { path: '/', port } } })] } };
  const rollout = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'x' }, spec: { template } };
  const { status } = validation(rollout);
  expect(status.message).toMatch(/Invalid value: "-(\\x7f){252}\.\.\.": /);
  const one = appContainer({ livenessProbe: { httpGet: { path: '/', port } } });
  const all = { spec: { containers: Array.from({ length: 300 }, (_, i) => ({ ...one, name: `c${i}` })) } };
  const { message = '', details } = validation({ ...rollout, spec: { template: all } }).status;
  expect(message.length).toBeLessThan(300_000);
  expect(message).toMatch(/\nand \d+ more violations$/m);
  expect(details?.causes.length).toBeGreaterThan(20);
});

describe('an object that is too large to be looked at', () => {
  const words = Array.from({ length: 5001 }, () => '');
  const large = (image: string): JsonObject =>
    deployment(appContainer({ image, livenessProbe: { exec: { command: ['sh', '-c', 'curl x', ...words] } } }));
  const ask = (object: JsonObject, request: JsonObject = {}, settings: Partial<ValidateSettings> = {}): Validation =>
    validation(object, { request, settings });

  it('is refused, as an error would let it pass under failurePolicy Ignore', () => {
    const { allowed, status } = ask(large('a'));
    expect([allowed, status.message]).toEqual([false, expect.stringContaining('more than 5000 are not looked at')]);
  });

  it('only warns where nothing denies, and is refused where it was as large before', () => {
    expect(ask(large('a'), {}, { enforcement: 'Warn' }).warnings).toEqual([
      expect.stringContaining('more than 5000 are not looked at'),
    ]);
    // No review let the old object through.
    expect(ask(large('b'), update(large('a'))).allowed).toBe(false);
    expect(ask(large('b'), update(deployment(appContainer()))).allowed).toBe(false);
  });

  it('is skipped when an update leaves its template as it was, as a match condition skips the call', () => {
    const labelled = { ...large('a'), metadata: { name: 'web', labels: { team: 'shop' } } };
    const { decision, warnings } = ask(labelled, update(large('a')));
    expect([decision.skipped, warnings]).toEqual(['unchanged', []]);
  });
});

const templateOf = (members: JsonObject): JsonObject => ({ spec: { containers: [appContainer(members)] } });

function jobSet(...jobs: [name: string, members: JsonObject][]): JsonObject {
  return {
    apiVersion: 'jobset.x-k8s.io/v1alpha2',
    kind: 'JobSet',
    metadata: { name: 'web', namespace: 'apps' },
    spec: {
      replicatedJobs: jobs.map(([name, members]) => ({ name, template: { spec: { template: templateOf(members) } } })),
    },
  };
}

it('finds the template that denies behind one with thousands of faults that do not', () => {
  const policies = policySet(
    clusterPolicyDocument({ checks: { 'exec-forbidden': { action: 'Deny', floor: 'Deny', names: ['curl'] } } }),
    policyDocument({ checks: { 'header-value': { action: 'Audit' } } }),
  );
  const httpHeaders = Array.from({ length: 100 }, (_, index) => ({ name: `X-${index}`, value: '\n' }));
  const probe = { httpGet: { port: 'http', path: '/', httpHeaders } };
  const decoy = Array.from({ length: 60 }, (_, index) => appContainer({ name: `c${index}`, livenessProbe: probe }));
  const object = jobSet(['decoy', {}], ['real', { livenessProbe: { exec: { command: ['curl', 'x'] } } }]);
  const [first, second] = (object['spec'] as { replicatedJobs: JsonObject[] }).replicatedJobs;
  const replicatedJobs = [{ ...first, template: { spec: { template: { spec: { containers: decoy } } } } }, second];
  const { allowed } = validation({ ...object, spec: { replicatedJobs } }, { policies });
  expect(allowed).toBe(false);
});
