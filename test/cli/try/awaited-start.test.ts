import { expect, it } from 'vitest';
import { NotRun } from '../../../src/cli/try/answer.ts';
import { waitForStart, type Start } from '../../../src/cli/try/awaited-start.ts';
import type { ContainerRun, Target } from '../../../src/cli/try/target.ts';
import { planned } from './planned.ts';

const exec = { exec: { command: ['true'] } };

/** The starts of a container whose commands end with these codes, then with 0. Each look at the clock takes 100 ms. */
function startsOf(
  container: object,
  codes: readonly number[],
  run?: () => Promise<ContainerRun>,
  most = 60_000,
): Promise<readonly Start[]> {
  let [time, runs] = [1_000_000, 0];
  const target: Target = {
    name: 'web',
    host: '127.0.0.1',
    connect: () => Promise.reject(new NotRun('no')),
    exec: () => Promise.resolve({ code: codes[runs++] ?? 0, output: '' }),
    isLoopbackOnly: () => Promise.resolve(false),
    ...(run !== undefined && { runOf: run }),
  };
  const now = (): number => (time += 100);
  // The pause between two questions takes no time of the test.
  const probes = planned(container).map((probe) => ({ ...probe, timing: { ...probe.timing, periodSeconds: 0.001 } }));
  return waitForStart(probes, { target, monotonic: now, allowsSideEffects: false }, now, most);
}

it('a start is measured until the last probe passes, and compared with the startup probe', async () => {
  const startupProbe = { ...exec, failureThreshold: 3 };
  const [start] = await startsOf({ startupProbe, livenessProbe: exec }, [1]);
  expect(start).toMatchObject({ container: 'app', guaranteedBy: 'startupProbe' });
  expect(start?.seconds).toBeGreaterThan(0.3);
  expect(start?.seconds).toBeLessThan(2);
  expect(start?.guaranteedSeconds).toBeTypeOf('number');
  expect(start?.failureThreshold).toBeGreaterThanOrEqual(1);
});

it('a liveness probe guarantees where there is no startup probe, and a readiness probe never does', async () => {
  expect(await startsOf({ livenessProbe: exec }, [1])).toMatchObject([{ guaranteedBy: 'livenessProbe' }]);
  const [start] = await startsOf({ readinessProbe: exec }, [1]);
  expect(start).not.toHaveProperty('guaranteedBy');
  expect([start?.guaranteedSeconds, start?.failureThreshold]).toEqual([undefined, undefined]);
});

it('a start begins when the runtime says so, in tenths of a second, and never before', async () => {
  const container = { livenessProbe: exec };
  const from = async (startedAt: number): Promise<number | null | undefined> =>
    (await startsOf(container, [1], () => Promise.resolve({ startedAt })))[0]?.seconds;
  const measured = (await from(1_000_000)) ?? 0;
  expect(await from(1_000_000 - 20_040)).toBeCloseTo(measured + 20, 5);
  expect(await from(2_000_000)).toBe(0);
  const broken = await startsOf(container, [1], () => Promise.reject(new Error('gone')));
  expect(broken[0]?.seconds).toBeLessThan(2);
});

it('a container that was up already has no time: no probe failed, or the runtime says that it was ready', async () => {
  const container = { livenessProbe: exec };
  expect(await startsOf(container, [])).toEqual([{ container: 'app', seconds: null }]);
  expect(await startsOf(container, [1], () => Promise.resolve({ isReady: true }))).toEqual([
    { container: 'app', seconds: null },
  ]);
});

it('a container has no start when a probe never passes, or no probe can be asked', async () => {
  const container = { livenessProbe: exec };
  expect(await startsOf(container, Array<number>(9).fill(1), undefined, 500)).toEqual([]);
  expect(await startsOf({ livenessProbe: { tcpSocket: { port: 80 } } }, [])).toEqual([]);
  const both = { ...container, readinessProbe: { tcpSocket: { port: 80 } } };
  expect(await startsOf(both, [1])).toMatchObject([{ guaranteedBy: 'livenessProbe' }]);
});
