import { formatPath, valueAt, type FieldPath } from '../../base/json/field-path.ts';
import { isPresent } from '../../base/json/json-value.ts';
import { apiCauses, deploymentCauses, type PodSpecPlace } from '../probe/api-rules.ts';
import { decodeProblem } from '../probe/api-schema.ts';
import { isPortNumber } from '../probe/handler-values.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import { hasFixedRestartPolicy, isDeployment, isPod } from '../workload/kinds.ts';
import { defineCheck, type Advice, type Finding } from './check.ts';
import { oncePerWorkload } from './checked-workload.ts';
import { probeOf } from '../workload/pod.ts';
import type { CheckedWorkload } from './checked-workload.ts';
import type { Container, Probe } from '../workload/pod.ts';
import { onlyPortAdvice } from './lib/probe-port.ts';

/**
 * All errors of the API server, with its path, reason, text and order. It answers before it calls webhooks for built-in
 * kinds, so this check reports for custom kinds and offline.
 */
export const validProbe = defineCheck({
  id: 'valid-probe',
  summary: 'The API server would refuse the probe.',
  action: 'Deny',
  cannotWork: true,
  everyContainer: true,
  run: (container, _, workload) => findingsByContainer(workload).get(container) ?? [],
});

type FindingsByContainer = ReadonlyMap<Container | undefined, readonly Finding[]>;

/** The API server's errors concern a whole Pod spec, so they are computed once for each workload. */
const findingsByContainer = oncePerWorkload((workload): FindingsByContainer => {
  const causes = causesOf(workload);
  if (causes.length === 0) return new Map();
  const { place: podPlace, spec, containers } = workload.pod;
  const depth = podPlace.path().length;
  const keyOf = (path: FieldPath): string => formatPath(path.slice(depth, depth + 2));
  const byPlace = new Map(containers.map((container) => [keyOf(container.place.path()), container]));
  /** An error outside of every container is assigned to the first container that it may concern. */
  const firstConcerned = (path: FieldPath): Container | undefined =>
    containers.find(({ place }) => path.length === depth + 1 && place.path()[depth] === path[depth]) ?? containers[0];
  const found = causes.map((cause) => {
    const container = byPlace.get(keyOf(cause.path)) ?? firstConcerned(cause.path);
    const kind = PROBE_KINDS.find((one) => one === cause.path[depth + 2]);
    const probe = kind && container && probeOf(container, kind);
    const advice = adviceForCause(cause, valueAt(spec, cause.path.slice(depth)), probe);
    return { container, finding: { ...cause, ...(kind && { probe: kind }), ...advice } };
  });
  const groups = Map.groupBy(found, ({ container }) => container);
  return new Map(Array.from(groups, ([container, same]) => [container, same.map(({ finding }) => finding)]));
});

function causesOf({ kind, object, pod: { spec, place } }: CheckedWorkload): readonly Finding[] {
  const undecodable = decodeProblem(spec, place);
  if (undecodable !== undefined) return [undecodable];
  const causes = apiCauses(spec, place, placeOf(kind));
  return isDeployment(kind) ? [...causes, ...deploymentCauses(object)] : causes;
}

function placeOf(kind: CheckedWorkload['kind']): PodSpecPlace {
  if (isPod(kind)) return 'pod';
  if (!hasFixedRestartPolicy(kind)) return 'template';
  return kind.runsToCompletion ? 'completion' : 'forever';
}

/**
 * Returns what to write where the API server rejects a value. The API server only says what is wrong. Undefined when
 * nothing is known to be right.
 * @param value the value at the path
 */
function adviceForCause({ path, message }: Finding, value: unknown, probe?: Probe): Advice | undefined {
  const field = path.at(-1);
  if (message.startsWith('json: ')) return decodeAdvice(path, value, message);
  if (message.endsWith('must be 1') || message.endsWith('must not be set for readinessProbes'))
    return { remedy: `remove ${String(field)}`, edits: [{ path, value: null }] };
  if (field === 'port') return portAdvice(path, value, probe);
  if (field === 'scheme' && typeof value === 'string' && /^https?$/i.test(value))
    return { remedy: `write scheme: ${value.toUpperCase()}`, edits: [{ path, value: value.toUpperCase() }] };
  const [, remedy] = REMEDIES.find(([ending]) => message.endsWith(ending)) ?? [];
  return remedy === undefined ? undefined : { remedy };
}

/** What to write, by the end of the API server's message. */
const REMEDIES: readonly (readonly [ending: string, remedy: string])[] = [
  ['must specify a handler type', 'write httpGet, tcpSocket, grpc or exec'],
  ['may not specify more than 1 handler type', 'keep one handler'],
  [
    'init containers without restartPolicy=Always',
    'remove the probe, or write restartPolicy: Always to make the container a sidecar',
  ],
];

/** A quoted number is meant as a number. A missing port is the declared port that may answer, if there is one. */
function portAdvice(path: FieldPath, value: unknown, probe: Probe | undefined): Advice | undefined {
  const number = typeof value === 'string' && /^[0-9]{1,5}$/.test(value) ? Number(value) : undefined;
  if (isPortNumber(number))
    return { remedy: `write port: ${number}, without quotes`, edits: [{ path, value: number }] };
  return probe === undefined || isPresent(value) ? undefined : onlyPortAdvice(probe);
}

/** A value of the wrong type. YAML 1.1, which kubectl reads, has more booleans and numbers than people expect. */
function decodeAdvice(path: FieldPath, value: unknown, message: string): Advice | undefined {
  if (/ of type int(?:32|64)$/.test(message) && typeof value === 'string' && /^[0-9]{1,9}$/.test(value)) {
    const number = Number(value);
    const field = typeof path.at(-1) === 'string' ? `${String(path.at(-1))}: ` : '';
    return { remedy: `write ${field}${number}, without quotes`, edits: [{ path, value: number }] };
  }
  if (!message.endsWith(' of type string')) return undefined;
  if (typeof value === 'boolean')
    return { remedy: `quote it: ${value ? 'y, yes, on and true' : 'n, no, off and false'} are booleans in YAML 1.1` };
  // 010 in YAML is 8 here, so only the text of the file has the right string (src/cli/check/check-inputs.ts).
  if (typeof value === 'number') return { remedy: 'quote it: a word of digits without quotes is a number' };
  return undefined;
}
