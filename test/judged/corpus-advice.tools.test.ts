import { CHECKS } from '../../src/engine/checks/catalogue.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { equalJson, objectMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { killBy } from '../support/live-container.ts';
import {
  deadlockToKillSeconds,
  guaranteedStartSeconds,
  probeTiming,
  verdictSpan,
} from '../../src/engine/time/timing.ts';
import { KNOWN_KINDS, podTemplatesOf, workloadKindOfManifest } from '../../src/engine/workload/kinds.ts';
import { readPod } from '../../src/engine/workload/read-pod.ts';
import { keyOf } from '../../scripts/judge/judged-findings.ts';
import { runProbewright } from '../cli/run-probewright.ts';
import { CORPORA } from './corpus.ts';
import type { CheckOutput } from '../../src/cli/output/json-outputs.ts';

/** A kill takes at most this long after advice, unless it took longer before. */
const MOST_KILL_SECONDS = 120;
/** A kill that took longer before may take a tenth longer: a timeout of 5 s counts beside a period of 320 s. */
const LITTLE_LATER = 1.1;

interface List {
  readonly items: readonly JsonObject[];
}

/** The findings of every level, by check, object, container and field. */
async function findingsOf(list: List): Promise<ReadonlyMap<string, CheckOutput['violations']>> {
  const args = ['check', '-', '--output', 'json', '--min-level', 'note', '--no-project-file'];
  const { stdout, stderr } = await runProbewright(args, { stdin: JSON.stringify(list) });
  expect(stderr).not.toMatch(/cannot be|unknown/);
  return Map.groupBy((JSON.parse(stdout) as CheckOutput).violations, keyOf);
}

interface ContainerTimes {
  readonly name: string;
  /** The guaranteed time to start. Undefined when no probe bounds the start. */
  readonly start: number | undefined;
  /** From a deadlock to the end of patience, and to the dead container. Undefined without a liveness probe. */
  readonly givenUp: number | undefined;
  readonly dead: number | undefined;
}

function timesOf({ items }: List): readonly ContainerTimes[] {
  return items.flatMap((item, index) => {
    const kind = workloadKindOfManifest(item, KNOWN_KINDS);
    if (kind === undefined) return [];
    return podTemplatesOf(item, kind).flatMap(({ template }) => {
      const podSpec = objectMember(template, 'spec') ?? {};
      return readPod(template, kind).containers.map(({ name, spec }): ContainerTimes => {
        const liveness = objectMember(spec, 'livenessProbe');
        const gate = objectMember(spec, 'startupProbe') ?? liveness;
        const kill = liveness && killBy(liveness, spec, podSpec);
        return {
          name: `item ${index}, container ${name}`,
          start: gate && guaranteedStartSeconds(probeTiming(gate)),
          givenUp: liveness && verdictSpan(probeTiming(liveness)).latest,
          dead: liveness && kill && deadlockToKillSeconds(probeTiming(liveness), kill),
        };
      });
    });
  });
}

/** Advice may write a default of the API server that these checks note. */
const NOTES_OF_DEFAULTS = CHECKS.filter(({ notesDefault }) => notesDefault).map(({ id }) => id);

describe.skipIf(CORPORA.length === 0)('the advice of checks, applied to public charts', () => {
  const files = CORPORA.flatMap(({ directory }) => {
    const names = readdirSync(directory).filter((name) => name.endsWith('.json'));
    return names.map((name) => `${directory}/${name}`);
  });
  const runs = files.flatMap((file) => (['warning', 'note'] as const).map((level) => [file, level] as const));

  const changed = new Set<string>();

  it.each(runs)(
    'delays no kill, shortens no start and causes no finding: %s, %s',
    async (file, level) => {
      const before = JSON.parse(readFileSync(file, 'utf8')) as List;
      const args = ['fix', '-', '--advice', '--min-level', level, '--output', 'json', '--no-project-file'];
      const { stdout, stderr } = await runProbewright(args, { stdin: JSON.stringify(before) });
      const after = JSON.parse(stdout) as List;
      expect(after.items).toHaveLength(before.items.length);
      if (!equalJson(after, before)) changed.add(file);

      const timesAfter = timesOf(after);
      for (const [index, was] of timesOf(before).entries()) {
        const now = timesAfter[index];
        expect(now?.name).toBe(was.name);
        if (was.start !== undefined) expect(now?.start, `start: ${was.name}`).toBeGreaterThanOrEqual(was.start);
        const bound = was.givenUp ?? 0;
        const most = bound <= MOST_KILL_SECONDS ? MOST_KILL_SECONDS : bound * LITTLE_LATER;
        expect(now?.givenUp ?? 0, `given up: ${was.name}`).toBeLessThanOrEqual(most);
        if ((was.dead ?? 0) <= MOST_KILL_SECONDS)
          expect(now?.dead ?? 0, `dead: ${was.name}`).toBeLessThanOrEqual(MOST_KILL_SECONDS);
      }

      const found = await findingsOf(before);
      const left = await findingsOf(after);
      const more = [...left].filter(([key, own]) => own.length > (found.get(key)?.length ?? 0));
      expect(
        more.map(([key]) => key).filter((key) => !NOTES_OF_DEFAULTS.some((id) => key.includes(` ${id} `))),
      ).toEqual([]);
      // What fix does not say it left alone is gone.
      const corrected = [...found].filter(([, own]) => own.some((of) => isShown(of, level) && of.advice !== undefined));
      const silent = corrected.filter(([key, own]) => {
        const advised = own.filter((of) => isShown(of, level) && of.advice !== undefined).length;
        const gone = own.length - (left.get(key)?.length ?? 0);
        const told = own.filter(({ check, path }) => stderr.includes(`the advice of ${check} for ${path}`)).length;
        return gone + told < advised;
      });
      expect(silent.map(([key]) => key)).toEqual([]);
    },
    120_000,
  );

  it('changes some of them, or the other tests say nothing', () => {
    expect(changed.size).toBeGreaterThan(5);
  });
});

function isShown({ action }: CheckOutput['violations'][number], level: 'warning' | 'note'): boolean {
  return action === 'Deny' || action === 'Warn' || level === 'note';
}
