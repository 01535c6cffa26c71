import type * as timers from 'node:timers/promises';
import type * as timer from '../../src/cluster/client/timing.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { IMPACT_MILLISECONDS } from '../../src/webhook/policy-effect/policy-impact.ts';
import { isWithoutHelm, render } from './helm.ts';
import { observedRights } from './observed-rights.ts';
import { servedRights, type UsedRights } from './served-rights.ts';

/**
 * Pauses of many seconds pass in a fraction of a second. Nothing that is tested here depends on their length. Time
 * limits of requests keep their length: on a busy machine, no request would be answered in a fraction of the limit.
 */
const hurried = (milliseconds: number): number => (milliseconds > 2000 ? milliseconds / 30 : milliseconds);

vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof timers>();
  return { ...real, setTimeout: (pause = 0, ...rest: []) => real.setTimeout(hurried(pause), ...rest) };
});
vi.mock('../../src/cluster/client/timing.ts', async (original) => {
  const real = await original<typeof timer>();
  const realTimer: timer.Timer = (pause, callback) => real.realTimer(hurried(pause), callback);
  class RepeatedWork extends real.RepeatedWork {
    constructor(work: () => Promise<boolean>, check: number, random: () => number) {
      super(work, hurried(check), random);
    }
  }
  return { ...real, realTimer, RepeatedWork };
});

const FLEETS = [
  'workloadKinds[0].group=example.com',
  'workloadKinds[0].kind=Fleet',
  'workloadKinds[0].resource=fleets',
  'workloadKinds[0].podTemplatePath=spec.template',
];
const OBSERVER = 'observer.enabled=true';

/** Values that change what a process asks the API server for, by what they mean. */
const OF_THE_WEBHOOK: Readonly<Record<string, readonly string[]>> = {
  'the default values': [],
  'an observer and a witness': [OBSERVER, 'witness.enabled=true'],
  'custom kinds': FLEETS,
  'no effect of policies': ['policyReview.impact=false', ...FLEETS],
  'no Services': ['facts.services=false'],
  'no StartupProfiles': ['facts.startupProfiles=false'],
  'no mutation': ['mutation=Off'],
  'a Secret of the user': ['certificates.mode=secret', 'certificates.secret.name=pair'],
  'cert-manager': ['certificates.mode=cert-manager'],
  'everything off': [
    'policyReview.impact=false',
    'facts.services=false',
    'facts.startupProfiles=false',
    'certificates.mode=cert-manager',
  ],
};
const OF_THE_OBSERVER: Readonly<Record<string, readonly string[]>> = {
  'the default values': [],
  'custom kinds': FLEETS,
  'a page': ['observer.dashboard.enabled=true'],
  'no effect of policies': ['policyReview.impact=false'],
  'reports of OpenReports': ['observer.reports.api=openreports'],
  'reports of the Policy WG': ['observer.reports.api=wgpolicyk8s'],
  'no reports': ['observer.reports.api=none'],
  'no learned starts': ['observer.startups=false'],
  'no StartupProfiles': ['facts.startupProfiles=false', 'observer.startups=false'],
  'StartupProfiles that are only written': ['facts.startupProfiles=false'],
  'no Services': ['facts.services=false'],
  'no missed Pods': ['mutation=Off'],
  'everything off': [
    'observer.reports.api=none',
    'observer.startups=false',
    'facts.startupProfiles=false',
    'facts.services=false',
    'policyReview.impact=false',
    'mutation=Off',
  ],
};

describe.skipIf(isWithoutHelm('least-privilege.tools.test.ts'))('the rights that the chart grants', () => {
  const results = new Map<string, UsedRights>();

  beforeAll(async () => {
    const real = globalThis.setTimeout;
    // A busy machine would not list all kinds within the time limit of an effect.
    const patient = (pause: number): number => (pause === IMPACT_MILLISECONDS ? 20 * pause : pause);
    const mock = (call: () => void, pause = 0, ...args: []): NodeJS.Timeout => real(call, patient(pause), ...args);
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(mock);
    const runs = [
      ...Object.entries(OF_THE_WEBHOOK).map(([name, set]) => async () => {
        results.set(`webhook: ${name}`, await servedRights(render({ set }), set));
      }),
      ...Object.entries(OF_THE_OBSERVER).map(([name, set]) => async () => {
        results.set(`observer: ${name}`, await observedRights(render({ set: [OBSERVER, ...set] })));
      }),
    ];
    const next = async (): Promise<void> => {
      for (let run = runs.shift(); run !== undefined; run = runs.shift()) await run();
    };
    await Promise.all(Array.from({ length: 6 }, next));
  }, 900_000);
  afterAll(() => {
    vi.restoreAllMocks();
  });

  it.each([
    ...Object.keys(OF_THE_WEBHOOK).map((name) => `webhook: ${name}`),
    ...Object.keys(OF_THE_OBSERVER).map((name) => `observer: ${name}`),
  ])('are exactly the rights that are used, %s', (name) => {
    expect(results.get(name)).toEqual({ unused: [], refused: [] });
  });
});
