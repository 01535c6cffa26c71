import fc from 'fast-check';
import { expect, it } from 'vitest';
import { leftOutByNative, reasonsFor } from '../../src/native/native-injection.ts';
import { nativeDecision } from '../../src/native/evaluate.ts';
import { layersOf } from '../../src/native/namespace-layers.ts';
import { servicePortsOf } from '../../src/native/service-ports.ts';
import { policyOfPod } from '../../src/engine/verdict/judge.ts';
import { permittedDefaulting } from '../../src/engine/verdict/permitted-defaulting.ts';
import { POD_KIND } from '../../src/engine/workload/kinds.ts';
import { readPod } from '../../src/engine/workload/read-pod.ts';
import { factsOf } from '../engine/checks/workload.ts';
import { runs } from '../support/runs.ts';
import { policySet } from '../support/worlds.ts';
import { admitted, probesOf, webhookPatch } from './beside-engine.ts';
import { nativePod, nativePolicies, nativeServices } from './native-worlds.ts';

it('where the native policy injects, a command gives the probes of its expressions, and says of each other one why', () => {
  let [injected, left] = [0, 0];
  fc.assert(
    fc.property(nativePolicies, nativePod, nativeServices, (documents, given, services) => {
      const webhook = policySet(...documents).withFacts(factsOf(services));
      const native = webhook.with(webhook.tiers, webhook.facts, leftOutByNative);
      const pod = admitted(given);
      const labels = { 'kubernetes.io/metadata.name': 'apps' };
      const decision = nativeDecision(pod, layersOf(webhook, 'apps'), labels, servicePortsOf(webhook, 'apps'));
      expect(probesOf(webhookPatch(pod, native))).toEqual(probesOf(decision.patch));

      const read = readPod(pod, POD_KIND);
      const subject = { object: pod, kind: POD_KIND, namespace: 'apps' };
      const [all, kept] = [webhook, native].map((one) => permittedDefaulting(read, policyOfPod(subject, read, one)));
      const told = kept?.notInjected.filter(({ code }) => code === 'not-native') ?? [];
      injected += kept?.injections.length ?? 0;
      left += told.length;
      expect(told.length).toBe((all?.injections.length ?? 0) - (kept?.injections.length ?? 0));
      for (const { container, constructs = [] } of told) {
        const place = read.containers.find(({ name }) => name === container);
        const reasons = place && reasonsFor(place, decision);
        expect(constructs).toEqual(reasons?.length === 0 ? ['services'] : reasons);
      }
    }),
    { numRuns: runs(4000) },
  );
  expect(Math.min(injected, left)).toBeGreaterThan(10);
});
