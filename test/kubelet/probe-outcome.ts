import { objectMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { handlerKindsOf } from '../../src/engine/probe/probe.ts';
import { probeTiming } from '../../src/engine/time/timing.ts';
import type { Answer, ProbeType } from './truth.ts';

/**
 * What the kubelet makes of an answer (pkg/kubelet/prober/prober.go). `warning` counts as success. `error` and
 * `failed-error` are thrown away, after three tries.
 */
export interface Outcome {
  readonly result: 'success' | 'warning' | 'failure' | 'error' | 'failed-error';
  readonly seconds: number;
  /** The text behind "probe failed: " and the like. */
  readonly text: string;
}

/** Errors are tried so often, one right after the other. */
const TRIES = 3;

export const POD_IP = '10.244.1.7';

/**
 * The outcome of one probe that gets this answer, with the text that kubelet 1.36 writes for it.
 *
 * @param now in milliseconds; each try of a command has an id of its own
 */
export function outcomeOf(answer: Answer, probe: JsonObject, container: JsonObject, now = 0): Outcome {
  const port = portOf(probe, container);
  if (typeof port === 'string')
    return { result: 'error', seconds: 0, text: `strconv.Atoi: parsing "${port}": invalid syntax` };
  const timeout = probeTiming(probe).timeoutSeconds;
  if (answer.kind === 'ok') {
    const seconds = answer.seconds ?? 0.005;
    if (seconds < timeout) return { result: 'success', seconds, text: '' };
    return outcomeOf({ kind: 'hang' }, probe, container, now);
  }
  switch (handlerKindsOf(probe)[0]) {
    case 'exec':
      return execOutcome(answer, commandOf(probe), timeout, now);
    case 'grpc':
      return grpcOutcome(answer, port ?? 0, timeout);
    case 'tcpSocket':
      return tcpOutcome(answer, port ?? 0, timeout);
    default:
      return httpOutcome(answer, urlOf(probe, port ?? 0), port ?? 0, timeout);
  }
}

/** The kubelet's event of an outcome that is no plain success (prober.go, probe). */
export function probeEvent(type: ProbeType, { result, text }: Outcome): { reason: string; message: string } {
  const name = `${type.charAt(0).toUpperCase()}${type.slice(1)} probe`;
  if (result === 'warning') return { reason: 'ProbeWarning', message: `${name} warning: ${text}` };
  const state = { error: 'unknown', 'failed-error': 'failure' }[result as string];
  const message =
    state === undefined ? `${name} failed: ${text}` : `${name} errored and resulted in ${state} state: ${text}`;
  return { reason: 'Unhealthy', message };
}

function failure(text: string, seconds = 0.002): Outcome {
  return { result: 'failure', seconds, text };
}

/** pkg/probe/http/http.go; the error texts are those of Go's net/http and crypto/tls. */
function httpOutcome(answer: Answer, url: string, port: number, timeout: number): Outcome {
  const get = (text: string): string => `Get "${url}": ${text}`;
  switch (answer.kind) {
    case 'status':
      if (answer.status >= 200 && answer.status < 400) return { result: 'success', seconds: 0.005, text: '' };
      return failure(`HTTP probe failed with statuscode: ${answer.status}`, 0.005);
    case 'redirected-away':
      return { result: 'warning', seconds: 0.005, text: 'Probe terminated redirects, Response body: ' };
    case 'body-hangs': {
      const text = 'context deadline exceeded (Client.Timeout or context cancellation while reading body)';
      return { result: 'failed-error', seconds: TRIES * timeout, text };
    }
    case 'closed':
      return failure(get('EOF'));
    case 'reset':
      return failure(get(`read tcp 10.244.1.1:40000->${POD_IP}:${port}: read: connection reset by peer`));
    case 'hang':
      return failure(get('context deadline exceeded (Client.Timeout exceeded while awaiting headers)'), timeout);
    case 'http-to-https':
      // The application serves plain HTTP, the probe speaks TLS.
      return failure(get('http: server gave HTTP response to HTTPS client'));
    case 'https-to-http':
      // Go's own servers answer 400; others answer with a TLS alert.
      return failure(
        get('net/http: HTTP/1.x transport connection broken: malformed HTTP response "\\x15\\x03\\x01\\x00\\x02\\x02"'),
      );
    default:
      return failure(get(`dial tcp ${POD_IP}:${port}: connect: connection refused`));
  }
}

/** pkg/probe/tcp/tcp.go */
function tcpOutcome(answer: Answer, port: number, timeout: number): Outcome {
  if (answer.kind === 'hang') return failure(`dial tcp ${POD_IP}:${port}: i/o timeout`, timeout);
  if (answer.kind === 'refused' || answer.kind === 'gone')
    return failure(`dial tcp ${POD_IP}:${port}: connect: connection refused`);
  return { result: 'success', seconds: 0.002, text: '' };
}

/** pkg/probe/grpc/grpc.go: a refused connection is tried again until the timeout. */
function grpcOutcome(answer: Answer, port: number, timeout: number): Outcome {
  if (answer.kind === 'gone' || answer.kind === 'closed') {
    const text = 'rpc error: code = Unavailable desc = error reading from server: EOF';
    return failure(`error: health rpc probe failed: ${text}`);
  }
  if (answer.kind === 'not-serving') return failure('service unhealthy (responded with "NOT_SERVING")');
  if (answer.kind === 'status') {
    return failure(
      'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service grpc.health.v1.Health',
    );
  }
  if (answer.kind === 'hang') return failure(`timeout: health rpc did not complete within ${timeout}s`, timeout);
  return failure(
    `timeout: failed to connect service "${POD_IP}:${port}" within ${timeout}s: context deadline exceeded`,
    timeout,
  );
}

/** pkg/probe/exec/exec.go; the runtime's text is containerd's with runc. */
function execOutcome(answer: Answer, command: string, timeout: number, now: number): Outcome {
  switch (answer.kind) {
    case 'exit':
      return answer.code === 0 ? { result: 'success', seconds: 0.05, text: '' } : failure(answer.output, 0.05);
    case 'hang':
      return failure(`command timed out: "${command}" timed out after ${timeout}s`, timeout);
    case 'gone':
      return {
        result: 'error',
        seconds: 0.01,
        text: 'rpc error: code = Unknown desc = container is in CONTAINER_EXITED state',
      };
    case 'command-missing':
      return {
        result: 'error',
        seconds: 0.05,
        text:
          'rpc error: code = Unknown desc = failed to exec in container: failed to start exec ' +
          `"${Math.floor(now).toString(16).padStart(64, '0')}": OCI runtime exec failed: exec failed: unable to start container process: exec: "${command.split(' ')[0] ?? ''}": executable file not found in $PATH: unknown`,
      };
    default:
      return failure('', 0.05);
  }
}

function commandOf(probe: JsonObject): string {
  const command = objectMember(probe, 'exec')?.['command'];
  return Array.isArray(command) ? command.join(' ') : '';
}

function urlOf(probe: JsonObject, port: number): string {
  const httpGet = objectMember(probe, 'httpGet') ?? {};
  const scheme = httpGet['scheme'] === 'HTTPS' ? 'https' : 'http';
  const path = typeof httpGet['path'] === 'string' ? httpGet['path'] : '/';
  return `${scheme}://${POD_IP}:${port}${path.startsWith('/') ? path : `/${path}`}`;
}

/** The port's number; its name when the container declares no port of this name; undefined for exec. */
function portOf(probe: JsonObject, container: JsonObject): number | string | undefined {
  const kind = handlerKindsOf(probe)[0];
  if (kind === undefined || kind === 'exec') return undefined;
  const port = objectMember(probe, kind)?.['port'];
  if (typeof port !== 'string') return Number(port);
  const ports = container['ports'];
  const declared = (Array.isArray(ports) ? (ports as JsonObject[]) : []).find(({ name }) => name === port);
  return declared === undefined ? port : Number(declared['containerPort']);
}
