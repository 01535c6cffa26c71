import { HANDLER_KINDS } from '../../../src/engine/probe/probe.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { isAside } from './implied-checks.ts';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { misplacedProbes, unknownProbeFields } from '../../../src/engine/checks/lib/unknown-fields.ts';
import { type Violation } from '../../../src/engine/checks/violation.ts';
import { formatPath, withEdits, type FieldPath } from '../../../src/base/json/field-path.ts';
import { isJsonObject, type JsonObject } from '../../../src/base/json/json-value.ts';
import { longestKillSeconds } from '../../../src/engine/time/kill.ts';
import { killBy } from '../../support/live-container.ts';
import { isTimingSound, probeTiming, verdictSpan } from '../../../src/engine/time/timing.ts';
import { judgeObject } from '../../../src/engine/verdict/judge.ts';
import { anyWorkload } from '../../support/arbitrary-workloads.ts';
import { checkTexts } from '../../support/check-texts.ts';
import { clusterPolicyDocument, policySet, subjectOf } from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import { runs, someOf } from '../../support/runs.ts';
import { adviceKey } from '../../../src/engine/verdict/safe-advice.ts';

/** Every check of the catalogue is on. Checks that are on by default keep their actions and levels. */
const everyCheck = clusterPolicyDocument({
  checks: Object.fromEntries(
    Object.values(CHECK_CATALOGUE).map(({ id, action }) => [id, action === 'Off' ? { action: 'Audit' } : {}]),
  ),
});
const policies = policySet(everyCheck);
const policyTexts = [{ file: 'policy.json', text: JSON.stringify(everyCheck) }];

/** What the checks themselves say, before the advice is tried. */
function proposalsOf(object: JsonObject): readonly Violation[] {
  const subject = subjectOf(object);
  const { kind, pods } = subject;
  const strays = pods.flatMap((placed) => [
    ...unknownProbeFields((placed.template['spec'] ?? {}) as JsonObject, [...placed.path, 'spec']),
    ...misplacedProbes(object, kind, placed),
  ]);
  return [
    ...strays.map((stray) => ({
      ...stray,
      check: 'valid-probe',
      action: 'Deny' as const,
      reason: 'FieldValueForbidden',
    })),
    ...judgeObject(subject, policies, true, NOW).violations.filter(({ check }) => !isAside(check, '')),
  ];
}

/** What `probewright check` says. Each object is judged once. */
const judged = new WeakMap<JsonObject, readonly Violation[]>();

function violationsOf(object: JsonObject): readonly Violation[] {
  const known = judged.get(object);
  if (known !== undefined) return known;
  const { violations } = checkTexts([{ file: 'web.json', text: JSON.stringify(object) }], policyTexts);
  const own = violations.filter(({ check }) => !isAside(check, ''));
  judged.set(object, own);
  return own;
}

/** How many violations have the same check, template, container, probe and field. */
function counts(violations: readonly Violation[]): ReadonlyMap<string, number> {
  const byKey = new Map<string, number>();
  for (const violation of violations) {
    const key = adviceKey(violation);
    byKey.set(key, (byKey.get(key) ?? 0) + 1);
  }
  return byKey;
}

/** Violations that an edit brought: those with a key that has become more frequent. */
function added(before: readonly Violation[], after: readonly Violation[]): string[] {
  const [old, now] = [counts(before), counts(after)];
  return after
    .filter((violation) => (now.get(adviceKey(violation)) ?? 0) > (old.get(adviceKey(violation)) ?? 0))
    .map(describeViolation);
}

function describeViolation({ check, path, message }: Violation): string {
  return `${check} at ${formatPath(path)}: ${message}`;
}

/** The bad manifests of every check: each piece of advice that a fixture shows is tried, whatever the random ones hit. */
const FIXTURES = 'test/fixtures/checks';
const fixtures = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .sort()
  .map((name) => ({
    id: name.split('/')[0],
    object: parseAllDocuments(readFileSync(join(FIXTURES, name), 'utf8'))[0]?.toJS() as JsonObject,
  }));
