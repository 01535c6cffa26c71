import { isJsonObject, objectMember, stringMember } from '../../json/json-value.ts';
import { ownCopy } from '../../text/own-copy.ts';
import { causeOfText } from './probe-text.ts';
import type { JsonObject } from '../../json/json-value.ts';
import type { ProbeKind } from '../../probes/probe.ts';
import type { AnswerCause } from './probe-text.ts';

/** The facts in an event of the kubelet about one probe of one container. */
export interface ProbeHint {
  /** The namespace of the event. The API server lets an event name any UID, but only Pods of its own namespace. */
  readonly namespace: string;
  readonly podUid: string;
  readonly container: string;
  readonly probe: ProbeKind;
  /** The result of the probe; `killed` when the kubelet stops the container because of the probe. */
  readonly cause: AnswerCause | 'killed';
  /** The kubelet threw the result away: the probe neither fails nor succeeds. */
  readonly isVoid: boolean;
  /** When the event was last seen, by the clock of the node, in milliseconds since the epoch; 0 when unknown. */
  readonly at: number;
}

const PROBES: Readonly<Record<string, ProbeKind>> = {
  startup: 'startupProbe',
  liveness: 'livenessProbe',
  readiness: 'readinessProbe',
};

/** An event that was combined from similar ones (client-go, tools/record/events_cache.go). */
const COMBINED = '(combined from similar events): ';
/** pkg/kubelet/prober/prober.go, probe. Kubernetes before 1.33 wrote "errored: " alone. */
const UNHEALTHY = /^(Startup|Liveness|Readiness) probe (failed|errored)(?: and resulted in \w+ state)?: ?/;
/** pkg/kubelet/kuberuntime/kuberuntime_manager.go, computePodActions. */
const KILLING = /^Container ([a-z0-9-]{1,63}) failed (startup|liveness) probe, will be restarted/;
/** `spec.containers{app}` and `spec.initContainers{proxy}` (pkg/kubelet/container/ref.go). */
const FIELD_PATH = /^spec\.(?:containers|initContainers)\{([a-z0-9-]{1,63})\}$/;

/** Longest text that is read. The kubelet cuts outputs of probes at 10 KiB, and the API server events at 1 KiB. */
const MAX_TEXT_LENGTH = 12_000;
/** The longest UID. The API server gives UUIDs, but takes any text in an event. */
const MAX_UID_LENGTH = 64;

/** Reads a v1 Event; undefined when the event is not about a probe. */
export function readProbeEvent(event: JsonObject): ProbeHint | undefined {
  const object = objectMember(event, 'involvedObject');
  const podUid = object && stringMember(object, 'uid');
  const fieldPath = object && stringMember(object, 'fieldPath');
  const namespace = stringMember(objectMember(event, 'metadata') ?? {}, 'namespace');
  const text = stringMember(event, 'message');
  if (object?.['kind'] !== 'Pod' || podUid === undefined || namespace === undefined || text === undefined)
    return undefined;
  if (podUid.length > MAX_UID_LENGTH || text.length > MAX_TEXT_LENGTH) return undefined;
  const message = text.startsWith(COMBINED) ? text.slice(COMBINED.length) : text;
  const at = eventTime(event);
  const container = FIELD_PATH.exec(fieldPath ?? '')?.[1];
  switch (stringMember(event, 'reason')) {
    case 'Unhealthy':
      return container === undefined ? undefined : readUnhealthy(message, { namespace, podUid, container, at });
    case 'Killing': {
      const [, named, type] = KILLING.exec(message) ?? [];
      const probe = PROBES[type ?? ''];
      const name = container ?? named;
      if (probe === undefined || name === undefined) return undefined;
      return { namespace, podUid, container: ownCopy(name), probe, cause: 'killed', isVoid: false, at };
    }
    default:
      return undefined;
  }
}

function readUnhealthy(
  message: string,
  place: Pick<ProbeHint, 'namespace' | 'podUid' | 'container' | 'at'>,
): ProbeHint | undefined {
  const match = UNHEALTHY.exec(message);
  const probe = PROBES[(match?.[1] ?? '').toLowerCase()];
  if (match === null || probe === undefined) return undefined;
  return { ...place, probe, cause: causeOfText(message.slice(match[0].length)), isVoid: match[2] === 'errored' };
}

/** The last time of an event. `series` is written by newer recorders, `eventTime` by events that happened once. */
function eventTime(event: JsonObject): number {
  const series = event['series'];
  const times = [
    isJsonObject(series) ? series['lastObservedTime'] : undefined,
    event['lastTimestamp'],
    event['eventTime'],
    event['firstTimestamp'],
  ];
  const text = times.find((time): time is string => typeof time === 'string' && time !== '');
  const at = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(at) ? 0 : at;
}
