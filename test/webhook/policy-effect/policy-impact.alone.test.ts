import { describe, expect, it, vi } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import { policyImpact } from '../../../src/webhook/policy-effect/policy-impact.ts';
import { AnswerTooLarge, ApiError, type ApiClient, type ApiRequest } from '../../../src/cluster/client/api-client.ts';
import type { ProbePolicy } from '../../../src/engine/policy/probe-policy.ts';
import { KNOWN_KINDS, BUILT_IN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../../support/worlds.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';
import type { Reviewed } from '../../../src/webhook/review/decision.ts';
import type { EffectLimits, PolicyEffect } from '../../../src/webhook/http/review-endpoint.ts';
import type { ImpactDependencies } from '../../../src/webhook/policy-effect/policy-impact.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const reviewed = (applied: ProbePolicy): Reviewed => ({
  kind: 'policy',
  source: applied.source,
  namespace: applied.namespace,
  applied,
});

const REQUIRED = parsedPolicy(
  clusterPolicyDocument({ containers: ['*'], checks: { 'required-liveness': { action: 'Deny' } } }, 'base'),
);
const PROBES = parsedPolicy(
  clusterPolicyDocument({ containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/ready' } }, 'base'),
);
const OF_APPS = parsedPolicy(
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
): { readonly impact: { readonly warnings: PolicyEffect }; readonly results: string[]; readonly leftOut: string[] } {
  const results: string[] = [];
  const leftOut: string[] = [];
  const before = Snapshot.of(CHECK_CATALOGUE, []);
  return {
    results,
    leftOut,
    impact: {
      warnings: policyImpact({
        client: api,
        kinds: BUILT_IN_KINDS,
        rung: { enforcement: 'Deny', mutation: 'On' },
        isExempt: () => false,
        namesWorkloads: true,
        snapshots: (change) => ({
          before,
          after: Snapshot.of(
            CHECK_CATALOGUE,
            change.kind === 'exception' || change.applied === undefined ? [] : [change.applied],
            before.facts,
          ),
        }),
        now: () => 0,
        monotonic: () => performance.now(),
        ended: (result) => results.push(result),
        leftOut: (resource) => leftOut.push(resource),
        ...more,
      }),
    },
  };
}

const RUN: EffectLimits = { milliseconds: 60_000, isDryRun: true, isAbandoned: () => false };
/** Resolves when the request is given up. */
const untilAborted = ({ signal }: ApiRequest): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('aborted')));
  });

interface Case {
  /** The spec of the policy `base` that is applied; of a ProbePolicy with a namespace, else of a ClusterProbePolicy. */
  readonly policy?: JsonObject;
  readonly namespace?: string;
  /** The spec in force of a ClusterProbePolicy `base` that is deleted. */
  readonly before?: JsonObject;
  /** How an exception that is applied differs from the one of Deployment web. */
  readonly exception?: JsonObject;
  /** Pages by resource, of workloads as `name`, `namespace/name` or `name live|ready`; or an HTTP status; the rest is empty. */
  readonly lists: Readonly<Record<string, readonly (readonly string[])[] | number | 'too long'>>;
  readonly isDryRun?: boolean;
  readonly namesWorkloads?: boolean;
  readonly exempt?: readonly string[];
  readonly rung?: ImpactDependencies['rung'];
  /** The cluster has the kind Rollout; `configured` and `builtIn`: the kinds that are looked at. */
  readonly served?: boolean;
  readonly configured?: readonly 'Rollout'[];
  readonly builtIn?: boolean;
  readonly showRequests?: boolean;
}

const PATHS: Readonly<Record<string, string>> = {
  deployments: DEPLOYMENTS,
  statefulsets: '/apis/apps/v1/statefulsets',
  daemonsets: '/apis/apps/v1/daemonsets',
  replicationcontrollers: '/api/v1/replicationcontrollers',
  cronjobs: '/apis/batch/v1/cronjobs',
  rollouts: ROLLOUTS,
  apis: '/apis',
};

function listed(pages: Case['lists'][string]): (readonly object[])[] | Error {
  if (pages === 'too long') return new AnswerTooLarge('the answer has more than 2 MiB');
  if (typeof pages === 'number') return new ApiError(pages, pages === 403 ? 'Forbidden' : '', 'no');
  return pages.map((page) =>
    page.map((text) => {
      const [place = '', has] = text.split(' ');
      const [namespace, name] = place.includes('/') ? place.split('/') : ['apps', place];
      const probes = { live: { livenessProbe: probe }, ready: { readinessProbe: probe } };
      return workload(name ?? '', has === undefined ? {} : probes[has as keyof typeof probes], namespace);
    }),
  );
}

