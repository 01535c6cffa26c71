import { describe, expect, it, vi } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import { PolicyImpact } from '../../../src/webhook/policy-effect/policy-impact.ts';
import { AnswerTooLarge, ApiError, type ApiClient, type ApiRequest } from '../../../src/cluster/client/api-client.ts';
import { parseProbePolicy, type ProbePolicy } from '../../../src/engine/policy/probe-policy.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/custom-kinds.ts';
import { BUILT_IN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { clusterPolicyDocument, policyDocument } from '../../support/worlds.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';
import type { Reviewed } from '../../../src/webhook/review/decision.ts';
import type { EffectLimits } from '../../../src/webhook/http/review-endpoint.ts';
import type { ImpactDependencies } from '../../../src/webhook/policy-effect/policy-impact.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

function policy(document: JsonObject): ProbePolicy {
  const parsed = parseProbePolicy(CHECK_CATALOGUE, document);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.policy;
}

const reviewed = (applied: ProbePolicy): Reviewed => ({
  source: applied.source,
  namespace: applied.namespace,
  applied,
});

const REQUIRED = policy(
  clusterPolicyDocument({ containers: ['*'], checks: { 'required-liveness': { action: 'Deny' } } }, 'base'),
);
const PROBES = policy(
  clusterPolicyDocument({ containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/ready' } }, 'base'),
);
const OF_APPS = policy(
  policyDocument({ containers: ['*'], checks: { 'required-liveness': { action: 'Deny' } } }, 'base'),
);

const probe = { httpGet: { path: '/', port: 'http' } };
const workload = (name: string, container: object = {}, namespace = 'apps'): object => ({
  metadata: { name, namespace },
  spec: {
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'app', ports: [{ name: 'http', containerPort: 80 }], ...container }] },
    },
  },
});

/** An API server in memory: pages of collections, by path. What is missing is empty. */
type Collections = Readonly<Record<string, readonly (readonly object[])[] | Error>>;

function client(
  collections: Collections,
  before: (request: ApiRequest) => Promise<unknown> = () => Promise.resolve(),
): Pick<ApiClient, 'request' | 'measured'> & { readonly requests: string[] } {
  const requests: string[] = [];
  const answer = async (request: ApiRequest): Promise<unknown> => {
    const { path, query = {} } = request;
    requests.push(`${path}?${new URLSearchParams(query).toString()}`);
    await before(request);
    const pages = collections[path] ?? [[]];
    if (pages instanceof Error) throw pages;
    const page = Number(query['continue'] ?? 0);
    const rest = pages.slice(page + 1).flat().length;
    return {
      metadata: {
        resourceVersion: '1',
        ...(page + 1 < pages.length && { continue: `${page + 1}`, remainingItemCount: rest }),
      },
      items: structuredClone(pages[page] ?? []),
    };
  };
  return {
    requests,
    request: answer,
    // As long as a page that leaves the size of the next one as it is.
    measured: async (request) => ({ body: await answer(request), bytes: 1024 * 1024 }),
  };
}

const DEPLOYMENTS = '/apis/apps/v1/deployments';
const OF_APPS_DEPLOYMENTS = '/apis/apps/v1/namespaces/apps/deployments';

const ROLLOUTS = '/apis/argoproj.io/v1alpha1/rollouts';
const CONFIGURED_ROLLOUT = {
  group: 'argoproj.io',
  kind: 'Rollout',
  templatePaths: [['spec', 'template']],
  runsToCompletion: false,
};

/** The same API server with the kind Rollout. */
function withRollouts(lists: ImpactDependencies['client']): ImpactDependencies['client'] {
  const version = { groupVersion: 'argoproj.io/v1alpha1' };
  const answers: Record<string, unknown> = {
    '/apis': { groups: [{ name: 'argoproj.io', preferredVersion: version, versions: [version] }] },
    '/api/v1': { resources: [] },
    '/apis/argoproj.io/v1alpha1': {
      resources: [{ name: 'rollouts', singularName: 'rollout', kind: 'Rollout', namespaced: true }],
    },
  };
  return { ...lists, request: (of) => (of.path in answers ? Promise.resolve(answers[of.path]) : lists.request(of)) };
}

