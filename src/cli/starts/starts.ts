import { profileName } from '../../engine/facts/startup-profile.ts';
import { stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { figuresOfSeconds, type ShownFigures } from '../../observer/starts/profile-update.ts';
import { startInSnapshot } from '../../observer/starts/measured-start.ts';
import { jsonText, visible } from '../../base/text/visible.ts';
import { nameOf, namespaceOf } from '../input/manifest.ts';
import { budgetOf } from './budget.ts';
import { EXIT_OK, EXIT_USAGE, type CommandIo } from '../io.ts';
import { reportProblems } from '../output/messages.ts';
import { readAnyInputs } from '../input/command-inputs.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { Inputs } from '../input/inputs.ts';
import type { STARTS } from './definition.ts';

export async function runStarts(line: ParsedCommandLine<typeof STARTS.flags>, io: CommandIo): Promise<number> {
  const inputs = await readAnyInputs('starts', line, io);
  const objects = inputs.texts.flatMap(({ manifests }) => manifests.map(({ object }) => object));
  const isNamed = inputs.isFromCluster && line.positionals.length > 0;
  const rows = [
    ...rowsOfProfiles(inputs, isNamed ? namesOf(objects, inputs.namespace) : undefined),
    ...rowsOfPods(objects, inputs, line.flags.now ?? io.now()),
  ].sort(inOrder);
  io.stdout.write(line.flags.output === 'json' ? startsAsJson(rows) : startsAsText(rows));
  reportProblems([...inputs.policyWarnings, ...inputs.problems], io, inputs);
  return inputs.problems.length > 0 ? EXIT_USAGE : EXIT_OK;
}

function namesOf(objects: readonly JsonObject[], fallback: string): ReadonlySet<string> {
  const profileOf = (object: JsonObject): string => profileName(stringMember(object, 'kind') ?? '', nameOf(object));
  return new Set(objects.map((object) => `${namespaceOf(object) ?? fallback}/${profileOf(object)}`));
}

/** @param only the profiles to show, by namespace and name; undefined = all */
function rowsOfProfiles(inputs: Inputs, only: ReadonlySet<string> | undefined): StartsRow[] {
  const keyOf = (...parts: readonly string[]): string => parts.join('/');
  const objects = new Map(
    inputs.texts
      .flatMap(({ manifests }) => manifests)
      .map(({ object }) => {
        const kind = stringMember(object, 'kind') ?? '';
        return [keyOf(namespaceOf(object) ?? inputs.namespace, kind, nameOf(object)), object];
      }),
  );
  return [...inputs.policies.facts.starts.lists].flatMap(([namespace, list]) =>
    list.flatMap((starts) => {
      if (only !== undefined && !only.has(`${namespace}/${starts.name}`)) return [];
      const { kind = '', name = starts.name } = starts.workload ?? {};
      return starts.containers.map((known) => {
        const budget = budgetOf(known, known.name, objects.get(keyOf(namespace, kind, name)), inputs);
        const figures = figuresOfSeconds(known, budget);
        return { namespace, kind, name, container: known.name, source: 'profile', ...figures } as const;
      });
    }),
  );
}

function rowsOfPods(objects: readonly JsonObject[], inputs: Inputs, now: number): StartsRow[] {
  const pods = objects.filter((object) => object['kind'] === 'Pod' && object['apiVersion'] === 'v1');
  const starts = pods.flatMap((pod) => {
    const start = startInSnapshot(pod, now);
    return start === undefined ? [] : [{ ...start, pod }];
  });
  const byContainer = Map.groupBy(starts, ({ namespace, container, workload }) =>
    JSON.stringify([namespace, workload.kind, workload.name, container]),
  );
  return [...byContainer.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const { namespace, container, workload, pod } = first;
    const seconds = same.map(({ sample }) => sample.seconds);
    const known = { starts: seconds.length, longestSeconds: Math.max(...seconds), boundSeconds: 0, seconds };
    const row = { namespace, kind: workload.kind, name: workload.name, container };
    return [{ ...row, source: 'pods' as const, ...figuresOfSeconds(known, budgetOf(known, container, pod, inputs)) }];
  });
}

function inOrder(one: StartsRow, other: StartsRow): number {
  const key = ({ namespace, kind, name, container }: StartsRow): string => [namespace, kind, name, container].join(' ');
  return key(one) < key(other) ? -1 : 1;
}

interface StartsRow extends ShownFigures {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly container: string;
  /** `profile`: the observer measured the starts. `pods`: one look at Pods tells them. */
  readonly source: 'profile' | 'pods';
}

const COLUMNS = ['NAMESPACE', 'WORKLOAD', 'CONTAINER', 'STARTS', 'P50', 'P90', 'MAX', 'BUDGET'] as const;

function startsAsJson(rows: readonly StartsRow[]): string {
  return `${jsonText({ starts: rows }, undefined, 2)}\n`;
}

function startsAsText(rows: readonly StartsRow[]): string {
  if (rows.length === 0)
    return 'No start times are known. The observer measures them (docs/observer.md). One look at Pods may tell some: kubectl get pods -A -o json | probewright starts -\n';
  const table = [
    [...COLUMNS],
    ...rows.map((row) =>
      [
        row.namespace,
        row.kind === '' ? row.name : `${row.kind}/${row.name}`,
        row.container,
        String(row.starts),
        seconds(row.p50Seconds),
        seconds(row.p90Seconds),
        seconds(row.maxSeconds),
        seconds(row.budgetSeconds),
      ].map((cell) => visible(cell)),
    ),
  ];
  const widths = COLUMNS.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

function seconds(value: number | undefined): string {
  return value === undefined ? '-' : `${value} s`;
}
