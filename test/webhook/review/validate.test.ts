import { describe, expect, it } from 'vitest';
import { validate } from '../../support/decisions.ts';
import { expectValidReply, type DecodedReply } from '../../support/protocol.ts';
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
  options: { policies?: Snapshot; request?: JsonObject; settings?: Partial<ValidateSettings> } = {},
): Validation {
  const request = requestOf(reviewOf(object, options.request));
  const settings = { ...VALIDATE_SETTINGS, ...options.settings } as const;
  const decision = validate(request, options.policies ?? policySet(), settings, NOW);
  const reply = expectValidReply('validate', request.uid, decision.reply);
  const response = JSON.parse(JSON.stringify(decision.reply.response)) as { status?: Validation['status'] };
  return { ...reply, decision, status: response.status ?? {} };
}

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

const templateOf = (members: JsonObject): JsonObject => ({ spec: { containers: [appContainer(members)] } });

function leaderWorkerSet(leader: JsonObject, worker: JsonObject): JsonObject {
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name: 'web', namespace: 'apps' },
    spec: { leaderWorkerTemplate: { leaderTemplate: templateOf(leader), workerTemplate: templateOf(worker) } },
  };
}

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

const by = (username: string): JsonObject => ({ userInfo: { username } });
const update = (before: JsonObject): JsonObject => ({ operation: 'UPDATE', oldObject: before });

