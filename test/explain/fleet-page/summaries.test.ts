import { describe, expect, it } from 'vitest';
import {
  checkViews,
  coverageViews,
  exceptionViews,
  namespaceViews,
  shownVerdicts,
  tileViews,
  workloadsByPolicy,
} from '../../../src/explain/fleet-page/summaries.ts';
import { VERDICTS } from '../../../src/explain/fleet-page/verdicts.ts';
import { httpProbe } from '../../engine/checks/workload.ts';
import { exceptionDocument, withExceptionsInApps } from '../../support/exceptions.ts';
import { NOW } from '../../support/now.ts';
import { clusterPolicyDocument, policyDocument, policySet } from '../../support/worlds.ts';
import { explainedPod, finding, reported } from '../explained-workloads.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { ReportedWorkload } from '../../../src/explain/fleet-page/report.ts';

const report = (workloads: readonly ReportedWorkload[] = []) => ({
  ...{ subject: 'x', now: NOW, workloads, snapshot: policySet(), problems: [] },
});
const missed = (pods: number) => ({ live: [{ name: 'missed-pods', message: 'lack', pods }] });
const FAILS = { live: [{ name: 'probe-failing', message: 'fails', pods: 0 }] };

describe('the states of a page', () => {
  const first = (...given: Parameters<typeof shownVerdicts>): string | undefined => shownVerdicts(...given)[0]?.label;

  it('begin with what fails, where the state of live Pods is known or a workload fails', () => {
    expect(first({ ...report(), isLive: true })).toBe('Failing');
    expect(first(report([reported(), reported({}, FAILS)]))).toBe('Failing');
  });

  it('begin with denials for files alone, and all others follow', () => {
    expect(first(report([reported({}, missed(1))]))).toBe('Denied');
    expect(first({ ...report(), isLive: false })).toBe('Denied');
    expect(shownVerdicts(report())).toEqual(VERDICTS.slice(1));
  });
});

describe('the tiles', () => {
  const tiles = (workloads: readonly ReportedWorkload[], exceptions = 0): string[] =>
    tileViews(workloads, exceptions, VERDICTS).map(
      ({ number, label, tone, shows }) => `${number} ${label}, ${tone}: ${JSON.stringify(shows)}`,
    );

  it('count each workload once, by its worst finding', () =>
    expect(
      tiles([
        reported({}, { violations: [finding('Warn'), finding('Deny')] }),
        reported({}, { violations: [finding('Deny')], ...FAILS }),
        reported({}, { violations: [finding('Warn')] }),
        reported({}, { violations: [finding('Excepted')] }),
        reported(),
      ]),
    ).toEqual([
      '5 workloads, : {"verdict":""}',
      '1 failing now, fail: {"verdict":"Failing"}',
      '1 denied when created, deny: {"verdict":"Denied"}',
      '1 with warnings, warn: {"verdict":"Warned"}',
      '0 with notes only, zero: {"verdict":"Noted"}',
      '1 with exceptions only, excepted: {"verdict":"Excepted"}',
      '1 without findings, clean: {"verdict":"Clean"}',
    ]));

  it('have nothing of exceptions and of missed Pods where there are none', () =>
    expect(tiles([]).map((tile) => tile.split(',')[0])).toEqual([
      '0 workloads',
      '0 failing now',
      '0 denied when created',
      '0 with warnings',
      '0 with notes only',
      '0 without findings',
    ]));

  it('name a single workload, Pod and exception in the singular', () => {
    expect(tiles([reported({}, missed(1))], 1)).toEqual([
      '1 workload, : {"verdict":""}',
      ...tiles([reported()]).slice(1),
      '1 Pod lacks probes, warn: {"check":"missed-pods"}',
      '1 exception, excepted: {}',
    ]);
    expect(tiles([reported({}, missed(1)), reported({}, missed(2))], 2).slice(-2)).toEqual([
      '3 Pods lack probes, warn: {"check":"missed-pods"}',
      '2 exceptions, excepted: {}',
    ]);
  });
});

