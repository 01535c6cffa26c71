import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPod } from '../../src/engine/workload/read-pod.ts';
import { checkedWorkload } from '../../src/engine/checks/checked-workload.ts';
import { runChecks } from '../../src/engine/checks/run-checks.ts';
import { CHECK_CATALOGUE, CHECKS } from '../../src/engine/checks/catalogue.ts';
import { defaultsOf, type ParameterValues } from '../../src/engine/policy/check-parameters.ts';
import { builtInPolicy, mergeChecks, type CheckPolicy } from '../../src/engine/policy/check-policy.ts';
import { isAimed, mergeLayers, type Given } from '../../src/engine/policy/container-policy.ts';
import { Snapshot } from '../../src/engine/facts/snapshot.ts';
import { policyTier } from '../../src/engine/policy/policy-set.ts';
import { BUILT_IN_KINDS } from '../../src/engine/workload/kinds.ts';
import { anyPod, validPod } from '../support/arbitraries.ts';
import {
  appContainer,
  clusterPolicyDocument,
  mutation,
  parsedPolicy,
  pod,
  policySet,
  effectiveTemplate,
} from '../support/worlds.ts';
import { report } from './figures.ts';
import {
  isSelected,
  layersFor,
  mayAnnotate,
  modelledCheck,
  modelledPort,
  modelledProbe,
  modelledSlowStart,
  PROBES,
  sourceOf,
} from './layering-model.ts';
import { busyWorld, CONTAINERS, labels, NAMESPACES, world } from './random-worlds.ts';
import { SEED, WORLDS } from './settings.ts';
import { NO_FACTS } from '../../src/engine/facts/facts.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { ProbeKind } from '../../src/engine/probe/probe.ts';
import type { World } from './layering-model.ts';

function snapshotOf({ tiers, namespaceLabels }: World): Snapshot {
  const compiled = tiers.map((documents) => policyTier(documents.map(parsedPolicy)));
  const labels = Object.entries(namespaceLabels).map(([name, own]) => [name, new Map(Object.entries(own))] as const);
  return new Snapshot(builtInPolicy(CHECK_CATALOGUE), compiled, { ...NO_FACTS, namespaceLabels: new Map(labels) });
}

const said = <T>(given: Given<T> | undefined) => given && { value: given.value, source: given.layer.source };

/** The parameters as a policy writes them: sets as lists. */
function asWritten(parameters: ParameterValues): object {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, value instanceof Set ? [...value] : value]),
  );
}

const namespace = fc.constantFrom(...NAMESPACES, 'unknown');
const settings = { numRuns: WORLDS, seed: SEED };
/** Pods cost less than worlds. */
const PODS = WORLDS * 2;
const podSettings = { numRuns: PODS, seed: SEED };