describe('a workload with a violation that denies', () => {
  it('is refused with 403 Forbidden, one line a violation, the path, what to write, and the causes', () => {
    const { allowed, status, warnings } = validation(deployment(appContainer(misspelt)));
    expect(allowed).toBe(false);
    expect(warnings).toEqual([]);
    const path = 'spec.template.spec.containers[0].readinessProbe.httpGet.port';
    expect(status).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(status.message).toBe(
      `${path}: container "app" declares no port named "htpp"; did you mean "http"? (named-port)`,
    );
    expect(status.details?.causes).toEqual([
      {
        reason: 'FieldValueForbidden',
        field: path,
        message: 'container "app" declares no port named "htpp"; did you mean "http"? (named-port)',
      },
    ]);
  });

  it.each([
    [
      'a CronJob at its own path',
      { apiVersion: 'batch/v1', kind: 'CronJob' },
      'jobTemplate',
      'spec.jobTemplate.spec.template.spec.containers[0]',
    ],
    [
      'an Argo Rollout',
      { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' },
      'template',
      'spec.template.spec.containers[0]',
    ],
  ])('is refused for %s', (_, type, key, path) => {
    const template = { spec: { containers: [appContainer(misspelt)], restartPolicy: 'Always' } };
    const spec = key === 'jobTemplate' ? { jobTemplate: { spec: { template } } } : { template };
    const { allowed, status } = validation({ ...type, metadata: { name: 'x', namespace: 'apps' }, spec });
    expect(allowed).toBe(false);
    expect(status.message).toContain(`${path}.readinessProbe.httpGet.port: `);
  });

  it('is only warned about under enforcement Warn, and only noted under Audit', () => {
    const warned = validation(deployment(appContainer(misspelt)), { settings: { enforcement: 'Warn' } });
    expect([warned.allowed, warned.warnings.some((warning) => warning.endsWith('(named-port)'))]).toEqual([true, true]);
    const noted = validation(deployment(appContainer(misspelt)), { settings: { enforcement: 'Audit' } });
    expect([noted.allowed, noted.warnings]).toEqual([true, []]);
    expect(noted.auditAnnotations['violations']).toContain('named-port app.readinessProbe Audit');
  });

  it('follows the policy, and a namespace cannot go below the floor', () => {
    const off = { checks: { 'named-port': { action: 'Off' } } };
    expect(validation(deployment(appContainer(misspelt)), { policies: policySet(policyDocument(off)) }).allowed).toBe(
      true,
    );
    const floor = clusterPolicyDocument({ checks: { 'named-port': { action: 'Deny', floor: 'Warn' } } });
    const { allowed, warnings } = validation(deployment(appContainer(misspelt)), {
      policies: policySet(floor, policyDocument(off)),
    });
    expect([allowed, warnings.length > 0]).toEqual([true, true]);
  });

  it('is judged by what its Pods will have, unless mutation is not On', () => {
    const policies = policySet(
      policyDocument({
        kubernetesProbeEndpoints: { livenessProbe: '/l', readinessProbe: '/r' },
        checks: { 'required-liveness': { action: 'Deny' } },
      }),
    );
    expect(validation(deployment(appContainer()), { policies }).allowed).toBe(true);
    expect(validation(deployment(appContainer()), { policies, settings: { mutation: 'Audit' } }).allowed).toBe(false);
  });
});

describe('an update', () => {
  const bad = deployment(appContainer(misspelt));

  it('that leaves the template alone is not looked at', () => {
    const labelled = deployment(appContainer(misspelt), { metadata: { labels: { touched: 'yes' } } });
    expect(validation(labelled, { request: update(bad) }).decision.skipped).toBe('unchanged');
  });

  it('that changes the template warns of what was wrong before, and does not deny it', () => {
    const changed = deployment(appContainer({ ...misspelt, image: 'x:2' }));
    const { allowed, warnings } = validation(changed, { request: update(bad) });
    expect([allowed, warnings.filter((warning) => warning.endsWith('(named-port)')).length]).toEqual([true, 1]);
  });

  it('that adds a bad probe is denied for that one alone', () => {
    const worse = deployment(appContainer({ ...misspelt, livenessProbe: { tcpSocket: { port: 'nope' } } }));
    const { allowed, status } = validation(worse, { request: update(bad) });
    expect(allowed).toBe(false);
    expect(status.message?.split('\n')).toHaveLength(1);
    expect(status.message).toContain('livenessProbe.tcpSocket.port');
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['leader and workers', leaderWorkerSet(misspelt, {}), leaderWorkerSet({}, misspelt)],
    ['jobs of a set', jobSet(['a', misspelt], ['b', {}]), jobSet(['a', {}], ['b', misspelt])],
  ])('does not excuse one template with a fault of another: %s', (_, before, after) =>
    expect(validation(after, { request: update(before) }).allowed).toBe(false),
  );

  it('knows a job of a set by its name when others come before it', () => {
    const before = jobSet(['a', misspelt]);
    const after = jobSet(['first', {}], ['a', misspelt]);
    expect(validation(after, { request: update(before) }).status).toEqual({});
  });

  it('of a Pod counts only when a probe changed', () => {
    const before = pod([appContainer(misspelt)]);
    const labelled = pod([appContainer({ ...misspelt, image: 'x:2' })], { metadata: { labels: { a: 'b' } } });
    expect(validation(labelled, { request: update(before) }).decision.skipped).toBe('unchanged');
    const changed = pod([appContainer({ livenessProbe: { tcpSocket: { port: 'nope' } }, ...misspelt })]);
    expect(validation(changed, { request: update(before) }).allowed).toBe(false);
  });
});

describe('let through without a look', () => {
  const owner = {
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u', controller: true }],
  };
  const bad = deployment(appContainer(misspelt));
  it.each<[string, JsonObject, JsonObject, string]>([
    ['a DELETE', bad, { operation: 'DELETE', object: null, oldObject: bad }, 'operation'],
    ['a CONNECT', bad, { operation: 'CONNECT' }, 'operation'],
    ['a subresource', bad, { subResource: 'status' }, 'subresource'],
    [
      'an object that is being deleted',
      deployment(appContainer(misspelt), { metadata: { deletionTimestamp: 'now' } }),
      {},
      'being-deleted',
    ],
    [
      'an update of one that was being deleted',
      bad,
      update(deployment(appContainer(), { metadata: { deletionTimestamp: 'now' } })),
      'being-deleted',
    ],
    [
      'an object that a controller owns',
      deployment(appContainer(misspelt), { metadata: owner }),
      by('system:kube-controller-manager'),
      'controller-owned',
    ],
    [
      'a mirror Pod',
      pod([appContainer(misspelt)], { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }),
      {},
      'mirror-pod',
    ],
    ['a kind that is not listed', { ...bad, apiVersion: 'example.test/v1' }, {}, 'kind'],
    ['a Deployment without a template', { ...bad, spec: {} }, {}, 'no-pod-template'],
  ])('is %s', (_, object, request, reason) => {
    const { allowed, decision } = validation(object, { request });
    expect([allowed, decision.skipped]).toEqual([true, reason]);
  });
});

it('never denies a Pod that a controller creates', () => {
  const owner = {
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true }],
  };
  const { allowed, warnings, auditAnnotations } = validation(pod([appContainer(misspelt)], { metadata: owner }), {
    request: by('system:serviceaccount:kube-system:replicaset-controller'),
  });
  expect([allowed, warnings]).toEqual([true, []]);
  expect(auditAnnotations['violations']).toContain('named-port app.readinessProbe Audit');
});

