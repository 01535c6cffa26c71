import { figuresOfSeconds } from '../observer/starts/profile-status.ts';
import { startInSnapshot } from '../observer/starts/snapshot-starts.ts';
import { startsOfContainer } from '../engine/facts/learned-starts.ts';
import { profileName } from '../engine/facts/startup-profile.ts';
import { objectMember, stringMember } from '../base/json/json-value.ts';
import { EXIT_OK, EXIT_USAGE } from './io.ts';
import { startsAsJson, startsAsText } from './output/starts.ts';
import { readAnyInputs } from './read-command-inputs.ts';
import { reportProblems } from './report-problems.ts';
import type { CommandLine } from './flags/command-definition.ts';
import type { Inputs } from './input/inputs.ts';
import type { JsonObject } from '../base/json/json-value.ts';
import type { STARTS } from './definitions/starts.ts';
import type { CommandIo } from './io.ts';
import type { StartsRow } from './output/starts.ts';

/** Prints how long containers take to start. */
export async function runStarts(line: CommandLine<typeof STARTS.flags>, io: CommandIo): Promise<number> {
  const inputs = await readAnyInputs('starts', line, io);
  if (inputs === undefined) return EXIT_USAGE;
  const objects = inputs.texts.flatMap(({ manifests }) => manifests.map(({ object }) => object));
  const isNamed = inputs.isFromCluster === true && line.positionals.length > 0;
  const rows = [
    ...rowsOfProfiles(inputs, isNamed ? namesOf(objects, inputs.namespace) : undefined),
    ...rowsOfPods(objects, line.flags.now ?? io.now()),
  ].sort(inOrder);
  io.stdout.write(line.flags.output === 'json' ? startsAsJson(rows) : startsAsText(rows));
  reportProblems([...inputs.policyWarnings, ...inputs.problems], io, inputs);
  return inputs.problems.length > 0 ? EXIT_USAGE : EXIT_OK;
}

/** Namespaces and profile names of workloads. */
function namesOf(objects: readonly JsonObject[], fallback: string): ReadonlySet<string> {
  return new Set(
    objects.map((object) => {
      const metadata = objectMember(object, 'metadata') ?? {};
      const name = profileName(stringMember(object, 'kind') ?? '', stringMember(metadata, 'name') ?? '');
      return `${stringMember(metadata, 'namespace') ?? fallback}/${name}`;
    }),
  );
}

/** @param only the profiles to show, by namespace and name; undefined = all */
function rowsOfProfiles({ policies }: Inputs, only: ReadonlySet<string> | undefined): StartsRow[] {
  return [...policies.facts.starts].flatMap(([namespace, starts]) => {
    if (only !== undefined && !only.has(`${namespace}/${starts.name}`)) return [];
    const { kind = '', name = starts.name } = starts.workload ?? {};
    return [...(starts.seconds?.keys() ?? [])].flatMap((container) => {
      const known = startsOfContainer(starts, container);
      return known === undefined
        ? []
        : [{ namespace, kind, name, container, source: 'profile', ...figuresOfSeconds(known) } as const];
    });
  });
}

function rowsOfPods(objects: readonly JsonObject[], now: number): StartsRow[] {
  const byContainer = new Map<
    string,
    { row: Pick<StartsRow, 'namespace' | 'kind' | 'name' | 'container'>; seconds: number[] }
  >();
  for (const object of objects) {
    if (object['kind'] !== 'Pod' || object['apiVersion'] !== 'v1') continue;
    const start = startInSnapshot(object, now);
    if (start === undefined) continue;
    const { namespace, container, workload } = start;
    const row = { namespace, kind: workload.kind, name: workload.name, container };
    const key = JSON.stringify(Object.values(row));
    const known = byContainer.get(key);
    if (known === undefined) byContainer.set(key, { row, seconds: [start.sample.seconds] });
    else known.seconds.push(start.sample.seconds);
  }
  return [...byContainer.values()].map(({ row, seconds }) => {
    const known = { starts: seconds.length, longestSeconds: Math.max(...seconds), boundSeconds: 0, seconds };
    return { ...row, source: 'pods', ...figuresOfSeconds(known) };
  });
}

function inOrder(one: StartsRow, other: StartsRow): number {
  const key = ({ namespace, kind, name, container }: StartsRow): string => [namespace, kind, name, container].join(' ');
  return key(one) < key(other) ? -1 : 1;
}
