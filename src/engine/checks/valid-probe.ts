import { formatPath, valueAt, type FieldPath } from '../../base/json/field-path.ts';
import { isPresent } from '../../base/json/json-value.ts';
import { apiCauses, deploymentCauses, type PodSpecPlace } from '../probe/api-rules.ts';
import { decodeProblem } from '../probe/api-schema.ts';
import { isPortNumber } from '../probe/handler-values.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import { hasFixedRestartPolicy, isDeployment, isPod } from '../workload/kinds.ts';
import { defineCheck, type Finding } from './check.ts';
import { oncePerWorkload, probeOf, type CheckedContainer, type CheckedWorkload } from './checked-workload.ts';
import { onlyPortAdvice } from './lib/plausible-port.ts';

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
  run: (container) => findingsByContainer(container.workload).get(container) ?? [],
});

type FindingsByContainer = ReadonlyMap<CheckedContainer, Finding[]>;

const NOTHING: FindingsByContainer = new Map();

/** The API server's errors concern a whole Pod spec, so they are computed once for each workload. */
const findingsByContainer = oncePerWorkload((workload) => sortedByContainer(workload, answer(workload)));

function answer({ kind, object, podSpec, podSpecPlace }: CheckedWorkload): Finding[] {
  const undecodable = decodeProblem(podSpec, podSpecPlace);
  if (undecodable !== undefined) return [undecodable];
  const causes = apiCauses(podSpec, podSpecPlace, placeOf(kind));
  const ofOwner = isDeployment(kind) ? deploymentCauses(object) : [];
  return [...causes, ...ofOwner];
}

function placeOf(kind: CheckedWorkload['kind']): PodSpecPlace {
  if (isPod(kind)) return 'pod';
  if (!hasFixedRestartPolicy(kind)) return 'template';
  return kind.runsToCompletion ? 'completion' : 'forever';
}

/** A finding outside every container is assigned to the first container that it may concern. */
function sortedByContainer(workload: CheckedWorkload, findings: readonly Finding[]): FindingsByContainer {
  if (findings.length === 0) return NOTHING;
  const sorted = new Map<CheckedContainer, Finding[]>();
  const depth = workload.podSpecPlace.path().length;
  const byPlace = new Map(workload.containers.map((container) => [keyOf(container.place.path(), depth), container]));
  for (const finding of findings) {
    const own = byPlace.get(keyOf(finding.path, depth));
    const container = own ?? firstConcerned(workload.containers, finding.path, depth);
    if (container === undefined) continue;
    const probe = PROBE_KINDS.find((kind) => kind === finding.path[depth + 2]);
    const others = sorted.get(container) ?? [];
    others.push({
      ...(own === undefined || probe === undefined ? finding : { ...finding, probe }),
      ...adviceForCause(finding, workload.object, own),
    });
    sorted.set(container, others);
  }
  return sorted;
}

function keyOf(path: FieldPath, depth: number): string {
  return formatPath(path.slice(depth, depth + 2));
}

function firstConcerned(
  containers: readonly CheckedContainer[],
  path: FieldPath,
  depth: number,
): CheckedContainer | undefined {
  const list = path[depth];
  return containers.find(({ place }) => path.length === depth + 1 && place.path()[depth] === list) ?? containers[0];
}

type Advice = Pick<Finding, 'remedy' | 'edits'>;

/**
 * Returns what to write where the API server rejects a value. The API server only says what is wrong. Undefined when
 * nothing is known to be right.
 * @param object the object that holds the path
 */
function adviceForCause(
  { path, message }: Pick<Finding, 'path' | 'message'>,
  object: unknown,
  container: CheckedContainer | undefined,
): Advice | undefined {
  const field = path.at(-1);
  const value = valueAt(object, path);
  if (message.startsWith('json: ')) return decodeAdvice(path, value, message);
  if (message.endsWith('must be 1') || message.endsWith('must not be set for readinessProbes'))
    return { remedy: `remove ${String(field)}`, edits: [{ path, value: null }] };
  if (field === 'port') return portAdvice(path, value, container);
  if (field === 'scheme' && typeof value === 'string' && /^https?$/i.test(value))
    return { remedy: `write scheme: ${value.toUpperCase()}`, edits: [{ path, value: value.toUpperCase() }] };
  return { ...wordsFor(message) };
}

function wordsFor(message: string): Advice | undefined {
  if (message.endsWith('must specify a handler type')) return { remedy: 'write httpGet, tcpSocket, grpc or exec' };
  if (message.endsWith('may not specify more than 1 handler type')) return { remedy: 'keep one handler' };
  if (message.endsWith('init containers without restartPolicy=Always'))
    return { remedy: 'remove the probe, or write restartPolicy: Always to make the container a sidecar' };
  return undefined;
}

/** A quoted number is meant as a number. A missing port is the declared port that may answer, if there is one. */
function portAdvice(path: FieldPath, value: unknown, container: CheckedContainer | undefined): Advice | undefined {
  const number = typeof value === 'string' && /^[0-9]{1,5}$/.test(value) ? Number(value) : undefined;
  if (isPortNumber(number))
    return { remedy: `write port: ${number}, without quotes`, edits: [{ path, value: number }] };
  const kind = PROBE_KINDS.find((one) => one === path.at(-3));
  const probe = kind && container && probeOf(container, kind);
  return probe === undefined || isPresent(value) ? undefined : onlyPortAdvice(probe, container?.ports);
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
