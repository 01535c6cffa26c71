import { isAside } from './implied-checks.ts';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { withEdits } from '../../../src/base/json/field-path.ts';
import { withoutRepeats } from '../../../src/engine/verdict/repeated-advice.ts';
import { sideEffectOf } from '../../../src/engine/command/changes.ts';
import { ExecCommand } from '../../../src/engine/command/words.ts';
import { execArgv } from '../../../src/engine/probe/handler-values.ts';
import { guaranteedStartSeconds, type ProbeTiming } from '../../../src/engine/time/timing.ts';
import { startGateOf, timedProbe, type Container } from '../../../src/engine/workload/pod.ts';
import { anyWorkload } from '../../support/arbitrary-workloads.ts';
import { checkTexts } from '../../support/check-texts.ts';
import { runs, someOf } from '../../support/runs.ts';
import { manifestOf, type WorkloadCase } from '../../support/workload-cases.ts';
import { subjectOf } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';

const FOLDER = 'test/fixtures/findings';

/** The workloads of the cases of all checks, in `npm test` a tenth of them. */
const all = readdirSync(FOLDER).flatMap((name) => {
  const cases = parse(readFileSync(`${FOLDER}/${name}`, 'utf8'), { uniqueKeys: false }) as Readonly<
    Record<string, readonly WorkloadCase[]>
  >;
  return Object.values(cases).flatMap((list) => list.map((given): [JsonObject] => [manifestOf(given)]));
});
const written = someOf(all);

/** Each object is judged once. */
const judged = new WeakMap<JsonObject, readonly Violation[]>();

function violationsOf(object: JsonObject): readonly Violation[] {
  const violations =
    judged.get(object) ?? checkTexts([{ file: 'web.json', text: JSON.stringify(object) }], []).violations;
  judged.set(object, violations);
  return violations;
}

const shown = (object: JsonObject): readonly Violation[] => withoutRepeats(violationsOf(object));

const containersOf = (object: JsonObject): readonly Container[] =>
  subjectOf(object).pods.flatMap(({ containers }) => containers);

/** What the probes of a container do, computed anew and by no check. */
function meaningOf(container: Container) {
  const gate = timedProbe(container, startGateOf(container));
  return {
    start: gate === undefined ? Infinity : guaranteedStartSeconds(gate.timing),
    timings: new Map<string, ProbeTiming>(
      container.probes.flatMap(({ kind, timing }) => (timing === undefined ? [] : [[kind, timing]])),
    ),
    acting: new Map<string, ProbeTiming>(
      container.probes.flatMap(({ kind, handler, timing }) => {
        const argv = handler.kind === 'exec' ? execArgv(handler.spec) : undefined;
        return argv !== undefined && timing !== undefined && sideEffectOf(new ExecCommand(argv)) !== undefined
          ? [[kind, timing]]
          : [];
      }),
    ),
  };
}

const keyOf = ({ check, template, container, probe, path }: Violation): string =>
  JSON.stringify([check, template, container, probe, path.filter((step) => typeof step === 'string')]);

describe('the edits of each finding that is shown', () => {
  const property = (holds: (object: JsonObject, edited: JsonObject, violation: Violation) => void): void => {
    fc.assert(
      fc.property(anyWorkload, (object) => {
        for (const violation of shown(object))
          if (violation.edits !== undefined) holds(object, withEdits(object, violation.edits), violation);
      }),
      { examples: written, numRuns: written.length + runs(20, 3) },
    );
  };

  it('leave neither the finding nor a new one, also where two findings are one', () =>
    property((object, edited, violation) => {
      const before = new Set(violationsOf(object).map(keyOf));
      const after = shown(edited)
        .filter(({ check }) => !isAside(check, ''))
        .map(keyOf);
      expect(
        after.filter((key) => !before.has(key)),
        JSON.stringify(violation),
      ).toEqual([]);
      const count = (keys: readonly string[]): number => keys.filter((key) => key === keyOf(violation)).length;
      expect(count(after), JSON.stringify(violation)).toBeLessThan(count(shown(object).map(keyOf)));
    }));

  it('never give a container less time to start, nor let a command with side effects run earlier or more often', () =>
    property((object, edited, violation) => {
      const after = containersOf(edited).map(meaningOf);
      for (const [index, { start, timings }] of containersOf(object).map(meaningOf).entries()) {
        const told = JSON.stringify(violation);
        if (violation.check !== 'valid-probe')
          expect(after[index]?.start, told).toBeGreaterThanOrEqual(start === Infinity ? 0 : start);
        for (const [kind, timing] of after[index]?.acting ?? []) {
          const then = timings.get(kind);
          if (violation.check === 'valid-probe') continue;
          expect(then, told).toBeDefined();
          expect(timing.periodSeconds, told).toBeGreaterThanOrEqual(then?.periodSeconds ?? 0);
          expect(timing.initialDelaySeconds, told).toBeGreaterThanOrEqual(then?.initialDelaySeconds ?? 0);
        }
      }
    }));
});
