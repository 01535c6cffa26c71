import { isAimed, layersWithProbes } from '../engine/policy/container-policy.ts';
import { CHECKS } from '../engine/checks/catalogue.ts';
import { CANNOT_WORK, findingsAlone } from '../engine/verdict/permitted-defaulting.ts';
import { NO_SERVICES } from '../engine/facts/services.ts';
import { knownProgram } from '../engine/command/programs.ts';
import { ExecCommand, isShell, programsOf } from '../engine/command/words.ts';
import { PROBE_INTEGERS, PROBE_KINDS, type ProbeKind } from '../engine/probe/probe.ts';
import { execArgv } from '../engine/probe/handler-values.ts';
import { POD_KIND } from '../engine/workload/kinds.ts';
import { readPod } from '../engine/workload/read-pod.ts';
import type { LabelSelector } from '../engine/policy/label-selector.ts';
import type { HandlerDefault, ProbeDefault, ProbePolicy } from '../engine/policy/probe-policy.ts';
import type { Snapshot } from '../engine/facts/snapshot.ts';
import type { JsonObject } from '../base/json/json-value.ts';

/**
 * The layers of a namespace as data for the native policy. A value of 0 resets a number, or the port, to what counts
 * without lower layers. Lists are empty where a layer does not restrict.
 */
export interface NativeLayer extends JsonObject {
  readonly source: string;
  /** It speaks about its containers in particular (isAimed). */
  readonly aimed: boolean;
  /** Empty: the main container. `*`: every application container. */
  readonly containers: readonly string[];
  /** Regular expressions of image paths. */
  readonly images: readonly string[];
  readonly workloadSelector: LabelSelector;
  readonly namespaceSelector: LabelSelector;
  readonly probes: readonly NativeProbe[];
  /** `Ignore` or `Allow`, where the layer says so. */
  readonly annotations?: string;
  /** What it says cannot be exported, so Pods that it selects get nothing (see `closes`). */
  readonly closed?: true;
  /** A floor Deny requires a probe. */
  readonly requires?: true;
  readonly port?: number | string;
  readonly startupSeconds?: number;
  readonly fromInitialDelaySeconds?: number;
  /** True for learned starts, false where the layer resets them. */
  readonly learned?: boolean;
}

interface NativeProbe extends JsonObject {
  readonly probe: ProbeKind;
  readonly removed: boolean;
  readonly integers: Readonly<Record<string, number>>;
  readonly handler?: NativeHandler;
}

interface NativeHandler extends JsonObject {
  readonly kind: string;
  readonly fields: JsonObject;
  /** False for a handler that no container gets: see `handlerProblem`. */
  readonly usable: boolean;
  /** Its command runs a shell or a tool, which some images lack. */
  readonly tools: boolean;
}

/** Larger numbers would need a longer period than any that CEL computes here. */
export const LARGEST_INTEGER = 10_000;
export const LARGEST_SECONDS = 1_000_000;
/** Together with the commands of a Pod it stays within what the engine reads. */
const LONGEST_COMMAND = 1024;

/** The layers of a namespace, highest first. A namespace without policies of its own has the cluster's. */
export function layersOf(snapshot: Snapshot, namespace?: string): readonly NativeLayer[] {
  const all = snapshot.tiers.flatMap(({ cluster, byNamespace }) => [
    ...cluster,
    ...(namespace === undefined ? [] : (byNamespace.get(namespace) ?? [])),
  ]);
  return all.filter(decides).map(nativeLayer).reverse();
}

/** True for a layer that bears on injection. */
function decides(policy: ProbePolicy): boolean {
  return (
    layersWithProbes([policy]).length > 0 ||
    policy.annotations !== undefined ||
    closes(policy) ||
    requiringFloors(policy).length > 0
  );
}

const REQUIRING: ReadonlySet<string> = new Set(
  CHECKS.filter(({ requiresProbes }) => requiresProbes).map(({ id }) => id),
);

const floors = ({ checks }: ProbePolicy, requires: boolean): readonly string[] =>
  [...checks].filter(([id, { floor }]) => floor === 'Deny' && REQUIRING.has(id) === requires).map(([id]) => id);

/** The check ids of floors Deny that may forbid an injected probe. A check that requires probes forbids none. */
export const forbiddingFloors = (policy: ProbePolicy): readonly string[] => floors(policy, false);
/** The check ids of floors Deny that require a probe. */
export const requiringFloors = (policy: ProbePolicy): readonly string[] => floors(policy, true);

