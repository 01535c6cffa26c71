/** The texts of a finding about a cause. */
export interface CauseText {
  /** Follows `container "app": its readinessProbe (httpGet /healthz on port http) `, or `container "app" `. */
  readonly problem: string;
  readonly remedy: string;
}

const NO_AUTHENTICATION = 'Exempt the path from authentication, or probe a path that needs none.';
const MORE_TIME =
  'Set (failureThreshold - 1) x periodSeconds of startupProbe above the longest start, or make the start faster. ' +
  'If the container never listens there, correct the port.';

/** One entry for each cause: docs/observer.md lists the same causes. */
export const CAUSE_TEXTS = {
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
    remedy:
      'Read the log of the container. Where the endpoint asks another service, readiness may fail for it, and liveness must not.',
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
    remedy:
      'Read the events of the Pod with kubectl describe pod. Where they are gone, ask its probes with probewright try.',
  },
  'killed-while-starting': { problem: 'stops the container before the container has started', remedy: MORE_TIME },
  'killed-while-serving': {
    problem: 'stops the container while the container serves',
    remedy: 'Find out why the endpoint stops answering. If it is only slow, set a larger timeoutSeconds.',
  },
  'crash-loop': {
    problem: 'ends again and again',
    remedy: 'Read the log of its last run with kubectl logs --previous. The exit code tells how the run ended.',
  },
  'out-of-memory': {
    problem: 'ends again and again, because it uses more memory than its limit',
    remedy: 'Set a larger memory limit, or let the application use less memory.',
  },
  'cannot-start': {
    problem: 'does not start',
    remedy: 'Read the events of the Pod with kubectl describe pod. Correct the image, or what the container refers to.',
  },
} as const satisfies Readonly<Record<string, CauseText>>;

export type FailureCause = keyof typeof CAUSE_TEXTS;
export type KillCause = 'killed-while-starting' | 'killed-while-serving';
/** What the status of a container tells without any probe. */
const CONTAINER_CAUSES = ['crash-loop', 'out-of-memory', 'cannot-start'] as const;
export type ContainerCause = (typeof CONTAINER_CAUSES)[number];
/** The result that a failing probe got, as far as the kubelet's text shows it. */
export type AnswerCause = Exclude<FailureCause, KillCause | ContainerCause>;

/** Answers of no slow start: reported at once. A kill that follows them is their effect, and is not reported. */
const DEFINITE: ReadonlySet<string> = new Set<AnswerCause>([
  'http-400',
  'http-401',
  'http-403',
  'http-404',
  'http-3xx',
  'http-4xx',
  'redirect-other-host',
  'tls-mismatch',
  'tls-handshake',
  'other-protocol',
  'executable-not-found',
  'grpc-unimplemented',
  'port-name-undeclared',
]);

export function isDefinite(cause: string): boolean {
  return DEFINITE.has(cause);
}

export function isContainerCause(cause: string): boolean {
  return CONTAINER_CAUSES.some((one) => one === cause);
}