describe('a namespace', () => {
  const liveness = (failureThreshold: number): JsonObject => ({ livenessProbe: httpProbe({ failureThreshold }) });
  const viewOf = (workloads: readonly ReportedWorkload[]) => namespaceViews([['apps', workloads]], VERDICTS)[0];

  it('has its workloads by state, the Pods that lack probes, and the policies by name', () => {
    const view = viewOf([
      reported({ containers: [liveness(6)] }, { ...missed(2), policies: ['ProbePolicy/apps/b', 'ProbePolicy/apps/b'] }),
      reported({ containers: [liveness(3)] }, { ...missed(3), policies: ['ProbePolicy/apps/a', 'ProbePolicy/apps/b'] }),
      reported({}, { violations: [finding('Deny')] }),
    ]);
    expect(view).toMatchObject({
      ...{ namespace: 'apps', workloads: 3, lacking: 5, shortest: '20 s' },
      policies: ['ProbePolicy/apps/a', 'ProbePolicy/apps/b'],
    });
    expect(view?.counts.map(({ number, label, tone }) => `${number} ${label} ${tone}`)).toEqual([
      '0 Failing zero',
      '1 Denied deny',
      '0 Warned zero',
      '0 Noted zero',
      '0 Excepted zero',
      '2 Clean clean',
    ]);
  });

  it('has no limit on the start, unless the start of one of its workloads is not known', () => {
    const broken = { livenessProbe: httpProbe({ httpGet: { host: 'localhost', port: 8080 } }) };
    expect(viewOf([reported(), reported()])?.shortest).toBe('no limit');
    expect(viewOf([reported(), reported({ containers: [broken] })])?.shortest).toBe('not known');
    expect(viewOf([reported({ containers: [broken] }), reported({ containers: [liveness(3)] })])?.shortest).toBe(
      '20 s',
    );
  });

  it('is one of the groups, in their order', () => {
    const groups = ['b', 'a'].map((namespace) => [namespace, [reported()]] as const);
    expect(namespaceViews(groups, []).map(({ namespace, counts }) => [namespace, counts])).toEqual([
      ['b', []],
      ['a', []],
    ]);
  });
});