describe('a forged controller reference', () => {
  const forged = {
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'mine', uid: 'u', controller: true }],
  };
  const isRefused = (object: JsonObject, request: JsonObject): boolean => !validation(object, { request }).allowed;

  const builders = ['system:serviceaccount:apps:builder', 'system:serviceaccount:other:admin'];
  it.each(['jane', ...builders, 'system:serviceaccount:kube-system', 'system:node:n1'])(
    'of %s excuses neither a workload nor a Pod',
    (username) => {
      expect(isRefused(deployment(appContainer(misspelt), { metadata: forged }), by(username))).toBe(true);
      expect(isRefused(pod([appContainer(misspelt)], { metadata: forged }), by(username))).toBe(true);
    },
  );

  it('does not carry a bad template past the ratchet: the patch that brings both is refused', () => {
    const good = deployment(appContainer());
    const bad = deployment(appContainer(misspelt), { metadata: forged });
    expect(isRefused(bad, { ...update(good), ...by('jane') })).toBe(true);
  });

  it('leaves a later change of its own author judged', () => {
    const before = deployment(appContainer(), { metadata: forged });
    const after = deployment(appContainer(misspelt), { metadata: forged });
    expect(isRefused(after, { ...update(before), ...by('jane') })).toBe(true);
  });

  it('is believed of a service account of another namespace for a custom kind, unless the settings say never', () => {
    const [owner] = forged.ownerReferences;
    const ownerReferences = [{ ...owner, apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' }];
    const object = deployment(appContainer(misspelt), { metadata: { ownerReferences } });
    const request = by('system:serviceaccount:argo:argo-rollouts');
    expect(validation(object, { request }).decision.skipped).toBe('controller-owned');
    const settings = { controllers: { accounts: [], foreignServiceAccounts: false } };
    expect(validation(object, { settings, request }).allowed).toBe(false);
  });

  it('is believed of an account that the settings name', () => {
    const settings = {
      controllers: { accounts: ['system:serviceaccount:apps:operator'], foreignServiceAccounts: true },
    };
    const object = deployment(appContainer(misspelt), { metadata: forged });
    const request = by('system:serviceaccount:apps:operator');
    expect(validation(object, { settings, request }).decision.skipped).toBe('controller-owned');
  });
});

it('judges a template whose Pods opt out of mutation without the probes that nobody will add', () => {
  const policies = policySet(
    clusterPolicyDocument({
      containers: ['*'],
      kubernetesProbeEndpoints: { livenessProbe: '/l' },
      checks: { 'required-liveness': { action: 'Deny', floor: 'Deny' } },
    }),
  );
  const labels = { app: 'web', 'probewright.dev/webhook': 'disabled' };
  expect(validation(deployment(appContainer()), { policies }).allowed).toBe(true);
  expect(validation(deployment(appContainer(), { template: { labels } }), { policies }).allowed).toBe(false);
});

it('warns the author of a workload of malformed annotations', () => {
  const { warnings } = validation(
    deployment(appContainer(), { template: { annotations: { 'probewright.dev/skip': 'x' } } }),
  );
  expect(warnings).toEqual([
    'annotation probewright.dev/skip is ignored: must be "all" or a comma list of startup, liveness and readiness, not "x"',
  ]);
});

