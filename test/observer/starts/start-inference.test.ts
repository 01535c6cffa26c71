import { describe, expect, it } from 'vitest';
import { StartInference } from '../../../src/observer/starts/start-inference.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { at, CONTAINERS, learnedInCase, ms, podSaid } from './pod-events.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { KilledStart, MeasuredStart } from '../../../src/observer/starts/measured-start.ts';

describe.each(['one-pod', 'kubelet-restarts'])('%s', (name) =>
  describeCases(`test/fixtures/starts/${name}.yaml`, ['learned', 'kept'], learnedInCase),
);

const STARTUP = CONTAINERS.startup;
const running = { id: 'c1', startedAt: 10 };
/** One start: waiting, running, and ready. */
const waiting = podSaid([STARTUP], [{}], { isTrue: false, since: 1 });
const begun = podSaid([STARTUP], [running], { isTrue: false, since: 1 });
const passed = podSaid([STARTUP], [{ ...running, started: true, ready: true }], { isTrue: true, since: 42 });

it('a measured start has the workload, the image, the node by its hash, and an identity', () => {
  const measured: MeasuredStart[] = [];
  const killed: KilledStart[] = [];
  const inference = new StartInference((one) => (one.sample === undefined ? killed.push(one) : measured.push(one)));
  for (const [second, pod] of [
    [0.2, waiting],
    [11.2, begun],
    [42.3, passed],
  ] as const)
    inference.seen(pod, ms(second));
  inference.reportDue(Infinity);
  expect(killed).toEqual([]);
  expect(measured).toEqual([
    {
      namespace: 'apps',
      workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      container: 'app',
      image: 'r/app:1',
      sample: {
        seconds: 33,
        within: 7,
        basis: 'startup',
        restart: false,
        node: 'ecc2207879c3',
        at: at(10),
        id: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
        image: 'r/app:1',
      },
    },
  ]);
});

describe('what is kept', () => {
  it('is one record for each Pod that starts, and nothing of Pods that have started, are gone, or were not listed', () => {
    const inference = new StartInference(() => undefined);
    inference.seen(waiting, ms(0));
    inference.seen(begun, ms(11));
    expect(inference.size).toBe(1);
    inference.seen(passed, ms(42));
    expect(inference.size).toBe(0);
    inference.seen(waiting, ms(50));
    inference.gone(waiting);
    expect(inference.size).toBe(0);
    inference.seen(waiting, ms(60));
    inference.listing();
    inference.listed(new Set());
    expect(inference.size).toBe(0);
  });

  it('is nothing of Pods whose containers run to completion', () => {
    const job = { ...waiting, spec: { ...(waiting['spec'] as JsonObject), restartPolicy: 'OnFailure' } };
    const inference = new StartInference(() => undefined);
    inference.seen(job, ms(0));
    expect(inference.size).toBe(0);
  });

  it('is bounded, and Pods of one namespace push out none of another', () => {
    const inference = new StartInference(() => undefined);
    const condition = { isTrue: false, since: 1 };
    const pod = (namespace: string, uid: string): JsonObject => podSaid([STARTUP], [{}], condition, { namespace, uid });
    inference.seen(pod('apps', 'first'), ms(0));
    for (let index = 0; index < 50_100; index++) inference.seen(pod('tenant', `u-${index}`), ms(1));
    inference.seen(pod('late', 'last'), ms(2));
    expect(inference.size).toBe(50_000);
    inference.gone(pod('apps', 'first'));
    inference.gone(pod('late', 'last'));
    expect(inference.size).toBe(49_998);
  });

  it('survives Pods of any shape', () => {
    const inference = new StartInference(() => undefined);
    const odd: unknown[] = [
      null,
      1,
      'x',
      [],
      {},
      [null],
      [{ name: 'app' }],
      { containers: [{ name: 'app', startupProbe: 1 }] },
    ];
    for (const metadata of odd)
      for (const spec of odd)
        for (const status of odd)
          expect(() => {
            const pod = {
              metadata: { uid: 'x', ...(metadata as object) },
              spec,
              status: { containerStatuses: status, conditions: status },
            };
            inference.seen(pod, 0);
            inference.gone(pod);
          }).not.toThrow();
  });
});