describe('the checks', () => {
  it('have a row each with findings, in the order of the catalogue, and count a workload once', () => {
    const views = checkViews([
      reported({}, { violations: [finding('Warn', 'exec-cost'), finding('Deny'), finding('Warn')] }),
      reported({}, { violations: [finding('Warn')] }),
    ]);
    expect(views.map(({ check, workloads }) => [check, workloads])).toEqual([
      ['named-port', 2],
      ['exec-cost', 1],
    ]);
    expect(views[0]?.url).toMatch(/\/docs\/checks\.md#named-port$/);
    expect(views[0]?.summary).toMatch(/port/);
    expect(views[0]?.counts).toEqual([
      { number: 1, label: 'Denied', tone: 'deny' },
      { number: 2, label: 'Warned', tone: 'warn' },
      { number: 0, label: 'Noted', tone: 'zero' },
      { number: 0, label: 'Excepted', tone: 'zero' },
    ]);
  });

  it('have no row without findings', () => expect(checkViews([reported()])).toEqual([]));
});

it('a policy counts a workload once, however many of its containers the policy is for', () => {
  const workloads = [['a', 'a', 'b'], ['a']].map((policies) => reported({}, { policies }));
  expect(Object.fromEntries(workloadsByPolicy(workloads))).toEqual({ a: 2, b: 1 });
});

describe('the coverage', () => {
  it('is of containers that may have probes: own, from policies and missing, with a bar of the shares', () => {
    const policies = policySet(
      policyDocument({
        containers: ['*'],
        probes: { readinessProbe: { httpGet: { path: '/ready', port: 'http' } } },
      }),
    );
    const own = { livenessProbe: httpProbe(), readinessProbe: httpProbe() };
    const explanation = explainedPod([own, {}, {}], { policies });
    expect(explanation.containers.map(({ probes }) => probes.length)).toEqual([2, 1, 1]);
    expect(coverageViews([{ ...reported(), explanation }])).toEqual([
      {
        probe: 'startupProbe',
        own: 0,
        given: 0,
        missing: 3,
        bar: svg('<path class=missing d="M0 0h1000v10h-1000z"/>'),
      },
      {
        ...{ probe: 'livenessProbe', own: 1, given: 0, missing: 2 },
        bar: svg('<path class=own d="M0 0h333v10h-333z"/><path class=missing d="M333 0h667v10h-667z"/>'),
      },
      {
        ...{ probe: 'readinessProbe', own: 1, given: 2, missing: 0 },
        bar: svg('<path class=own d="M0 0h333v10h-333z"/><path class=given d="M333 0h667v10h-667z"/>'),
      },
    ]);
  });

  it('has no rows without containers', () => {
    expect(coverageViews([])).toEqual([]);
  });
});

function svg(parts: string): string {
  return `<svg viewBox="0 0 1000 10" preserveAspectRatio=none aria-hidden=true>${parts}</svg>`;
}

describe('the exceptions', () => {
  const views = (documents: readonly JsonObject[], now = NOW, ...policies: JsonObject[]) =>
    exceptionViews({ ...report(), now, snapshot: withExceptionsInApps(policySet(...policies), documents) });
  const only = (spec: JsonObject, now = NOW) => views([exceptionDocument(spec)], now)[0];

  it('are shown with what they allow, whose they are, and when they end', () =>
    expect(views([exceptionDocument({ checks: ['named-port', 'exec-cost'], ticket: 'OPS-1' })])).toEqual([
      {
        name: 'apps/legacy',
        checks: 'named-port, exec-cost',
        workloads: 'Deployment web',
        owner: 'team-a (OPS-1)',
        reason: 'The vendor image has one port.',
        instant: '2026-08-01T00:00:00.000Z',
        day: '2026-08-01',
        state: 'Expires in 31 days',
        tone: 'excepted',
      },
    ]));

  it('are ordered by their ends, then by their names', () => {
    const [early, late] = ['2026-07-20T00:00:00Z', '2026-09-20T00:00:00Z'];
    const documents = (
      [
        ['z', late],
        ['c', early],
        ['a', early],
        ['b', early],
      ] as const
    ).map(([name, expires]) => exceptionDocument({ expires }, { name }));
    expect(views(documents).map(({ name }) => name)).toEqual(['apps/a', 'apps/b', 'apps/c', 'apps/z']);
  });

  it.each([
    ['2026-07-01T00:00:00Z', 'Expired', 'deny'],
    ['2026-07-01T00:00:01Z', 'Expires within a day', 'warn'],
    ['2026-07-01T23:59:59Z', 'Expires within a day', 'warn'],
    ['2026-07-02T00:00:00Z', 'Expires in 1 day', 'warn'],
    ['2026-07-14T23:59:59Z', 'Expires in 13 days', 'warn'],
    ['2026-07-15T00:00:00Z', 'Expires in 14 days', 'excepted'],
  ])('that end at %s are shown as %s', (expires, state, tone) =>
    expect(only({ expires })).toMatchObject({ state, tone }),
  );

  it('end when the policy of the cluster says that they end', () => {
    const created = exceptionDocument({}, { creationTimestamp: '2026-06-01T00:00:00Z' });
    const limited = views([created], NOW, clusterPolicyDocument({ exceptions: { maximumDays: 31 } }));
    expect(limited).toMatchObject([{ day: '2026-07-02', state: 'Expires in 1 day' }]);
  });

  it.each([
    [
      {
        workloads: [
          { kind: 'Deployment', name: 'a' },
          { kind: 'Job', name: 'b' },
        ],
      },
      'Deployment a, Job b',
    ],
    [{ containers: ['app', 'log'] }, 'Deployment web: app, log'],
  ])('of %j are for %s', (spec, text) => expect(only(spec)?.workloads).toBe(text));

  it.each([
    [{}, 'all Pods'],
    [{ matchLabels: { app: 'web', tier: 'front' } }, 'Pods with app=web, tier=front'],
    [{ matchExpressions: [{ key: 'app', operator: 'Exists' }] }, 'Pods with app'],
    [{ matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, 'Pods with !app'],
    [{ matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] }, 'Pods with app in (a,b)'],
    [{ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['a', 'b'] }] }, 'Pods with app notin (a,b)'],
    [{ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['a'] }] }, 'Pods with app!=a'],
  ])('of the selector %j are for %s', (workloadSelector, text) =>
    expect(only({ workloads: undefined, workloadSelector })?.workloads).toBe(text),
  );
});