it('sums up warnings beyond the eighth', () => {
  const containers = Array.from({ length: 20 }, (_, index) => appContainer({ name: `c${index}`, ...misspelt }));
  const object = deployment(appContainer());
  const spec = { template: { spec: { containers } } };
  const { warnings } = validation({ ...object, spec }, { settings: { enforcement: 'Warn' } });
  expect(warnings).toHaveLength(9);
  expect(warnings.at(-1)).toMatch(/^and \d+ more$/);
});

it('only records what is wrong with a probe that a policy injects', () => {
  const policies = policySet(
    policyDocument({
      kubernetesProbeEndpoints: { readinessProbe: '/r' },
      probes: { readinessProbe: { timeoutSeconds: 30, periodSeconds: 5 } },
    }),
  );
  const { warnings, auditAnnotations } = validation(deployment(appContainer()), { policies });
  expect(warnings).toEqual([]);
  expect(auditAnnotations['violations']).toBe(
    'timeout-over-period app.readinessProbe Audit; slow-detection app.readinessProbe Audit',
  );
});

it('names the policy to the author of a probe that is compared with an injected probe', () => {
  const policies = policySet(policyDocument({ kubernetesProbeEndpoints: { readinessProbe: '/same' } }));
  const livenessProbe = { httpGet: { path: '/same', port: 'http' }, failureThreshold: 1 };
  const object = deployment(appContainer({ livenessProbe }));
  const spec = { ...(object['spec'] as JsonObject), replicas: 2 };
  const { warnings } = validation({ ...object, spec }, { policies });
  expect(warnings.find((warning) => warning.endsWith('(shared-endpoint)'))).toMatch(
    /; the readinessProbe is injected \(ProbePolicy\/apps\/policy\) \(shared-endpoint\)$/,
  );
});

it('does not call a delay void that the injected startup probe follows from', () => {
  const checks = { 'void-initial-delay': { action: 'Deny' } };
  const probes = (members: JsonObject): JsonObject => ({
    livenessProbe: { httpGet: { path: '/live', port: 'http' }, initialDelaySeconds: 60 },
    ...members,
  });
  const following = policySet(policyDocument({ slowStart: { fromInitialDelaySeconds: 30 }, checks }));
  expect(validation(deployment(appContainer(probes({}))), { policies: following }).allowed).toBe(true);
  const readinessProbe = { httpGet: { path: '/ready', port: 'http' }, initialDelaySeconds: 60 };
  expect(validation(deployment(appContainer(probes({ readinessProbe }))), { policies: following }).allowed).toBe(false);
  const given = policySet(policyDocument({ slowStart: { startupSeconds: 300 }, checks }));
  expect(validation(deployment(appContainer(probes({}))), { policies: given }).allowed).toBe(false);
});