function impact(
  api: ImpactDependencies['client'],
  more: Partial<ImpactDependencies> = {},
): { readonly impact: PolicyImpact; readonly results: string[]; readonly leftOut: string[] } {
  const results: string[] = [];
  const leftOut: string[] = [];
  const before = Snapshot.of(CHECK_CATALOGUE, []);
  return {
    results,
    leftOut,
    impact: new PolicyImpact({
      client: api,
      kinds: BUILT_IN_KINDS,
      behaviour: { injects: true, strictest: 'Deny' },
      isExempt: () => false,
      namesWorkloads: true,
      snapshots: (change) => ({
        before,
        after: Snapshot.of(
          CHECK_CATALOGUE,
          'exception' in change || change.applied === undefined ? [] : [change.applied],
          before.facts,
        ),
      }),
      monotonic: () => 0,
      now: () => 0,
      ended: (result) => results.push(result),
      leftOut: (resource) => leftOut.push(resource),
      ...more,
    }),
  };
}

const RUN: EffectLimits = { milliseconds: 60_000, isDryRun: true, isAbandoned: () => false };
/** Resolves when the request is given up. */
const untilAborted = ({ signal }: ApiRequest): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('aborted')));
  });

describe('the effect of a policy on live workloads', () => {
  it('counts workloads, names the first three that would be denied, and reads pages', async () => {
    const api = client({
      [DEPLOYMENTS]: [
        [workload('d'), workload('c')],
        [workload('b'), workload('a', { livenessProbe: probe })],
      ],
      '/apis/apps/v1/statefulsets': [[workload('db')]],
      '/apis/batch/v1/cronjobs': new ApiError(404, 'NotFound', 'no'),
    });
    const { impact: subject, results } = impact(api);
    expect(await subject.warnings(reviewed(REQUIRED), RUN)).toEqual([
      '4 of 5 workloads would be denied at their next change: Deployment apps/b (required-liveness), Deployment apps/c (required-liveness), Deployment apps/d (required-liveness) and 1 more. Run probewright plan for details.',
    ]);
    expect(results).toEqual(['complete']);
    expect(api.requests.toSorted()).toEqual([
      '/api/v1/replicationcontrollers?limit=500',
      '/apis/apps/v1/daemonsets?limit=500',
      '/apis/apps/v1/deployments?limit=500',
      '/apis/apps/v1/deployments?limit=500&continue=1',
      '/apis/apps/v1/statefulsets?limit=500',
      '/apis/batch/v1/cronjobs?limit=500',
    ]);
  });

  it('counts workloads and names none for a caller that nobody has authenticated', async () => {
    const api = client({ [DEPLOYMENTS]: [[workload('secret-project'), workload('other')]] });
    const { impact: subject } = impact(api, { namesWorkloads: false });
    expect(await subject.warnings(reviewed(REQUIRED), RUN)).toEqual([
      '2 of 2 workloads would be denied at their next change. Run probewright plan for details.',
    ]);
  });

  it('reads only the namespace of a ProbePolicy, from the watch cache', async () => {
    const api = client({ [OF_APPS_DEPLOYMENTS]: [[workload('a')]], [DEPLOYMENTS]: [[workload('x', {}, 'other')]] });
    expect(await impact(api).impact.warnings(reviewed(OF_APPS), RUN)).toEqual([
      '1 of 1 workload would be denied at its next change: Deployment apps/a (required-liveness). Run probewright plan for details.',
    ]);
    expect(api.requests.every((path) => path.includes('/namespaces/apps/'))).toBe(true);
    expect(api.requests).toContain(`${OF_APPS_DEPLOYMENTS}?limit=500&resourceVersion=0`);
  });

  it('counts other probes, and what is no longer denied', async () => {
    const api = client({ [DEPLOYMENTS]: [[workload('a'), workload('b', { readinessProbe: probe })]] });
    expect(await impact(api).impact.warnings(reviewed(PROBES), RUN)).toEqual([
      '0 of 2 workloads would be denied at their next change; 1 gets other probes at its next rollout. Run probewright plan for details.',
    ]);
    const inForce = Snapshot.of(CHECK_CATALOGUE, [REQUIRED]);
    const snapshots = (): { before: Snapshot; after: Snapshot } => ({
      before: inForce,
      after: Snapshot.of(CHECK_CATALOGUE, [], inForce.facts),
    });
    const deletion = { source: REQUIRED.source, namespace: undefined, applied: undefined };
    expect(await impact(api, { snapshots }).impact.warnings(deletion, RUN)).toEqual([
      '0 of 2 workloads would be denied at their next change; 2 would no longer be denied. Run probewright plan for details.',
    ]);
  });

  it('says nothing about a policy without effect, except in a dry run', async () => {
    const api = client({ [DEPLOYMENTS]: [[workload('a', { livenessProbe: probe })]] });
    const { impact: subject } = impact(api);
    expect(await subject.warnings(reviewed(REQUIRED), { ...RUN, isDryRun: false })).toEqual([]);
    expect(await subject.warnings(reviewed(REQUIRED), RUN)).toEqual([
      'no effect on 1 workload: no other probes, no new warnings or denials.',
    ]);
  });

  it('leaves out exempt namespaces', async () => {
    const api = client({ [DEPLOYMENTS]: [[workload('a', {}, 'kube-system')]] });
    const isExempt = (namespace: string): boolean => namespace === 'kube-system' || namespace === 'apps';
    const { impact: subject } = impact(api, { isExempt });
    expect(await subject.warnings(reviewed(REQUIRED), RUN)).toEqual([
      'no effect on 0 workloads: no other probes, no new warnings or denials.',
    ]);
    expect(await subject.warnings(reviewed(OF_APPS), RUN)).toEqual([
      'no effect: namespace apps is exempt from the webhooks',
    ]);
  });

  it('reports the actions of the server, and no probes that the server does not add', async () => {
    const api = client({ [DEPLOYMENTS]: [[workload('a')]] });
    const both = policy(
      clusterPolicyDocument(
        {
          containers: ['*'],
          kubernetesProbeEndpoints: { livenessProbe: '/live' },
          checks: { 'required-liveness': { action: 'Deny' } },
        },
        'base',
      ),
    );
    expect(await impact(api).impact.warnings(reviewed(both), RUN)).toEqual([
      '0 of 1 workload would be denied at their next change; 1 gets other probes at its next rollout. Run probewright plan for details.',
    ]);
    const behaviour = { injects: false, strictest: 'Warn' } as const;
    expect(await impact(api, { behaviour }).impact.warnings(reviewed(both), RUN)).toEqual([
      '0 of 1 workload would be denied at their next change; 1 would get warnings. Run probewright plan for details.',
    ]);
  });

  it('names verb and resource when a right is missing', async () => {
    const api = client({
      [DEPLOYMENTS]: [[workload('a')]],
      '/apis/apps/v1/statefulsets': new ApiError(403, 'Forbidden', 'user x may not'),
      '/apis/apps/v1/daemonsets': new ApiError(503, '', 'later'),
      '/api/v1/replicationcontrollers': new AnswerTooLarge('the answer has more than 2 MiB'),
    });
    const { impact: subject, results } = impact(api);
    expect(await subject.warnings(reviewed(REQUIRED), RUN)).toEqual([
      '1 of 1 workload would be denied at its next change: Deployment apps/a (required-liveness). Run probewright plan for details.',
      'the effect leaves out statefulsets.apps: cannot list statefulsets.apps in all namespaces: forbidden',
      'the effect leaves out daemonsets.apps: cannot list daemonsets.apps in all namespaces: HTTP 503',
      'the effect leaves out replicationcontrollers: cannot list replicationcontrollers in all namespaces: the answer has more than 2 MiB',
    ]);
    expect(results).toEqual(['incomplete']);
  });

  it('ends in time, and says what it did not look at', async () => {
    vi.useFakeTimers();
    try {
      const api = client({ [DEPLOYMENTS]: [[workload('a')], [workload('b'), workload('c')]] }, async (request) => {
        if (request.path !== DEPLOYMENTS || request.query?.['continue'] !== undefined) await untilAborted(request);
      });
      const { impact: subject, results } = impact(api);
      const warnings = subject.warnings(reviewed(REQUIRED), { ...RUN, milliseconds: 1200 });
      await vi.advanceTimersByTimeAsync(1200);
      expect(await warnings).toEqual([
        '1 of 1 workload would be denied at its next change: Deployment apps/a (required-liveness). Run probewright plan for details.',
        'the figures are incomplete: the time limit of 1.2 s ended the review after 1 workload. Not looked at: about 2 deployments.apps, all statefulsets.apps, all daemonsets.apps, all replicationcontrollers, all cronjobs.batch',
      ]);
      expect(results).toEqual(['incomplete']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('looks at 3,000 workloads at most, and says how many are left', async () => {
    const many = Array.from({ length: 500 }, (_, index) => workload(`w${index}`));
    const api = client({ [DEPLOYMENTS]: Array.from({ length: 8 }, () => many) });
    const { impact: subject } = impact(api);
    const [first, second] = await subject.warnings(reviewed(REQUIRED), RUN);
    expect(first).toMatch(/^3000 of 3000 workloads would be denied/);
    expect(second).toMatch(
      /^the figures are incomplete: a review looks at most at 3000 workloads\. Not looked at: about 1000 deployments\.apps/,
    );
  });

  it('answers a second review at once, without figures', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const api = client({ [DEPLOYMENTS]: [[workload('a')]] }, () => held);
    const { impact: subject, results } = impact(api);
    const first = subject.warnings(reviewed(REQUIRED), RUN);
    expect(await subject.warnings(reviewed(PROBES), RUN)).toEqual([
      'the effect on live workloads was not computed: the effect of another policy is being computed. Run probewright plan for the effect.',
    ]);
    release();
    expect(await first).toHaveLength(1);
    expect(results).toEqual(['busy', 'complete']);
    expect(await subject.warnings(reviewed(PROBES), RUN)).toHaveLength(1);
  });

  it('refuses a namespace that has used its time, until a part of the time is back', async () => {
    let now = 0;
    const api = client({}, () => Promise.resolve((now += 300)));
    const monotonic = (): number => now;
    const { impact: subject, results } = impact(api, { monotonic });
    for (let review = 0; review < 5; review++) await subject.warnings(reviewed(OF_APPS), RUN);
    const other = policy({ ...policyDocument({}, 'base'), metadata: { name: 'base', namespace: 'other' } });
    await subject.warnings(reviewed(other), RUN);
    await subject.warnings(reviewed(REQUIRED), RUN);
    now += 60_000;
    await subject.warnings(reviewed(OF_APPS), RUN);
    expect(results).toEqual([
      'complete',
      'complete',
      'complete',
      'complete',
      'allowance',
      'complete',
      'complete',
      'complete',
    ]);
  });

  it('gives up when the client has disconnected, and keeps no place', async () => {
    const api = client({ [DEPLOYMENTS]: [[workload('a')], [workload('b')], [workload('c')]] });
    const { impact: subject, results } = impact(api);
    await subject.warnings(reviewed(REQUIRED), { ...RUN, isAbandoned: () => true });
    expect(results).toEqual(['abandoned']);
    expect(api.requests).not.toContain(`${DEPLOYMENTS}?limit=500&continue=2`);
    expect(await subject.warnings(reviewed(REQUIRED), RUN)).toHaveLength(1);
  });

  it('computes nothing until the policies are loaded', async () => {
    const api = client({});
    const { impact: subject } = impact(api, { snapshots: () => undefined });
    expect(await subject.warnings(reviewed(REQUIRED), RUN)).toEqual([
      'the effect on live workloads was not computed: the policies in force are not loaded yet. Run probewright plan for the effect.',
    ]);
    expect(api.requests).toEqual([]);
  });

  it('asks for smaller pages when a page is too large', async () => {
    const api = client({ [OF_APPS_DEPLOYMENTS]: [[workload('a')]] }, ({ query, path }) =>
      path === OF_APPS_DEPLOYMENTS && Number(query?.['limit']) > 250
        ? Promise.reject(new AnswerTooLarge('the answer has more than 2 MiB'))
        : Promise.resolve(),
    );
    expect(await impact(api).impact.warnings(reviewed(OF_APPS), RUN)).toHaveLength(1);
    expect(api.requests.filter((path) => path.startsWith(OF_APPS_DEPLOYMENTS))).toEqual([
      `${OF_APPS_DEPLOYMENTS}?limit=500&resourceVersion=0`,
      `${OF_APPS_DEPLOYMENTS}?limit=500`,
      `${OF_APPS_DEPLOYMENTS}?limit=250`,
    ]);
  });

  it('lists custom kinds that the cluster has', async () => {
    const lists = client({ [ROLLOUTS]: [[workload('a')]] });
    const { impact: subject } = impact(withRollouts(lists), { kinds: [...BUILT_IN_KINDS, CONFIGURED_ROLLOUT] });
    expect(await subject.warnings(reviewed(REQUIRED), RUN)).toEqual([
      '1 of 1 workload would be denied at its next change: Rollout apps/a (required-liveness). Run probewright plan for details.',
    ]);
    const failing = client({ '/apis': new ApiError(500, '', 'no') });
    expect(await impact(failing, { kinds: [CONFIGURED_ROLLOUT] }).impact.warnings(reviewed(REQUIRED), RUN)).toEqual([
      'no effect on 0 workloads: no other probes, no new warnings or denials.',
      'the effect leaves out custom kinds: cannot list custom kinds in all namespaces: cannot list the API groups: no',
    ]);
  });

  it('leaves out a ready-made kind without a right, and says so once, in the log', async () => {
    const lists = client({ [DEPLOYMENTS]: [[workload('a')]], [ROLLOUTS]: new ApiError(403, 'Forbidden', 'no') });
    const { impact: subject, results, leftOut } = impact(withRollouts(lists), { kinds: KNOWN_KINDS });
    const figures = [
      '1 of 1 workload would be denied at its next change: Deployment apps/a (required-liveness). Run probewright plan for details.',
    ];
    for (let review = 0; review < 3; review++) expect(await subject.warnings(reviewed(REQUIRED), RUN)).toEqual(figures);
    expect(leftOut).toEqual(['rollouts.argoproj.io']);
    expect(results).toEqual(['complete', 'complete', 'complete']);
  });

  it('names a configured kind without a right at each review', async () => {
    const lists = client({ [ROLLOUTS]: new ApiError(403, 'Forbidden', 'no') });
    const kinds = [...BUILT_IN_KINDS, CONFIGURED_ROLLOUT];
    const { impact: subject, leftOut } = impact(withRollouts(lists), { kinds });
    const warnings = [
      'no effect on 0 workloads: no other probes, no new warnings or denials.',
      'the effect leaves out rollouts.argoproj.io: cannot list rollouts.argoproj.io in all namespaces: forbidden',
    ];
    expect(await subject.warnings(reviewed(REQUIRED), RUN)).toEqual(warnings);
    expect(await subject.warnings(reviewed(REQUIRED), RUN)).toEqual(warnings);
    expect(leftOut).toEqual([]);
  });

  it('names the workloads that an exception names and that do not exist', async () => {
    const exception = parsedException(
      exceptionDocument({
        workloads: [
          { kind: 'Deployment', name: 'web' },
          { kind: 'Deployment', name: 'old' },
          { kind: 'Rollout', name: 'unlisted' },
        ],
      }),
    );
    const api = client({ [OF_APPS_DEPLOYMENTS]: [[workload('web')]] });
    const change = { source: 'ProbeException/apps/legacy', namespace: 'apps', exception };
    expect(await impact(api).impact.warnings(change, { ...RUN, isDryRun: false })).toEqual([
      'no Deployment old in namespace apps',
    ]);
  });
});