const closes = (policy: ProbePolicy): boolean => forbiddingFloors(policy).length > 0 || largeNumbers(policy).length > 0;

function nativeLayer(policy: ProbePolicy): NativeLayer {
  const { source, containers, images = [], workloadSelector = [], namespaceSelector = [], probes, slowStart } = policy;
  const removesStart = probes.startupProbe?.removed === true;
  const number = (value: number | null | undefined): number | undefined => (removesStart || value === null ? 0 : value);
  const startupSeconds = number(slowStart.startupSeconds);
  const fromInitialDelaySeconds = number(slowStart.fromInitialDelaySeconds);
  const isLearned = removesStart || slowStart.learned === null ? false : slowStart.learned && true;
  return {
    source,
    aimed: isAimed(policy),
    containers: containers === 'main' ? [] : containers === 'all' ? ['*'] : containers,
    images: images.map((pattern) => `^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`),
    workloadSelector,
    namespaceSelector,
    probes: PROBE_KINDS.flatMap((kind) => {
      const given = probes[kind];
      return given === undefined ? [] : [nativeProbe(kind, given)];
    }),
    ...(policy.annotations !== undefined && { annotations: policy.annotations }),
    ...(closes(policy) && { closed: true as const }),
    ...(requiringFloors(policy).length > 0 && { requires: true as const }),
    ...(policy.port !== undefined && { port: policy.port ?? 0 }),
    ...(startupSeconds !== undefined && { startupSeconds }),
    ...(fromInitialDelaySeconds !== undefined && { fromInitialDelaySeconds }),
    ...(isLearned !== undefined && { learned: isLearned }),
  };
}

function nativeProbe(probe: ProbeKind, { removed, handler, integers }: ProbeDefault): NativeProbe {
  const given = Object.entries(integers).map(([name, value]) => [name, value ?? 0] as const);
  // What a layer removes has no number of a lower layer either.
  const reset = PROBE_INTEGERS.map((name) => [name, 0] as const);
  return {
    probe,
    removed: removed === true,
    integers: Object.fromEntries(removed ? reset : given),
    ...(handler && { handler: nativeHandler(probe, handler) }),
  };
}

function nativeHandler(probe: ProbeKind, handler: HandlerDefault): NativeHandler {
  const { kind, fields } = handler;
  const usable = handlerProblem(probe, handler) === undefined;
  return { kind, fields, usable, tools: kind === 'exec' && mayLackPrograms(fields) };
}

function mayLackPrograms(fields: JsonObject): boolean {
  const programs = programsOf(execArgv(fields) ?? []);
  return programs === undefined || programs.some(({ program }) => isShell(program) || knownProgram(program)?.isTool);
}

/** Why no container gets a policy's handler from the native policy, in words; undefined for one that it may get. */
export function handlerProblem(probe: ProbeKind, { kind, fields }: HandlerDefault): string | undefined {
  const text = JSON.stringify(fields);
  if ((fields.host ?? '') !== '') return 'it names a host';
  if (/\$[({]|\{\{/.test(text)) return 'it may name a variable';
  if (kind !== 'exec') return undefined;
  if (text.length > LONGEST_COMMAND) return `its command is longer than ${LONGEST_COMMAND} characters`;
  const spec = { containers: [{ name: 'app', image: 'app', [probe]: { exec: fields } }] };
  const found = findingsAlone(readPod({ metadata: {}, spec }, POD_KIND), {
    policy: { services: NO_SERVICES } as never,
    rules: () => CANNOT_WORK,
  });
  return found.length > 0 || !new ExecCommand(execArgv(fields) ?? []).isWhole ? 'its command cannot work' : undefined;
}

/** The numbers of a policy that are too large for the native policy. */
export function largeNumbers({ probes, slowStart }: ProbePolicy): readonly string[] {
  const integers = PROBE_KINDS.flatMap((kind) =>
    Object.entries(probes[kind]?.integers ?? {}).flatMap(([name, value]) =>
      (value ?? 0) > LARGEST_INTEGER ? [`probes.${kind}.${name}`] : [],
    ),
  );
  const { startupSeconds = 0, fromInitialDelaySeconds = 0 } = slowStart;
  const seconds = { startupSeconds, fromInitialDelaySeconds };
  return [
    ...integers,
    ...Object.entries(seconds).flatMap(([name, value]) =>
      (value ?? 0) > LARGEST_SECONDS ? [`slowStart.${name}`] : [],
    ),
  ];
}