describe('what has more faults than anybody reads', () => {
  const ports = Array.from({ length: 2000 }, (_, i) => ({ name: `-${i}--`, containerPort: 80 }));

  it('is denied for the first of them, a thousand or so of a list', () => {
    const lines = validation(deployment(appContainer({ ports }))).status.message?.split('\n') ?? [];
    expect(lines).toHaveLength(1001);
    expect(lines.at(-1)).toBe('and 2 more violations');
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
  expect(status.message).toMatch(/Invalid value: "-(\\x7f){1020}\.\.\.": /);
  const one = appContainer({ livenessProbe: { httpGet: { path: '/', port } } });
  const all = { spec: { containers: Array.from({ length: 300 }, (_, i) => ({ ...one, name: `c${i}` })) } };
  const { message = '', details } = validation({ ...rollout, spec: { template: all } }).status;
  expect(message.length).toBeLessThan(300_000);
  expect(message).toMatch(/\nand \d+ more violations$/);
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

  it('only warns where nothing denies, and where it was as large before', () => {
    expect(ask(large('a'), {}, { enforcement: 'Warn' }).warnings).toEqual([
      expect.stringContaining('more than 5000 are not looked at'),
    ]);
    const { allowed, warnings } = ask(large('b'), update(large('a')));
    expect([allowed, warnings.length]).toEqual([true, 1]);
    expect(ask(large('b'), update(deployment(appContainer()))).allowed).toBe(false);
  });

  it('is skipped when an update leaves its template as it was, as a match condition skips the call', () => {
    const labelled = { ...large('a'), metadata: { name: 'web', labels: { team: 'shop' } } };
    const { decision, warnings } = ask(labelled, update(large('a')));
    expect([decision.skipped, warnings]).toEqual(['unchanged', []]);
  });
});

describe('the ratchet under a floor', () => {
  const floor = clusterPolicyDocument({
    checks: {
      'exec-forbidden': { action: 'Deny', floor: 'Deny', names: ['curl'] },
      'startup-budget': { action: 'Off' },
    },
  });
  const running = (program: string): JsonObject =>
    deployment(appContainer({ livenessProbe: { exec: { command: [program, 'x'] }, timeoutSeconds: 5 } }));
  const stricter = policyDocument({ checks: { 'exec-forbidden': { names: ['cat'] } } });
  const isAllowed = (before: JsonObject, after: JsonObject, ...documents: JsonObject[]): boolean =>
    validation(after, { policies: policySet(...documents), request: update(before) }).allowed;

  it('is not loosened by a policy of the namespace that finds fault with the object before', () => {
    expect(isAllowed(running('cat'), running('curl'), floor)).toBe(false);
    expect(isAllowed(running('cat'), running('curl'), floor, stricter)).toBe(false);
  });

  it('is not loosened by a policy of the namespace that takes away what the cluster gives', () => {
    const given = clusterPolicyDocument({
      containers: ['*'],
      kubernetesProbeEndpoints: { readinessProbe: '/up' },
      checks: { 'required-readiness': { action: 'Deny', floor: 'Deny', containers: 'all' } },
    });
    const strips = policyDocument({ containers: ['*'], probes: { readinessProbe: { disabled: true } } });
    const labels = { app: 'web', 'probewright.dev/webhook': 'disabled' };
    const optedOut = deployment(appContainer(), { template: { labels } });
    expect(isAllowed(deployment(appContainer()), optedOut, given, strips)).toBe(false);
  });

  it('is not loosened by a label that brings the floor', () => {
    const front = clusterPolicyDocument({
      workloadSelector: { matchLabels: { tier: 'front' } },
      checks: { 'probe-host': { action: 'Deny', floor: 'Deny' } },
    });
    const asking = appContainer({ livenessProbe: { tcpSocket: { port: 8080, host: '10.0.0.1' } } });
    const labelled = deployment(asking, { template: { labels: { app: 'web', tier: 'front' } } });
    expect(isAllowed(deployment(asking), labelled, front)).toBe(false);
    expect(isAllowed(labelled, deployment(asking, { template: { labels: { app: 'x', tier: 'front' } } }), front)).toBe(
      true,
    );
  });

  it('still tolerates what was there before the floor', () => {
    const changed = deployment(
      appContainer({ image: 'other', livenessProbe: { exec: { command: ['curl', 'x'] }, timeoutSeconds: 5 } }),
    );
    expect(isAllowed(running('curl'), changed, floor, stricter)).toBe(true);
  });

  it('sees an update of the deadline of a rollout', () => {
    const deadline = clusterPolicyDocument({ checks: { 'progress-deadline': { action: 'Deny', floor: 'Deny' } } });
    const rollout = (progressDeadlineSeconds: number): JsonObject => {
      const probe = { httpGet: { path: '/l', port: 'http' }, failureThreshold: 6 };
      const object = deployment(appContainer({ livenessProbe: probe }));
      return { ...object, spec: { ...(object['spec'] as JsonObject), progressDeadlineSeconds } };
    };
    expect(isAllowed(rollout(600), rollout(5), deadline)).toBe(false);
  });
});

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
