import { cut } from '../../base/text/cut.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import { CAUSE_TEXTS, type CauseText } from './causes.ts';
import type { Failure } from './diagnosis.ts';

/** The texts of a probe that gets a cause in another way. */
const NO_GRPC: CauseText = {
  problem: 'gets no connection, or the port speaks no gRPC',
  remedy:
    'Set the port of the gRPC server, and let the server listen on 0.0.0.0 or [::]. For an HTTP server use httpGet.',
};
const ENDLESS_BODY: CauseText = {
  problem: 'gets an answer that does not end within timeoutSeconds',
  remedy: 'Set httpGet.path to a path whose answer ends at once, or set a larger timeoutSeconds.',
};
const EARLY_LIVENESS: CauseText = {
  problem: 'stops the container before the container has started',
  remedy:
    'Make (failureThreshold - 1) x periodSeconds of livenessProbe at least periodSeconds of startupProbe. ' +
    'Kubernetes 1.35 to 1.37 may run livenessProbe before the start, after a kill or a kubelet restart.',
};

/** The effect of a probe whose results the kubelet throws away (pkg/kubelet/prober/worker.go, doProbe). */
const WITHOUT_RESULT: Readonly<Record<ProbeKind, string>> = {
  startupProbe: ': it never has a result, and the container never starts',
  livenessProbe: ': it never has a result, and protects nothing',
  readinessProbe: ': it never has a result',
};

function textsOf({ cause, described, isVoid, isEarly }: Failure): CauseText {
  if (isEarly === true) return EARLY_LIVENESS;
  if (cause === 'timeout' && isVoid === true) return ENDLESS_BODY;
  return cause === 'connection-refused' && described?.asks.startsWith('grpc ') === true ? NO_GRPC : CAUSE_TEXTS[cause];
}

const MOST_CHARACTERS = 200;

/** The message of a finding, without what changes while the cause stays: times, counts, names of Pods. */
export function failureMessage(failure: Failure): string {
  const { container, probe, described, isVoid } = failure;
  const asks = described === undefined ? '' : ` (${described.asks})`;
  const problem = `${textsOf(failure).problem}${isVoid === true ? WITHOUT_RESULT[probe] : ''}`;
  const text = `container "${container}": its ${probe}${asks} ${problem}`;
  if (text.length <= MOST_CHARACTERS) return text;
  return cut(`container "${cut(container, MOST_NAMED)}": its ${probe} ${problem}`, MOST_CHARACTERS);
}

const MOST_NAMED = 63;

/** The change to make, and its place. A probe that a policy injects is repaired in the policy. */
export function failureRemedy(failure: Failure): string {
  const { remedy } = textsOf(failure);
  const source = failure.described?.injectedBy;
  return source === undefined || source === 'safety'
    ? remedy
    : `${remedy} ${cut(source, MOST_SOURCE)} injects the probe.`;
}

const MOST_SOURCE = 120;
