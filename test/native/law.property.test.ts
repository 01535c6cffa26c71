import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CONSTRUCTS } from '../../src/native/constructs.ts';
import { runs } from '../support/runs.ts';
import { policySet } from '../support/worlds.ts';
import { factsOf } from '../engine/checks/workload.ts';
import { admitted, besideEngine, withBothTiers } from './beside-engine.ts';
import { nativePod, nativePolicies, nativeServices } from './native-worlds.ts';

const LISTED = CONSTRUCTS.filter(({ level }) => level !== 'equal').map(({ id }) => id);

/** `npm test` runs 1,000 worlds. */
const WORLDS = runs(20_000);

it('the native policy gives no probe that the webhook does not give, and each that it lacks has a listed reason', () => {
  const total = { webhook: 0, equal: 0, fewer: 0 };
  fc.assert(
    fc.property(nativePolicies, nativePod, nativeServices, (documents, pod, services) => {
      const snapshot = policySet(...documents).withFacts(factsOf(services));
      const { webhook, equal, fewer, moreOrOther } = besideEngine(admitted(pod), snapshot);
      total.webhook += webhook;
      total.equal += equal;
      total.fewer += fewer.length;
      expect(moreOrOther).toEqual([]);
      for (const { place, reasons } of fewer) {
        expect(reasons, place).not.toEqual([]);
        expect(LISTED).toEqual(expect.arrayContaining([...reasons]));
      }
    }),
    { numRuns: WORLDS },
  );
  expect(total.equal + total.fewer).toBe(total.webhook);
  // Else the worlds would prove nothing.
  expect(total.equal).toBeGreaterThan(WORLDS / 4);
  expect(total.equal).toBeGreaterThan(total.fewer);
});

it('the webhook adds what the native policy leaves out, so both together give what the webhook gives alone', () => {
  fc.assert(
    fc.property(nativePolicies, nativePod, (documents, pod) => {
      const [alone, both] = withBothTiers(admitted(pod), policySet(...documents));
      expect(both).toEqual(alone);
    }),
    { numRuns: WORLDS / 10 },
  );
});
