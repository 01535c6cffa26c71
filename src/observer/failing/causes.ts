import { observedStartup } from '../../engine/checks/observed-startup.ts';
import { CONTAINER_WAIT_TEXTS, POD_WAIT_TEXTS, type ContainerWaitCause, type PodWaitCause } from './wait-causes.ts';

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
  'rate-limit': {
    problem: 'is refused by a limit: HTTP status 429, or RESOURCE_EXHAUSTED of gRPC',
    remedy: 'Exempt the path of the probe from the limit, or set a larger periodSeconds.',
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
  'redirect-https': {
    problem: 'is redirected to https, and gets no answer there',
    remedy:
      'Set httpGet.scheme: HTTPS and the port that serves TLS, or exempt the path of the probe from the redirect.',
  },
  'mesh-plain': {
    problem: 'is refused by the proxy of the mesh, which takes no plain connection',
    remedy:
      'Remove the annotation sidecar.istio.io/rewriteAppHTTPProbers: "false", or use exec. A tcpSocket probe would ' +
      'ask the proxy, and pass whatever the application does.',
  },
  'connection-refused': {
    problem: 'gets no connection',
    remedy: 'Set the port to the one that the container listens on, and let the container listen on 0.0.0.0 or [::].',
  },
  unreachable: {
    problem: 'cannot reach the address',
    remedy: 'Remove host from the probe. If it has none, check the network of the node and the network policies.',
  },
  'connection-timeout': {
    problem: 'gets no answer to its connection: packets are dropped on the way',
    remedy:
      'Let the node reach the port: check network policies, firewalls and the node. A larger timeoutSeconds does not help.',
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
    remedy:
      'Set the port of an HTTP server. For a gRPC server use grpc, for any other server tcpSocket. ' +
      'A server that expects a PROXY header closes the connection, too: probe a port without the header.',
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
    problem: 'is told by the gRPC health service that the application does not serve now',
    remedy:
      'Read the log of the container: the application sets this state itself. Where it waits for another service, ' +
      'readiness may fail, and liveness must not.',
  },
  'grpc-service-unknown': {
    problem: 'asks the gRPC health service for a service that it does not know',
    remedy: 'Set grpc.service to a service that the health service knows, or remove it.',
  },
  'grpc-error': {
    problem: 'gets an error from the gRPC health service',
    remedy:
      'Read the code in the event. Unauthenticated and PermissionDenied ask for credentials, which a probe cannot send.',
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
  ...CONTAINER_WAIT_TEXTS,
  ...POD_WAIT_TEXTS,
} as const satisfies Readonly<Record<string, CauseText>>;

export type FailureCause = keyof typeof CAUSE_TEXTS;
export type KillCause = 'killed-while-starting' | 'killed-while-serving';
/** What the status of a container tells without any probe. */
type ContainerCause = 'crash-loop' | 'out-of-memory' | ContainerWaitCause;
/** The result that a failing probe got, as far as the kubelet's text shows it. */
export type AnswerCause = Exclude<FailureCause, KillCause | ContainerCause | PodWaitCause>;

/** Answers of no slow start: reported at once. A kill that follows them is their effect, and is not reported. */
const DEFINITE: ReadonlySet<string> = new Set<AnswerCause>([
  'http-400',
  'http-401',
  'http-403',
  'http-404',
  'http-3xx',
  'http-4xx',
  'redirect-other-host',
  'redirect-https',
  'mesh-plain',
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

/** What a plain connection gets from a proxy that wants mutual TLS, and a gRPC probe from a port without gRPC. */
export const MESH_REFUSALS: ReadonlySet<string> = new Set<AnswerCause | 'connection-lost'>([
  ...(['connection-lost', 'other-protocol', 'connection-refused', 'unclear'] as const),
]);

/** Answers of an application that runs. The kill of a liveness probe that gets nothing else is no slow start. */
export const STATUSES: ReadonlySet<string> = new Set<AnswerCause>([
  'http-5xx',
  'rate-limit',
  'grpc-unhealthy',
  'grpc-service-unknown',
  'grpc-error',
]);

type LiveCause = Readonly<{ cause?: string; probe?: string; container?: string }>;

/**
 * Findings without those about measured starts of containers whose endpoint gives a wrong answer now: more time would
 * not help.
 *
 * @param live the results about the live Pods of the workload
 */
export function withoutWrongStarts<Found extends Readonly<Record<'check' | 'container', string>>>(
  found: readonly Found[],
  live: readonly { readonly properties: LiveCause }[],
): readonly Found[] {
  // A redirect to another host counts as success.
  const late = new Set(live.map(({ properties: one }) => one.cause === 'killed-while-starting' && one.container));
  const isWrong = ({ cause = '', probe, container = '' }: LiveCause): boolean =>
    isDefinite(cause)
      ? cause !== 'redirect-other-host'
      : STATUSES.has(cause) && probe === 'livenessProbe' && !late.has(container);
  const wrong = new Set(live.map(({ properties }) => isWrong(properties) && properties.container));
  return found.filter(({ check, container }) => check !== observedStartup.id || !wrong.has(container));
}

/** What a cause is about. `undefined` for a text that is no cause. */
export function subjectOfCause(cause: string): 'probe' | 'container' | 'pod' | undefined {
  if (Object.hasOwn(POD_WAIT_TEXTS, cause)) return 'pod';
  if (cause === 'crash-loop' || cause === 'out-of-memory' || Object.hasOwn(CONTAINER_WAIT_TEXTS, cause))
    return 'container';
  return Object.hasOwn(CAUSE_TEXTS, cause) ? 'probe' : undefined;
}
