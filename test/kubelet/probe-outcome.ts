import { objectMember } from '../../src/json/json-value.ts';
import { handlerKindsOf } from '../../src/probes/probe.ts';
import { probeTiming } from '../../src/probes/timing.ts';
import type { JsonObject } from '../../src/json/json-value.ts';
import type { Answer, ProbeType } from './truth.ts';

/** What the kubelet makes of an answer. `error`: the result is thrown away (pkg/kubelet/prober/prober.go). */
export interface Outcome {
  readonly result: 'success' | 'failure' | 'error';
  readonly seconds: number;
  /** The text behind "probe failed: " or "probe errored and resulted in unknown state: ". */
  readonly text: string;
}

export const POD_IP = '10.244.1.7';

/** The outcome of one probe that gets this answer, with the text that kubelet 1.36 writes for it. */
export function outcomeOf(answer: Answer, probe: JsonObject, container: JsonObject): Outcome {
  const port = portOf(probe, container);
  if (typeof port === 'string') {
    return { result: 'error', seconds: 0, text: `strconv.Atoi: parsing "${port}": invalid syntax` };
  }
  const timeout = probeTiming(probe).timeoutSeconds;
  if (answer.kind === 'ok') {
    const seconds = answer.seconds ?? 0.005;
    if (seconds < timeout) return { result: 'success', seconds, text: '' };
    return outcomeOf({ kind: 'hang' }, probe, container);
  }
  switch (handlerKindsOf(probe)[0]) {
    case 'exec':
      return execOutcome(answer, commandOf(probe), timeout);
    case 'grpc':
      return grpcOutcome(answer, port ?? 0, timeout);
    case 'tcpSocket':
      return tcpOutcome(answer, port ?? 0, timeout);
    default:
      return httpOutcome(answer, urlOf(probe, port ?? 0), port ?? 0, timeout);
  }
}

/** The kubelet's event text of an outcome that is no success (prober.go, probe). */
export function unhealthyMessage(type: ProbeType, { result, text }: Outcome): string {
  const name = `${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  return result === 'error'
    ? `${name} probe errored and resulted in unknown state: ${text}`
    : `${name} probe failed: ${text}`;
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
  if (answer.kind === 'refused') return failure(`dial tcp ${POD_IP}:${port}: connect: connection refused`);
  return { result: 'success', seconds: 0.002, text: '' };
}

/** pkg/probe/grpc/grpc.go: a refused connection is tried again until the timeout. */
function grpcOutcome(answer: Answer, port: number, timeout: number): Outcome {
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
function execOutcome(answer: Answer, command: string, timeout: number): Outcome {
  switch (answer.kind) {
    case 'exit':
      return answer.code === 0 ? { result: 'success', seconds: 0.05, text: '' } : failure(answer.output, 0.05);
    case 'hang':
      return failure(`command timed out: "${command}" timed out after ${timeout}s`, timeout);
    case 'command-missing':
      return {
        result: 'error',
        seconds: 0.05,
        text:
          'rpc error: code = Unknown desc = failed to exec in container: failed to start exec "b3c2": OCI runtime exec failed: ' +
          `exec failed: unable to start container process: exec: "${command.split(' ')[0] ?? ''}": executable file not found in $PATH: unknown`,
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
