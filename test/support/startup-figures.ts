import { expect } from 'vitest';
import { SHOWN_BY_DEFAULT, withAdvice } from '../../src/cli/fix/advice.ts';
import { worldOf } from '../../src/cli/input/world.ts';
import { equalJson, objectMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { formatPath, valueAt, withEdits, type FieldPath } from '../../src/base/json/field-path.ts';
import { permittedDefaulting } from '../../src/engine/verdict/permitted-defaulting.ts';
import { KNOWN_KINDS, podTemplatesOf, workloadKindOfManifest } from '../../src/engine/workload/kinds.ts';
import { readPod } from '../../src/engine/workload/read-pod.ts';
import { checkTexts } from './check-texts.ts';
import { NOW } from './now.ts';
import { clusterPolicyDocument, policySet } from './worlds.ts';

/** The numbers of a startup probe, with the API server's defaults. */
const DEFAULTS = { initialDelaySeconds: 0, periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 3 };
const numbersOf = (probe: JsonObject): JsonObject =>
  Object.fromEntries(
    [...Object.keys(DEFAULTS), 'terminationGracePeriodSeconds'].map((name) => [
      name,
      probe[name] ?? DEFAULTS[name as keyof typeof DEFAULTS],
    ]),
  );

/** A policy that asks for a startup probe beside each liveness probe, and gives no number that counts. */
const policies = policySet(clusterPolicyDocument({ containers: ['*'], slowStart: { startupSeconds: 1 } }));

/** The numbers of the startup probes that `/mutate` adds, by container. */
function injectedNumbers(object: JsonObject): ReadonlyMap<string, JsonObject> {
  const kind = workloadKindOfManifest(object, KNOWN_KINDS);
  const pods = kind === undefined ? [] : podTemplatesOf(object, kind).map(({ template }) => readPod(template, kind));
  const injections = pods.flatMap((pod) => permittedDefaulting(pod, policies.policyFor('app', new Map())).injections);
  const startup = injections.filter((one) => one.kind === 'startupProbe');
  return new Map(startup.map(({ container, probe }) => [container.name, numbersOf(probe)]));
}

/** Seconds of a container: until a failed start ends, refused and hanging, and from the end of a start to Ready. */
interface StartFigures {
  readonly refused: number;
  readonly hanging: number;
  readonly ready: number;
}

/** The kubelet's formulas, written a second time. Undefined if no probe ends a failed start. */
function figuresOf(spec: JsonObject): StartFigures | undefined {
  const numbersAt = (kind: string): readonly number[] | undefined => {
    const probe = objectMember(spec, kind);
    const count = (name: string, otherwise: number): number => Number(probe?.[name]) || otherwise;
    return (
      probe && [
        ...[count('initialDelaySeconds', 0), count('periodSeconds', 10), count('timeoutSeconds', 1)],
        ...[count('failureThreshold', 3), count('successThreshold', 1)],
      ]
    );
  };
  const startup = numbersAt('startupProbe');
  const gate = startup ?? numbersAt('livenessProbe');
  if (gate === undefined) return undefined;
  const [D = 0, P = 0, T = 0, F = 0] = gate;
  const [, readyP = 0, , , readyS = 0] = numbersAt('readinessProbe') ?? [];
  return {
    refused: D + F * P,
    hanging: D + P + (F - 1) * Math.max(P, T) + T,
    // Behind a startup probe, readiness is asked at once.
    ready: startup === undefined ? readyS * readyP : P + Math.max(0, readyS - 1) * readyP,
  };
}

/**
 * The one exception from the law: the numbers of the author, or measured starts, say that the start needs longer than
 * the probes of today grant. To grant it is what these checks are for.
 */
const ASK_FOR_TIME = ['startup-budget', 'observed-startup'];

/** Expects that a failed start ends at most a tenth later, and that Ready comes at most 5 s later. */
function expectNoLater(own: JsonObject, edited: JsonObject, asksForTime: boolean, told: string): void {
  const [before, after] = [figuresOf(own), figuresOf(edited)];
  if (before === undefined || after === undefined) return;
  if (!asksForTime) {
    expect(after.refused, told).toBeLessThanOrEqual(1.1 * before.refused);
    expect(after.hanging, told).toBeLessThanOrEqual(1.1 * before.hanging);
  }
  // Without a startup and a readiness probe, nothing sees the start today.
  if (before.ready > 0) expect(after.ready, told).toBeLessThanOrEqual(before.ready + 5);
}

/**
 * Expects of each advice about a workload, and of all together as `fix --advice` writes them: no failed start ends more
 * than a tenth later, unless a check asks for more time; Ready comes at most 5 s later; a field has one number; and
 * `/mutate` writes the same startup probe. Returns how many startup probes were compared.
 *
 * @param isReal true for numbers that people write: `fix` then writes the numbers that `check` tells
 */
export function expectSecondsKept(object: JsonObject, isReal = false): number {
  const file = { file: 'a.json', text: JSON.stringify(object) };
  const { violations } = checkTexts([file], []);
  const injected = injectedNumbers(object);
  const asksForTime = (name: string): boolean =>
    violations.some(({ check, container }) => container === name && ASK_FOR_TIME.includes(check));
  const values = new Map<string, unknown>();
  const pathOf = new Map<string, FieldPath>();
  let compared = 0;
  for (const { check, container, edits = [] } of violations) {
    const edited = withEdits(object, edits);
    const own = containerOf(object, container);
    const told = JSON.stringify({ check, container, own, edits });
    expectNoLater(own, containerOf(edited, container), asksForTime(container), told);
    for (const { path, value } of edits) {
      expect([values.get(formatPath(path)) ?? value, told]).toEqual([value, told]);
      values.set(formatPath(path), value);
      pathOf.set(formatPath(path), path);
    }
    const startup = edits.find(({ path }) => path.at(-1) === 'startupProbe')?.value;
    const numbers = injected.get(container);
    if (startup === undefined || startup === null || numbers === undefined) continue;
    // Another rhythm of a probe expects another start, or leaves another one safe.
    const isOther = (kind: string, ...fields: readonly string[]): boolean =>
      edits.some(({ path }) => path.includes(kind) && fields.includes(String(path.at(-1))));
    if (isOther('readinessProbe', 'periodSeconds', 'failureThreshold')) continue;
    compared += 1;
    expect(numbersOf(startup as JsonObject), told).toEqual(numbers);
  }
  if (values.size === 0) return compared;
  const { world } = worldOf(
    { texts: [file], problems: [] },
    { texts: [], problems: [] },
    { namespace: 'default', kinds: KNOWN_KINDS, now: NOW },
  );
  const fixed = JSON.parse(withAdvice(file, world, { ...SHOWN_BY_DEFAULT, minLevel: 'note' }).text) as JsonObject;
  for (const name of new Set(violations.map(({ container }) => container))) {
    const [own, after] = [containerOf(object, name), containerOf(fixed, name)];
    expectNoLater(own, after, asksForTime(name), JSON.stringify({ fixed: after, own }));
  }
  if (!isReal) return compared;
  for (const [text, path] of pathOf) {
    const [was, is] = [object, fixed].map((one) => valueAt(one, path) ?? null);
    // The edits of another finding may have removed the finding.
    if (!equalJson(was, is)) expect(is, text).toEqual(values.get(text));
  }
  return compared;
}

function containerOf(object: JsonObject, name: string): JsonObject {
  const kind = workloadKindOfManifest(object, KNOWN_KINDS);
  if (kind === undefined) return {};
  const containers = podTemplatesOf(object, kind).flatMap(({ template }) => readPod(template, kind).containers);
  return containers.find((container) => container.name === name)?.spec ?? {};
}
