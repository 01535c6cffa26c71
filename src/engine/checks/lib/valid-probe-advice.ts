import { isJsonObject, member, isPresent } from '../../../base/json/json-value.ts';
import { isPortNumber } from '../../probe/port-number.ts';
import { onlyPlausiblePort, portEdit, portValue } from './plausible-port.ts';
import { yamlFlow } from './wording.ts';
import { probeOf } from '../checked-workload.ts';
import type { FieldPath } from '../../../base/json/field-path.ts';
import type { CheckedContainer } from '../checked-workload.ts';
import type { Finding } from '../check.ts';

type Advice = Pick<Finding, 'remedy' | 'edits'>;

/**
 * Returns what to write where the API server rejects a value. The API server only says what is wrong. Undefined when
 * nothing is known to be right.
 *
 * @param object the object that holds the path
 */
export function adviceForCause(
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

/** Causes whose repair only the author can choose. */
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
  const kind = path.at(-3);
  const probe =
    kind === 'livenessProbe' || kind === 'readinessProbe' || kind === 'startupProbe'
      ? container && probeOf(container, kind)
      : undefined;
  if (probe === undefined || isPresent(value)) return undefined;
  const port = onlyPlausiblePort(probe, container?.ports);
  return port && { remedy: `write port: ${yamlFlow(portValue(probe, port))}`, edits: [portEdit(probe, port)] };
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

function valueAt(object: unknown, path: FieldPath): unknown {
  let value = object;
  for (const step of path) {
    if (Array.isArray(value) && typeof step === 'number') value = value[step] as unknown;
    else if (isJsonObject(value) && typeof step === 'string') value = member(value, step);
    else return undefined;
  }
  return value;
}
