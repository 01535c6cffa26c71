import { profileName } from '../../engine/facts/startup-profile.ts';
import { stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { figuresOfSeconds, type ShownFigures } from '../../observer/starts/profile-update.ts';
import { startInSnapshot } from '../../observer/starts/measured-start.ts';
import { compareText } from '../../base/text/cut.ts';
import { jsonText, visible } from '../../base/text/visible.ts';
import { manifestsIn, nameOf, namespaceOf, policyOfPod, workloadIn } from '../input/manifest.ts';
import { templatePolicy } from '../../engine/defaulting/default-probes.ts';
import { learnedBudget, type StartFigures } from '../../engine/probe/startup-budget.ts';
import { asCreated } from '../../engine/workload/read-pod.ts';
import { permittedDefaulting } from '../../engine/verdict/permitted-defaulting.ts';
import { EXIT_OK, EXIT_USAGE, type CommandIo } from '../io.ts';
import { reportProblems } from '../output/messages.ts';
import { readAnyInputs } from '../input/command-inputs.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { Inputs } from '../input/inputs.ts';
import type { STARTS } from './definition.ts';

export async function runStarts(line: ParsedCommandLine<typeof STARTS.flags>, io: CommandIo): Promise<number> {
  const inputs = await readAnyInputs('starts', line, io);
  const isNamed = inputs.isFromCluster && line.positionals.length > 0;
  const objects = manifestsIn(inputs).map(({ object }) => object);
  const rows = [...rowsOfProfiles(objects, inputs, isNamed), ...rowsOfPods(objects, inputs)].sort(inOrder);
  io.stdout.write(line.flags.output === 'json' ? startsAsJson(rows) : startsAsText(rows));
  reportProblems([...inputs.policyWarnings, ...inputs.problems], io, inputs);
  return inputs.problems.length > 0 ? EXIT_USAGE : EXIT_OK;
}

/** @param isNamed shows the profiles of the objects only */
function rowsOfProfiles(objects: readonly JsonObject[], inputs: Inputs, isNamed: boolean): StartsRow[] {
  const keyOf = (...parts: readonly string[]): string => parts.join('/');
  const byName = new Map<string, JsonObject>();
  const only = new Set<string>();
  for (const object of objects) {
    const namespace = namespaceOf(object) ?? inputs.namespace;
    const [kind, name] = [stringMember(object, 'kind') ?? '', nameOf(object)];
    byName.set(keyOf(namespace, kind, name), object);
    only.add(keyOf(namespace, profileName(kind, name)));
  }
  return [...inputs.policies.facts.starts.lists].flatMap(([namespace, list]) =>
    list.flatMap((starts) => {
      if (isNamed && !only.has(keyOf(namespace, starts.name))) return [];
      const { kind = '', name = starts.name } = starts.workload ?? {};
      return starts.containers.map((known) => {
        const budget = budgetOf(known, known.name, byName.get(keyOf(namespace, kind, name)), inputs);
        const figures = figuresOfSeconds(known, budget);
        return { namespace, kind, name, container: known.name, source: 'profile', ...figures } as const;
      });
    }),
  );
}

function rowsOfPods(objects: readonly JsonObject[], inputs: Inputs): StartsRow[] {
  const pods = objects.filter((object) => object['kind'] === 'Pod' && object['apiVersion'] === 'v1');
  const starts = pods.flatMap((pod) => {
    const start = startInSnapshot(pod, inputs.now);
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

/**
 * The seconds to start that a container gets, as the webhook computes them: of its injected startup probe, else what
 * its starts ask for by the settings of the policy in force. Undefined while too few starts are known.
 *
 * @param object the workload or Pod with the container; undefined = the default settings count
 */
function budgetOf(
  known: StartFigures,
  container: string,
  object: JsonObject | undefined,
  inputs: Inputs,
): number | undefined {
  const workload = object && workloadIn(object, inputs);
  const [pod] = workload?.pods ?? [];
  if (workload === undefined || pod === undefined) return learnedBudget(known);
  const policy = policyOfPod(workload, pod, inputs.policies);
  const isOfContainer = ({ name }: { readonly name: string }): boolean => name === container;
  const { injections } = permittedDefaulting(pod, policy);
  const injected = injections.find(({ kind, container: of }) => kind === 'startupProbe' && isOfContainer(of));
  if (injected?.budget !== undefined) return injected.budget.seconds;
  const { containers, policyFor } = templatePolicy(asCreated(pod), policy);
  const named = containers.find(isOfContainer);
  const { learned, probes } = (named && policyFor(named)) ?? {};
  return learnedBudget(known, learned?.value, probes?.startupProbe.integers.periodSeconds);
}

function inOrder(one: StartsRow, other: StartsRow): number {
  const key = ({ namespace, kind, name, container }: StartsRow): string => [namespace, kind, name, container].join(' ');
  return compareText(key(one), key(other));
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
