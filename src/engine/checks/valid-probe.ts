import { FieldPlace, formatPath, valueAt, type FieldPath } from '../../base/json/field-path.ts';
import { equalJson, isPresent } from '../../base/json/json-value.ts';
import { apiCauses, deploymentCauses, type PodSpecPlace } from '../probe/api-rules.ts';
import { decodeProblem, METADATA_TYPE, SELECTOR_TYPE, type GoType } from '../probe/api-schema.ts';
import { isPortName, isPortNumber } from '../probe/handler-values.ts';
import { HANDLER_KINDS, PROBE_KINDS, type HandlerKind } from '../probe/probe.ts';
import { hasFixedRestartPolicy, isDeployment, isPod, podTemplatesOf } from '../workload/kinds.ts';
import { defineCheck, type Advice, type Finding } from './check.ts';
import { oncePerWorkload } from './checked-workload.ts';
import { findPort } from '../workload/ports.ts';
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
  const { object, pod } = workload;
  const { spec, containers } = pod;
  const podPath = pod.place.path();
  const depth = podPath.length;
  const keyOf = (path: FieldPath): string => formatPath(path.slice(depth, depth + 2));
  const byPlace = new Map(containers.map((container) => [keyOf(container.place.path()), container]));
  /** An error outside of every container is assigned to the first container that it may concern. */
  const firstConcerned = (path: FieldPath): Container | undefined =>
    containers.find(({ place }) => path.length === depth + 1 && place.path()[depth] === path[depth]) ?? containers[0];
  const found = causes.map((cause) => {
    const container = byPlace.get(keyOf(cause.path)) ?? firstConcerned(cause.path);
    const kind = PROBE_KINDS.find((one) => one === cause.path[depth + 2]);
    const probe = kind && container && probeOf(container, kind);
    const at = (path: FieldPath): unknown =>
      equalJson(path.slice(0, depth), podPath) ? valueAt(spec, path.slice(depth)) : valueAt(object, path);
    const advice = adviceForCause(cause, at, container, probe);
    return { container, finding: { ...cause, ...(kind && { probe: kind }), ...advice } };
  });
  const groups = Map.groupBy(found, ({ container }) => container);
  return new Map(Array.from(groups, ([container, same]) => [container, same.map(({ finding }) => finding)]));
});

function causesOf(workload: CheckedWorkload): readonly Finding[] {
  const { kind, object, pod } = workload;
  const { spec, place } = pod;
  const undecodable = problemBeforeSpec(workload) ?? decodeProblem(spec, place);
  if (undecodable !== undefined) return [undecodable];
  const causes = apiCauses(spec, place, placeOf(kind));
  return isDeployment(kind) ? [...causes, ...deploymentCauses(object)] : causes;
}

/** `name: y` and `labels: { app: on }`: kubectl decodes the metadata, and the API server what is before the spec. */
function problemBeforeSpec({ kind, object, pod }: CheckedWorkload): Finding | undefined {
  const above = pod.place.path().slice(0, -1);
  const own =
    decodeProblemAt(object, [], 'metadata', METADATA_TYPE) ??
    (kind.group === 'apps' ? decodeProblemAt(object, ['spec'], 'selector', SELECTOR_TYPE) : undefined);
  // The first template of a JobSet has the object's own problem.
  const isFirst = own !== undefined && equalJson(podTemplatesOf(object, kind)[0]?.path, above);
  if (isFirst) return own;
  return above.length === 0 ? undefined : decodeProblemAt(object, above, 'metadata', METADATA_TYPE);
}

function decodeProblemAt(object: unknown, above: FieldPath, field: string, type: GoType): Finding | undefined {
  return decodeProblem(valueAt(object, [...above, field]), new FieldPlace(above, field), type);
}

function placeOf(kind: CheckedWorkload['kind']): PodSpecPlace {
  if (isPod(kind)) return 'pod';
  if (!hasFixedRestartPolicy(kind)) return 'template';
  return kind.runsToCompletion ? 'completion' : 'forever';
}

/**
 * Returns what to write where the API server rejects a value. The API server only says what is wrong. Undefined when
 * nothing is known to be right.
 * @param at returns the value at a path
 */
function adviceForCause(
  { path, message }: Finding,
  at: (path: FieldPath) => unknown,
  container?: Container,
  probe?: Probe,
): Advice | undefined {
  const [field, value] = [path.at(-1), at(path)];
  const isUndecodable = message.startsWith('json: ');
  if (field === 'port' && (!isUndecodable || typeof value === 'string'))
    return portAdvice(path, value, container, probe);
  if (isUndecodable) return decodeAdvice(path, value, message);
  if (message.endsWith('must be 1') || message.endsWith('must not be set for readinessProbes'))
    return { remedy: `remove ${String(field)}`, edits: [{ path, value: null }] };
  if (field === 'scheme' && typeof value === 'string' && /^https?$/i.test(value))
    return { remedy: `write scheme: ${value.toUpperCase()}`, edits: [{ path, value: value.toUpperCase() }] };
  if (message.endsWith(SEVERAL_HANDLERS)) {
    const above = path.slice(0, -1);
    // As it is written: the API server's default for a path is no default of a chart.
    const probe = container?.written.find(({ kind }) => kind === above.at(-1));
    return handlerAdvice(above, probe === undefined ? at(above) : probe.written);
  }
  const [, remedy] = REMEDIES.find(([ending]) => message.endsWith(ending)) ?? [];
  return remedy === undefined ? undefined : { remedy };
}