const examples = fixtures.map(({ object }): [JsonObject] => [object]);

/** The examples come on top of the random workloads. */
const options = { examples, numRuns: examples.length + runs(150) };

describe('safe advice, for every check', () => {
  it('removes its violation and causes no other violation, at any action', () =>
    fc.assert(
      fc.property(anyWorkload, (object) => {
        const before = proposalsOf(object);
        for (const violation of violationsOf(object)) {
          const { edits } = violation;
          if (edits === undefined) continue;
          const after = proposalsOf(withEdits(object, edits));
          const key = adviceKey(violation);
          const told = `${describeViolation(violation)}; ${JSON.stringify(edits)}`;
          expect(added(before, after), told).toEqual([]);
          expect(counts(after).get(key) ?? 0, told).toBeLessThan(counts(before).get(key) ?? 0);
        }
      }),
      options,
    ));

  it('ends: each piece of advice leaves fewer violations, until no violation has advice', () =>
    fc.assert(
      fc.property(anyWorkload, (object) => {
        let edited = object;
        let violations = violationsOf(edited);
        for (;;) {
          const next = violations.find(({ edits }) => edits !== undefined);
          if (next === undefined) break;
          edited = withEdits(edited, next.edits ?? []);
          const left = violationsOf(edited);
          expect(left.length, describeViolation(next)).toBeLessThan(violations.length);
          violations = left;
        }
      }),
      { examples: someOf(examples), numRuns: someOf(examples).length + runs(40, 5) },
    ));

  it('proposes round numbers, and makes no liveness probe slower than 120 s to the kill', () =>
    fc.assert(
      fc.property(anyWorkload, (object) => {
        for (const violation of [...proposalsOf(object), ...violationsOf(object)]) {
          const { edits, check } = violation;
          // The bounds of a policy are the policy's own numbers, and a field in the wrong place has the author's.
          if (edits === undefined || check === 'probe-bounds' || check === 'valid-probe') continue;
          // The edits of another finding may move such a field, too.
          const isMoved = edits.some(
            ({ path, value }) => value === null && HANDLER_KINDS.some((kind) => kind === path.at(-2)),
          );
          if (isMoved) continue;
          const told = `${describeViolation(violation)}; ${JSON.stringify(edits)}`;
          for (const { path, value } of edits) expectRound(path, value, told);
          const [before, after] = [livenessTimesOf(object), livenessTimesOf(withEdits(object, edits))];
          for (const [place, { given, dead }] of after) {
            const then = before.get(place);
            // A kill that was later before may come a tenth later.
            if (then === undefined || dead <= (then.dead > 120 ? then.dead * 1.1 : 120)) continue;
            // Only a grace period over 60 s may already take more than 120 s.
            expect(then.dead, told).toBeGreaterThan(120);
            expect(dead - given, told).toBeGreaterThan(60);
            expect(given, told).toBeLessThanOrEqual(120);
          }
        }
      }),
      options,
    ));

  it('is in the checks: the edits that a check proposes remove its violation', () =>
    fc.assert(
      fc.property(anyWorkload, (object) => {
        const before = proposalsOf(object);
        for (const violation of before) {
          const { edits } = violation;
          if (edits === undefined) continue;
          const after = proposalsOf(withEdits(object, edits));
          const key = adviceKey(violation);
          const told = `${describeViolation(violation)}; ${JSON.stringify(edits)}`;
          expect(counts(after).get(key) ?? 0, told).toBeLessThan(counts(before).get(key) ?? 0);
        }
      }),
      options,
    ));

  it('is not refused in a plain case: what a check proposes for its own fixtures is safe', () => {
    for (const { id, object } of fixtures) {
      const [proposed, safe] = [proposalsOf(object), violationsOf(object)].map((violations) =>
        violations.filter(({ check, edits }) => check === id && edits !== undefined).map(describeViolation),
      );
      expect(safe).toEqual(expect.arrayContaining(proposed ?? []));
    }
  });

  it('has words: a violation with edits has a remedy', () =>
    fc.assert(
      fc.property(anyWorkload, (object) => {
        for (const violation of proposalsOf(object))
          if (violation.edits !== undefined) expect(violation.remedy, describeViolation(violation)).toBeDefined();
      }),
      options,
    ));

  it('keeps the problem within 200 characters, however long the names and values of the object are', () => {
    const LONG = new Set(['name', 'path', 'host', 'value', 'image', 'service', 'protocol']);
    const lengthened = (object: JsonObject): JsonObject =>
      JSON.parse(JSON.stringify(object), (key, value: unknown) =>
        typeof value !== 'string' ? value : LONG.has(key) ? `${value}${HOSTILE}` : value,
      ) as JsonObject;
    fc.assert(
      fc.property(anyWorkload, (object) => {
        for (const violation of [...proposalsOf(object), ...proposalsOf(lengthened(object))]) {
          // The API server's own words are repeated whole. A message without a remedy has both parts in one.
          if (violation.reason !== undefined || violation.remedy === undefined) continue;
          expect(violation.message.length, describeViolation(violation)).toBeLessThanOrEqual(200);
        }
      }),
      options,
    );
  });
});