describe('in random worlds', () => {
  it('the layers that are in force, their values, checks and floors are those of the slow model', () => {
    let compared = 0;
    fc.assert(
      fc.property(world, namespace, labels, (random, where, podLabels) => {
        const set = snapshotOf(random);
        const policy = set.policyFor(where, new Map(Object.entries(podLabels)));
        const model = layersFor(random, where, podLabels);
        expect(policy.layers.map(({ source }) => source)).toEqual(model.map(sourceOf));
        expect(policy.annotations).toBe(mayAnnotate(model));
        for (const container of [...CONTAINERS, 'other']) {
          const speaks = (names: unknown): boolean =>
            names === undefined || (names as string[])[0] === '*' || (names as string[]).includes(container);
          const speaking = model.filter((document) => speaks((document['spec'] as JsonObject)['containers']));
          const own = policy.layers.filter(
            ({ containers }) => typeof containers === 'string' || containers.includes(container),
          );
          const merged = mergeLayers(own);
          const port = merged.port && { ...said(merged.port), isAimed: isAimed(merged.port.layer) };
          expect(port).toEqual(modelledPort(speaking));
          expect(said(merged.startupSeconds)).toEqual(modelledSlowStart(speaking, 'startupSeconds'));
          expect(said(merged.fromInitialDelaySeconds)).toEqual(modelledSlowStart(speaking, 'fromInitialDelaySeconds'));
          for (const probe of PROBES) {
            const { handler, integers, removedBy } = merged.probes[probe as ProbeKind];
            const flat = handler && { ...handler.value, source: handler.layer.source, isAimed: isAimed(handler.layer) };
            expect({ handler: flat, integers, removedBy }).toEqual(modelledProbe(speaking, probe));
          }
          for (const checks of [mergeChecks(builtInPolicy(CHECK_CATALOGUE), own), policy.checkPolicy(container)])
            for (const check of CHECKS) {
              const found = checks.get(check.id);
              const floor = found?.floor && { ...found.floor, parameters: asWritten(found.floor.parameters) };
              const model = modelledCheck(speaking, check.id, check.action);
              const inFull = (parameters: object): object => ({
                ...asWritten(defaultsOf(check.parameters)),
                ...parameters,
              });
              expect({ action: found?.action, parameters: asWritten(found?.parameters ?? {}), floor }).toEqual({
                action: model.action,
                parameters: inFull(model.parameters),
                floor: model.floor && { ...model.floor, parameters: inFull(model.floor.parameters) },
              });
              compared += 1;
            }
        }
      }),
      settings,
    );
    report(
      'Random worlds',
      `${WORLDS} worlds against a slow model of the layers, seed ${SEED}`,
      `${compared} checks and all probes compared, no difference`,
    );
  }, 300_000);

  it('the model would notice: a selector that is turned around makes a difference', () => {
    expect(isSelected({ matchLabels: { app: 'web' } }, { app: 'web' })).toBe(true);
    expect(isSelected({ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }, {})).toBe(true);
    expect(isSelected({ matchExpressions: [{ key: 'app', operator: 'In', values: [''] }] }, {})).toBe(false);
  });

  it('a Pod that has been through the webhook is not patched again', () => {
    let patchedOnce = 0;
    fc.assert(
      fc.property(busyWorld, anyPod, (random, pod) => {
        const set = snapshotOf(random);
        const { patch, after } = mutation(pod, set);
        if (patch !== undefined) patchedOnce += 1;
        expect(mutation(after, set).patch).toBeUndefined();
      }),
      podSettings,
    );
    expect(patchedOnce).toBeGreaterThan(PODS / 15);
    report('Random worlds', `${PODS} Pods through /mutate twice`, `${patchedOnce} patched, none twice`);
  }, 300_000);

  it('a Pod that the API server accepts is one that it accepts after our patch', () => {
    let patchedOnce = 0;
    fc.assert(
      fc.property(busyWorld, validPod, (random, pod) => {
        if (faultsOf(pod).length > 0) return;
        const { defaulting } = mutation(pod, snapshotOf(random));
        if ((defaulting?.injections.length ?? 0) === 0) return;
        patchedOnce += 1;
        expect(faultsOf(effectiveTemplate(pod, defaulting?.injections ?? []))).toEqual([]);
      }),
      podSettings,
    );
    expect(patchedOnce).toBeGreaterThan(PODS / 20);
    report('Random worlds', `${PODS} valid Pods against valid-probe`, `${patchedOnce} patched, no fault in any`);
  }, 300_000);

  it('a probe whose numbers are ours alone gives every container the time to start that startup-budget asks for', () => {
    let judged = 0;
    fc.assert(
      fc.property(busyWorld, validPod, (random, pod) => {
        const plain = { ...random, tiers: random.tiers.map((tier) => tier.map(withoutNumbers)) };
        const { defaulting } = mutation(withoutStartupSeconds(pod), snapshotOf(plain));
        const injections = defaulting?.injections ?? [];
        const ours = new Set(
          injections.filter(({ kind }) => kind !== 'readinessProbe').map(({ container }) => container.name),
        );
        judged += ours.size;
        const effective = effectiveTemplate(pod, injections);
        const tight = violationsOf(effective, 'startup-budget').filter(
          ({ container, probe }) =>
            ours.has(container) && injections.some((one) => one.container.name === container && one.kind === probe),
        );
        expect(tight).toEqual([]);
      }),
      podSettings,
    );
    expect(judged).toBeGreaterThan(PODS / 20);
    report(
      'Random worlds',
      `${PODS} Pods against startup-budget, with no numbers in policies`,
      `${judged} containers patched, all with time to start`,
    );
  }, 300_000);

  it('so does the startup probe of a slow starter whose own liveness probe hardly waits', () => {
    const small = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max });
    const liveness = fc.record({
      initialDelaySeconds: small(6),
      periodSeconds: small(4),
      failureThreshold: small(3),
      timeoutSeconds: small(3),
    });
    fc.assert(
      fc.property(liveness, (timing) => {
        const policies = policySet(clusterPolicyDocument({ slowStart: { fromInitialDelaySeconds: 1 } }));
        const own = { httpGet: { path: '/', port: 'http' }, ...timing };
        const { after, patch } = mutation(pod([appContainer({ livenessProbe: own })]), policies);
        expect(patch).toBeDefined();
        expect(violationsOf(after, 'startup-budget')).toEqual([]);
      }),
      podSettings,
    );
  });
});

/** Every check at Deny, so that nothing is left out. */
const everyCheck: CheckPolicy = new Map(
  CHECKS.map(({ id, parameters }) => [
    id,
    { action: 'Deny', setBy: 'ClusterProbePolicy', parameters: defaultsOf(parameters) },
  ]),
);

function violationsOf(template: JsonObject, check: string): { container: string; probe?: string; message: string }[] {
  const kind = BUILT_IN_KINDS[0];
  if (kind === undefined) throw new Error('there is no Pod among the kinds');
  return runChecks(checkedWorkload(readPod(template, kind), { object: template }), () => everyCheck)
    .filter((violation) => violation.check === check)
    .map(({ container, probe, message }) => ({ container, ...(probe && { probe }), message }));
}

const faultsOf = (template: JsonObject): unknown[] => violationsOf(template, 'valid-probe');

/** The policy without the numbers that its author answers for: they are injected as they are. */
function withoutNumbers(document: JsonObject): JsonObject {
  const spec = { ...(document['spec'] as JsonObject) };
  const { slowStart, probes } = spec as { slowStart?: JsonObject; probes?: Record<string, JsonObject | null> };
  if (slowStart !== undefined)
    spec['slowStart'] = Object.fromEntries(Object.entries(slowStart).filter(([key]) => key !== 'startupSeconds'));
  if (probes !== undefined)
    spec['probes'] = Object.fromEntries(
      Object.entries(probes).map(([kind, probe]) => [
        kind,
        probe && Object.fromEntries(Object.entries(probe).filter(([key]) => !/Seconds$|Threshold$/.test(key))),
      ]),
    );
  return { ...document, spec };
}

function withoutStartupSeconds(pod: JsonObject): JsonObject {
  const metadata = pod['metadata'] as JsonObject | undefined;
  const annotations = metadata?.['annotations'] as JsonObject | undefined;
  if (annotations === undefined) return pod;
  const kept = Object.entries(annotations).filter(
    ([key]) => key !== 'probewright.dev/startup-seconds' && key !== 'probewright.dev/injected',
  );
  return { ...pod, metadata: { ...metadata, annotations: Object.fromEntries(kept) } };
}
