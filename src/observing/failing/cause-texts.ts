import { cut } from '../../text/cut.ts';
import type { Failure, FailureCause } from './diagnosis.ts';

/** The texts of a finding about a cause. */
interface CauseText {
  /** Follows `container "app": its readinessProbe (httpGet /healthz on port http) `. */
  readonly problem: string;
  /** The change to make. */
  readonly remedy: string;
}

const NO_AUTHENTICATION = 'Exempt the path from authentication, or probe a path that needs none.';
const MORE_TIME =
  'Set startupProbe.failureThreshold x periodSeconds above the longest start, or make the start faster. ' +
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
    remedy: 'Declare the port in the container, or write its number. Such a probe neither fails nor succeeds.',
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

/** A message has at most this many characters, as those of checks. */
const MOST_CHARACTERS = 200;

/** The message of a finding, without what changes while the cause stays: times, counts, names of Pods. */
export function failureMessage({ container, probe, cause, described }: Failure): string {
  const asks = described === undefined ? '' : ` (${described.asks})`;
  const text = `container "${container}": its ${probe}${asks} ${CAUSE_TEXTS[cause].problem}`;
  if (text.length <= MOST_CHARACTERS) return text;
  return cut(`container "${cut(container, MOST_NAMED)}": its ${probe} ${CAUSE_TEXTS[cause].problem}`, MOST_CHARACTERS);
}

const MOST_NAMED = 63;

/** The change to make, and its place. A probe that a policy injects is repaired in the policy. */
export function failureRemedy({ cause, described }: Failure): string {
  const { remedy } = CAUSE_TEXTS[cause];
  const source = described?.injectedBy;
  return source === undefined || source === 'safety'
    ? remedy
    : `${remedy} ${cut(source, MOST_SOURCE)} injects the probe.`;
}

const MOST_SOURCE = 120;