const SEVERAL_HANDLERS = 'may not specify more than 1 handler type';

/** What to write, by the end of the API server's message. */
const REMEDIES: readonly (readonly [ending: string, remedy: string])[] = [
  ['must specify a handler type', 'write httpGet, tcpSocket, grpc or exec'],
  ['must be no more than 15 characters', 'write a shorter name, also in the probes and Services that use it'],
  [
    'init containers without restartPolicy=Always',
    'remove the probe, or write restartPolicy: Always to make the container a sidecar',
  ],
];

/**
 * Helm merges the maps of values, so an author who writes exec keeps the chart's httpGet (helm.sh, Values Files,
 * "Deleting a default key"). The handler that looks like a default goes.
 */
function handlerAdvice(path: FieldPath, probe: unknown): Advice {
  const kinds = HANDLER_KINDS.filter((kind) => isPresent(valueAt(probe, [kind])));
  const defaults = kinds.filter((kind) => looksLikeDefault(kind, valueAt(probe, [kind])));
  const [one, ...others] = defaults;
  if (one === undefined || others.length > 0 || kinds.length > 2)
    return { remedy: 'keep one handler (if a chart merged them: set the other to null in the values)' };
  return {
    remedy: `remove ${one} (if a chart merged them: set ${one}: null in the values)`,
    edits: [{ path: [...path, one], value: null }],
  };
}

/** `path: /` or `port: http`, as `helm create` writes them, and no other field. */
function looksLikeDefault(kind: HandlerKind, handler: unknown): boolean {
  const [path, port] = [valueAt(handler, ['path']), valueAt(handler, ['port'])];
  if (kind === 'tcpSocket') return port === 'http';
  const isBare = Object.keys(handler ?? {}).every((field) => ['path', 'port', 'scheme'].includes(field));
  return kind === 'httpGet' && isBare && (path === '/' || port === 'http');
}

/** The number of `8080`, `0.0.0.0:8080`, `http://[::]:8080/path` and `8080/tcp`. */
const WITH_PORT = /^(?:(?:[a-z]+:\/\/)?(?:\[[^\]]*\]|[^:\s/[\]]*):)?(\d{1,5})(?:\/\S*)?$/i;

/**
 * A text with a number means that number, and a name that its field cannot take means the declared number. A missing
 * port is the declared port that may answer, if there is one.
 */
function portAdvice(path: FieldPath, value: unknown, container?: Container, probe?: Probe): Advice | undefined {
  const text = typeof value === 'string' ? value : '';
  const number = Number(WITH_PORT.exec(text)?.[1]);
  const meant = isPortNumber(number) ? number : findPort(container?.ports ?? [], text)?.number;
  if (meant !== undefined && isPortNumber(meant)) {
    const isQuoted = text === String(meant);
    return { remedy: `write port: ${meant}${isQuoted ? ', without quotes' : ''}`, edits: [{ path, value: meant }] };
  }
  const isName = !isPresent(value) || /^[-\d_]*[A-Za-z][-\w]*$/.test(text);
  const only = isName && probe !== undefined ? onlyPortAdvice(probe) : undefined;
  const isRight = only?.edits?.every((edit) => typeof edit.value !== 'string' || isPortName(edit.value));
  return isRight ? only : undefined;
}

/** `10`, and for fields of seconds `10s` and `2m`, as durations of Go are written. */
const WITH_UNIT = /^([0-9]{1,8})([sm])?$/;

/** A value of the wrong type. YAML 1.1, which kubectl reads, has more booleans and numbers than people expect. */
function decodeAdvice(path: FieldPath, value: unknown, message: string): Advice | undefined {
  if (/ of type int(?:32|64)$/.test(message) && typeof value === 'string') {
    const name = typeof path.at(-1) === 'string' ? String(path.at(-1)) : '';
    const [, digits, unit] = WITH_UNIT.exec(value) ?? [];
    if (digits === undefined || (unit !== undefined && !name.endsWith('Seconds')))
      return { remedy: 'write a whole number' };
    const number = Number(digits) * (unit === 'm' ? 60 : 1);
    const written = `${name === '' ? '' : `${name}: `}${number}${unit === undefined ? ', without quotes' : ''}`;
    return { remedy: `write ${written}`, edits: [{ path, value: number }] };
  }
  if (!message.endsWith(' of type string')) return undefined;
  if (typeof value === 'boolean')
    return { remedy: `quote it: ${value ? 'y, yes, on and true' : 'n, no, off and false'} are booleans in YAML 1.1` };
  // 010 in YAML is 8 here, so only the text of the file has the right string (src/cli/check/text-violations.ts).
  if (typeof value === 'number') return { remedy: 'quote it: a word of digits without quotes is a number' };
  return undefined;
}