async function effect(given: Case): Promise<JsonObject> {
  const { policy, namespace, before, exception, lists, exempt = [], configured = [] } = given;
  const inNamespace = namespace ?? (exception && 'apps');
  const collections = Object.entries(lists).map(([resource, pages]) => {
    const path = PATHS[resource] ?? '';
    return [inNamespace === undefined ? path : path.replace(/(?=\w+$)/, `namespaces/${inNamespace}/`), listed(pages)];
  });
  const api = client(Object.fromEntries(collections) as Collections);
  const inForce = before && parsedPolicy(clusterPolicyDocument(before, 'base'));
  const document = namespace === undefined ? clusterPolicyDocument(policy, 'base') : policyDocument(policy, 'base');
  const applied = policy && parsedPolicy(document);
  const source = (applied ?? inForce)?.source ?? '';
  const snapshots = {
    before: Snapshot.of(CHECK_CATALOGUE, inForce ? [inForce] : []),
    after: Snapshot.of(CHECK_CATALOGUE, []),
  };
  const {
    impact: subject,
    results,
    leftOut,
  } = impact(given.served === true ? withRollouts(api) : api, {
    kinds: [...(given.builtIn === false ? [] : BUILT_IN_KINDS), ...configured.map(() => CONFIGURED_ROLLOUT)],
    isExempt: (name) => exempt.includes(name),
    namesWorkloads: given.namesWorkloads ?? true,
    ...(given.rung && { rung: given.rung }),
    ...(inForce && { snapshots: () => snapshots }),
  });
  const change =
    exception === undefined
      ? ({ kind: 'policy', source, namespace, applied } as const)
      : {
          kind: 'exception' as const,
          source: 'ProbeException/apps/legacy',
          namespace: 'apps',
          applied: parsedException(exceptionDocument(exception)),
        };
  const run = { ...RUN, isDryRun: given.isDryRun ?? true };
  const warnings = await subject.warnings(change, run);
  const requests = given.showRequests === true ? api.requests.toSorted() : undefined;
  const answer = { warnings, results: [...results], requests };
  // The next review says the same again.
  expect(await subject.warnings(change, run)).toEqual(warnings);
  expect(leftOut).toEqual([]);
  return answer;
}

describe('the effect of a policy on live workloads', () => {
  describeCases('test/fixtures/replies/policy-effects.yaml', ['warnings', 'results', 'requests'], (given) =>
    effect(given as unknown as Case),
  );

  it('ends in time, and says how many workloads it looked at', async () => {
    vi.useFakeTimers();
    try {
      const api = client({ [DEPLOYMENTS]: [[workload('a')], [workload('b'), workload('c')]] }, async (request) => {
        if (request.path !== DEPLOYMENTS || request.query?.['continue'] !== undefined) await untilAborted(request);
      });
      const { impact: subject, results } = impact(api);
      const warnings = subject.warnings(reviewed(REQUIRED), { ...RUN, milliseconds: 1200 });
      await vi.advanceTimersByTimeAsync(1200);
      expect(await warnings).toEqual([
        'of 1 workload, 1 would be denied if created again, and warned at updates: Deployment apps/a (required-liveness). Run probewright plan for details.',
        'the figures are incomplete: the time limit of 1.2 s ended the review after 1 workload',
      ]);
      expect(results).toEqual(['incomplete']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('lets other requests have their turn when it has taken 5 ms', async () => {
    let time = 0;
    const workloads = [['a', 'b', 'c', 'd'].map((name) => workload(name))];
    const { impact: subject } = impact(client({ [DEPLOYMENTS]: workloads }), { monotonic: () => (time += 5) });
    let turns = 0;
    const effect = subject.warnings(reviewed(REQUIRED), RUN);
    const tick = (): void => {
      turns += 1;
      others = setImmediate(tick);
    };
    let others = setImmediate(tick);
    expect((await effect)[0]).toMatch(/^of 4 workloads, 4 would be denied/);
    clearImmediate(others);
    expect(turns).toBeGreaterThanOrEqual(4);
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

  it('leaves out a ready-made kind without a right, and says so once, in the log', async () => {
    const lists = client({ [DEPLOYMENTS]: [[workload('a')]], [ROLLOUTS]: new ApiError(403, 'Forbidden', 'no') });
    const { impact: subject, results, leftOut } = impact(withRollouts(lists), { kinds: KNOWN_KINDS });
    const figures = [
      'of 1 workload, 1 would be denied if created again, and warned at updates: Deployment apps/a (required-liveness). Run probewright plan for details.',
    ];
    for (let review = 0; review < 3; review++) expect(await subject.warnings(reviewed(REQUIRED), RUN)).toEqual(figures);
    expect(leftOut).toEqual(['rollouts.argoproj.io']);
    expect(results).toEqual(['complete', 'complete', 'complete']);
  });
});
