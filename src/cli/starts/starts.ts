import { startsOfProfile } from '../../engine/facts/read-startup-profile.ts';
import { profileName, startsOfImage, type ContainerStarts } from '../../engine/facts/startup-profile.ts';
import { stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { figuresOfSeconds, NONE_KILLED, type ShownFigures } from '../../observer/starts/profile-update.ts';
import { startInSnapshot } from '../../observer/starts/measured-start.ts';
import { compareText } from '../../base/text/cut.ts';
import { jsonText, visible } from '../../base/text/visible.ts';
import { nameOf, namespaceOf, workloadIn, manifestsIn } from '../input/manifest.ts';
import { learnedBudget } from '../../engine/defaulting/startup.ts';
import { templatePolicy } from '../../engine/defaulting/default-probes.ts';
import { learnedTime } from '../../engine/time/learned-start.ts';
import { asCreated } from '../../engine/workload/read-pod.ts';
import { policyOfPod } from '../../engine/verdict/judge.ts';
import { permittedDefaulting } from '../../engine/verdict/permitted-defaulting.ts';
import { EXIT_OK, EXIT_USAGE, type CommandIo } from '../io.ts';
import { reportProblems } from '../output/messages.ts';
import { readAnyInputs } from '../input/command-inputs.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { World } from '../input/world.ts';
import type { STARTS } from './definition.ts';

export async function runStarts(line: ParsedCommandLine<typeof STARTS.flags>, io: CommandIo): Promise<number> {
  const { manifests, world } = await readAnyInputs('starts', line, io);
  const isNamed = world.isFromCluster && line.positionals.length > 0;
  const objects = manifestsIn(manifests).map(({ object }) => object);
  const rows = [...rowsOfProfiles(objects, world, isNamed), ...rowsOfPods(objects, world)].sort(inOrder);
  io.stdout.write(line.flags.output === 'json' ? startsAsJson(rows) : startsAsText(rows));
  reportProblems([...manifests.warnings, ...manifests.problems], io, world);
  return manifests.problems.length > 0 ? EXIT_USAGE : EXIT_OK;
}

/** @param isNamed shows the profiles of the objects only */
function rowsOfProfiles(objects: readonly JsonObject[], world: World, isNamed: boolean): StartsRow[] {
  const keyOf = (...parts: readonly string[]): string => parts.join('/');
  const byName = new Map<string, JsonObject>();
  const only = new Set<string>();
  for (const object of objects) {
    const namespace = namespaceOf(object) ?? world.namespace;
    const [kind, name] = [stringMember(object, 'kind') ?? '', nameOf(object)];
    byName.set(keyOf(namespace, kind, name), object);
    only.add(keyOf(namespace, profileName(kind, name)));
  }
  return [...world.snapshot.facts.starts.lists].flatMap(([namespace, list]) =>
    list.flatMap((starts) => {
      if (isNamed && !only.has(keyOf(namespace, starts.name))) return [];
      const { kind = '', name = starts.name } = starts.workload ?? {};
      return starts.containers.map((known) => {
        const budget = budgetOf(known, byName.get(keyOf(namespace, kind, name)), world);
        const figures = figuresOfSeconds(known, budget);
        return { namespace, kind, name, container: known.name, source: 'profile', ...figures } as const;
      });
    }),
  );
}

function rowsOfPods(objects: readonly JsonObject[], world: World): StartsRow[] {
  const pods = objects.filter((object) => object['kind'] === 'Pod' && object['apiVersion'] === 'v1');
  const starts = pods.flatMap((pod) => {
    const start = startInSnapshot(pod, world.now);
    return start === undefined ? [] : [{ ...start, pod }];
  });
  const byContainer = Map.groupBy(starts, ({ namespace, container, workload }) =>
    JSON.stringify([namespace, workload.kind, workload.name, container]),
  );
  return [...byContainer.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const { namespace, container, workload, pod } = first;
    const samples = same.map(({ sample }) => sample);
    const figures = startsOfProfile({ name: container, image: first.image, samples, killed: NONE_KILLED });
    const known = { ...figures, seconds: samples.map(({ seconds }) => seconds) };
    const row = { namespace, kind: workload.kind, name: workload.name, container };
    return [{ ...row, source: 'pods' as const, ...figuresOfSeconds(known, budgetOf(known, pod, world)) }];
  });
}

/**
 * The seconds to start that a container gets, as the webhook computes them: of its injected startup probe, else what
 * its starts ask for by the settings of the policy in force. Undefined while too few starts are known.
 *
 * @param object the workload or Pod with the container; undefined = the default settings and the last new image count
 */
function budgetOf(known: ContainerStarts, object: JsonObject | undefined, world: World): number | undefined {
  const workload = object && workloadIn(object, world);
  const [pod] = workload?.pods ?? [];
  if (workload === undefined || pod === undefined)
    return learnedTime(startsOfImage(known, known.images?.at(-1)?.image ?? ''))?.seconds;
  const policy = policyOfPod(workload, pod, world.snapshot);
  const isOfContainer = ({ name }: { readonly name: string }): boolean => name === known.name;
  const { injections } = permittedDefaulting(pod, policy);
  const injected = injections.find(({ kind, container: of }) => kind === 'startupProbe' && isOfContainer(of));
  if (injected?.budget !== undefined) return injected.budget.seconds;
  const { policyFor } = templatePolicy(asCreated(pod), policy);
  const named = pod.containers.find(isOfContainer);
  const own = named && policyFor(named);
  const starts = startsOfImage(known, named?.image ?? '');
  return (own?.learned === undefined ? learnedTime(starts) : learnedBudget(own, starts))?.seconds;
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