/** The numbers that a reviewer expects (issue 30, D4), written here a second time. */
const ROUND_SECONDS = [1, 2, 3, 5, 10, 15, 20, 30, 60];

/** Expects that an edit writes round numbers: the field itself, or a whole probe. */
function expectRound(path: FieldPath, value: unknown, told: string): void {
  const [field, kind] = [path.at(-1), path.at(-2)];
  if (field === 'progressDeadlineSeconds') expect(Number(value) % 60, told).toBe(0);
  else if (field === 'periodSeconds' || field === 'timeoutSeconds') {
    if (value !== null) expect(ROUND_SECONDS, told).toContain(value);
  } else if (field === 'terminationGracePeriodSeconds') {
    if (value !== null && Number(value) % 60 !== 0) expect(ROUND_SECONDS, told).toContain(value);
  } else if (field === 'failureThreshold') {
    expect(value, told).toBeGreaterThanOrEqual(1);
    expect(value, told).toBeLessThanOrEqual(kind === 'startupProbe' ? 240 : 10);
  } else if (field === 'startupProbe' && value !== null) {
    const { periodSeconds, failureThreshold } = value as JsonObject;
    expectRound([...path, 'periodSeconds'], periodSeconds, told);
    expectRound([...path, 'failureThreshold'], failureThreshold, told);
  }
}

/** The seconds from a deadlock to the verdict of each sound liveness probe, and to the dead container. */
function livenessTimesOf(object: JsonObject): ReadonlyMap<string, { readonly given: number; readonly dead: number }> {
  const times = new Map<string, { given: number; dead: number }>();
  for (const { template, path } of subjectOf(object).pods) {
    const podSpec = (template['spec'] ?? {}) as JsonObject;
    for (const list of ['containers', 'initContainers'])
      for (const [index, container] of ((podSpec[list] ?? []) as readonly JsonObject[]).entries()) {
        const probe = container['livenessProbe'];
        const timing = isJsonObject(probe) && isTimingSound(probe) ? probeTiming(probe) : undefined;
        const kill = isJsonObject(probe) ? killBy(probe, container, podSpec) : undefined;
        if (timing === undefined || kill === undefined) continue;
        const given = verdictSpan(timing).latest;
        times.set(JSON.stringify([path, list, index]), { given, dead: given + longestKillSeconds(kill) });
      }
  }
  return times;
}

/** Control characters and half a surrogate pair, at a length that no cluster accepts. */
const HOSTILE = '\u0007"\\\ud83d'.repeat(200);
