import { expect, it } from 'vitest';
import { followRollout, type RolloutVerdict } from '../../../src/cli/explain/follow-rollout.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const rollout = (available: number, more: JsonObject = {}, image = 'a:2'): JsonObject => ({
  kind: 'Deployment',
  metadata: { uid: 'u', generation: 2 },
  spec: { replicas: 3, template: { spec: { containers: [{ name: 'app', image }] } }, ...more },
  status: { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: available },
});

/** Follows these looks, one after the other, with a clock that the pauses move. */
async function follow(
  looks: readonly (JsonObject | undefined | Error)[],
  causes: readonly string[] = [],
  isInterrupted = false,
): Promise<RolloutVerdict & { readonly seconds: number }> {
  let [at, now] = [0, 0];
  const verdict = await followRollout(
    {
      read: () => {
        const look = looks[Math.min(at++, looks.length - 1)];
        return look instanceof Error ? Promise.reject(look) : Promise.resolve(look);
      },
      failing: () =>
        Promise.resolve(
          causes.map((cause) => ({ message: `says ${cause}`, properties: { cause, fix: `mend ${cause}` } })),
        ),
      now: () => now,
      pause: (milliseconds) => {
        now += milliseconds;
        return Promise.resolve(isInterrupted);
      },
    },
    60_000,
  );
  return { ...verdict, seconds: now / 1000 };
}

it('a complete rollout ends the wait with 0', async () => {
  expect(await follow([rollout(1), rollout(2), rollout(3)])).toMatchObject({ code: 0, seconds: 4 });
  expect(await follow([rollout(3)], ['http-404'])).toMatchObject({ code: 0, seconds: 0 });
});

it.each(['http-404', 'cannot-start', 'crash-loop', 'killed-while-starting', 'port-name-undeclared'])(
  'a cause that is certain ends the wait at once with 1, and is told: %s',
  async (cause) => {
    const { code, text, seconds } = await follow([rollout(0)], ['timeout', cause]);
    expect([code, seconds]).toEqual([1, 0]);
    expect(text).toBe(`it cannot complete: says ${cause}; mend ${cause}`);
  },
);

it.each(['http-5xx', 'timeout', 'connection-refused', 'unclear', 'redirect-other-host', 'shared-dependency'])(
  'a cause that time may end does not: %s',
  async (cause) => {
    expect(await follow([rollout(0), rollout(3)], [cause])).toMatchObject({ code: 0 });
    const { code, text, seconds } = await follow([rollout(1)], [cause]);
    expect([code, seconds]).toEqual([1, 60]);
    expect(text).toBe(
      'it is not complete in time, and no cause is certain: 3 of 3 Pods are updated, 1 of 3 are available',
    );
  },
);

it('a deleted, recreated, replaced or paused rollout has its own verdict', async () => {
  expect(await follow([rollout(0), undefined])).toMatchObject({ code: 1, text: 'it was deleted meanwhile' });
  expect(await follow([undefined])).toMatchObject({ code: 1, text: 'there is none' });
  const replaced = { code: 1, text: 'it was replaced by another rollout meanwhile' };
  expect(await follow([rollout(0), rollout(3, {}, 'a:3')])).toMatchObject(replaced);
  expect(await follow([rollout(0), { ...rollout(3), metadata: { uid: 'v' } }])).toMatchObject(replaced);
  const scaled = {
    ...rollout(3),
    metadata: { uid: 'u', generation: 3 },
    status: { ...(rollout(3)['status'] as object), observedGeneration: 3 },
  };
  expect(await follow([rollout(0), scaled])).toMatchObject({ code: 0 });
  const paused = await follow([rollout(0, { paused: true })]);
  expect(paused).toMatchObject({ code: 1, seconds: 0 });
  expect(paused.text).toContain('kubectl rollout resume');
});

it('an interrupted wait ends with 2, and says how far the rollout is', async () => {
  const { code, text } = await follow([rollout(1)], [], true);
  expect([code, text]).toEqual([2, 'the wait was interrupted: 3 of 3 Pods are updated, 1 of 3 are available']);
});

it('a rollout that cannot be read any more has no verdict of its own', async () => {
  await expect(follow([rollout(1), new Error('forbidden')])).rejects.toThrow('forbidden');
});
