import { cut } from '../../base/text/cut.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { Failure, FailureCause } from './diagnosis.ts';

/** The texts of a finding about a cause. */
interface CauseText {
  /** Follows `container "app": its readinessProbe (httpGet /healthz on port http) `. */
  readonly problem: string;
  readonly remedy: string;
}

const NO_AUTHENTICATION = 'Exempt the path from authentication, or probe a path that needs none.';
const MORE_TIME =
  'Set (failureThreshold - 1) x periodSeconds of startupProbe above the longest start, or make the start faster. ' +
  'If the container never listens there, correct the port.';

/** One entry for each cause: docs/observer.md lists the same causes. */
export const CAUSE_TEXTS: Readonly<Record<FailureCause, CauseText>> = {
  'http-400': {
    problem: 'gets HTTP status 400',
    remedy: 'If the server expects TLS, set httpGet.scheme: HTTPS. If it expects a host, set the header Host.',
  },
  'http-401': { problem: 'gets HTTP status 401', remedy: NO_AUTHENTICATION },
  'http-403': { problem: 'gets HTTP status 403', remedy: NO_AUTHENTICATION },
  'http-404': {
    problem: 'gets HTTP status 404',
    remedy: 'Set httpGet.path to a path that the application serves on this port.',
  },
  'http-3xx': {
    problem: 'is redirected without end',
    remedy: 'Set httpGet.path to a path that answers without a redirect.',
  },
  'http-4xx': {
    problem: 'gets an HTTP status from 400 to 499',
    remedy: 'Set httpGet.path and httpGet.httpHeaders to a request that the application accepts.',
  },
  'http-5xx': {
    problem: 'gets an HTTP status of 500 or more',
    remedy: 'Read the log of the container. A liveness endpoint must not fail because of another service.',
  },
  'redirect-other-host': {
    problem: 'is redirected to another host, and the kubelet counts that as success',
    remedy: 'Set httpGet.path to a path that answers without a redirect. Until then the probe checks nothing.',
  },
  'connection-refused': {
    problem: 'gets no connection',
    remedy: 'Set the port to the one that the container listens on, and let the container listen on 0.0.0.0 or [::].',
  },
  unreachable: {
    problem: 'cannot reach the address',
    remedy: 'Remove host from the probe. If it has none, check the network of the node and the network policies.',
  },
  timeout: {
    problem: 'gets no answer within timeoutSeconds',
    remedy: 'Make the endpoint answer faster, or set a larger timeoutSeconds. Check the CPU limit of the container.',
  },
  'tls-mismatch': {
    problem: 'uses the wrong scheme: one side uses TLS, the other does not',
    remedy: 'Set httpGet.scheme: HTTPS if the port serves TLS, and HTTP if it does not.',
  },
  'tls-handshake': {
    problem: 'fails in the TLS handshake',
    remedy: 'The kubelet has no client certificate. Serve the endpoint on a port that asks for none, or use tcpSocket.',
  },
  'other-protocol': {
    problem: 'gets an answer that is not HTTP/1.1',
    remedy: 'Set the port of an HTTP server. For a gRPC server use grpc, for any other server tcpSocket.',
  },
  'executable-not-found': {
    problem: 'names a program that the image does not have',
    remedy:
      'Name a program of the image with its path, one list element for each argument, or use httpGet or tcpSocket.',
  },
  'command-failed': {
    problem: 'runs a command that fails',
    remedy: 'Run the command with kubectl exec in the container, and correct the command or the application.',
  },
  'grpc-unhealthy': {
    problem: 'is told by the gRPC health service that the service is not healthy',
    remedy: 'Set grpc.service to a service that the health service knows, and check the state of the application.',
  },
  'grpc-unimplemented': {
    problem: 'asks a gRPC server that has no health service',
    remedy: 'Register grpc.health.v1.Health in the server, or use tcpSocket.',
  },
  'port-name-undeclared': {
    problem: 'names a port that the container does not declare',
    remedy: 'Declare the port in the container, or write its number.',
  },
  unclear: {
    problem: 'fails',
    remedy: 'Read the events of the Pod with kubectl describe pod.',
  },
  'killed-while-starting': { problem: 'stops the container before the container has started', remedy: MORE_TIME },
  'killed-while-serving': {
    problem: 'stops the container while the container serves',
    remedy: 'Find out why the endpoint stops answering. If it is only slow, set a larger timeoutSeconds.',
  },
};

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
