import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { FailureCause } from '../../../src/observer/failing/causes.ts';
import type { Answer } from '../../kubelet/truth.ts';

/** A plain probe. */
export const http = { httpGet: { path: '/healthz', port: 8080 } };
const https = { httpGet: { path: '/healthz', port: 8443, scheme: 'HTTPS' } };
const grpc = { grpc: { port: 50051 } };
const tcp = { tcpSocket: { port: 5432 } };
const command = { exec: { command: ['curl', '-f', 'localhost'] } };
const status = (code: number): Answer => ({ kind: 'status', status: code });

/** What a probe gets, and the true cause. `isVoid`: the kubelet throws the result away, so that nothing is killed. */
export const TROUBLES: readonly { probe: JsonObject; answer: Answer; cause: FailureCause; isVoid?: true }[] = [
  { probe: http, answer: status(400), cause: 'http-400' },
  { probe: http, answer: status(401), cause: 'http-401' },
  { probe: http, answer: status(403), cause: 'http-403' },
  { probe: http, answer: status(404), cause: 'http-404' },
  { probe: http, answer: status(410), cause: 'http-4xx' },
  { probe: http, answer: status(503), cause: 'http-5xx' },
  { probe: http, answer: { kind: 'refused' }, cause: 'connection-refused' },
  { probe: tcp, answer: { kind: 'refused' }, cause: 'connection-refused' },
  { probe: grpc, answer: { kind: 'refused' }, cause: 'connection-refused' },
  { probe: http, answer: { kind: 'hang' }, cause: 'timeout' },
  { probe: tcp, answer: { kind: 'hang' }, cause: 'connection-timeout' },
  { probe: grpc, answer: { kind: 'hang' }, cause: 'timeout' },
  { probe: command, answer: { kind: 'hang' }, cause: 'timeout' },
  { probe: https, answer: { kind: 'http-to-https' }, cause: 'tls-mismatch' },
  { probe: http, answer: { kind: 'https-to-http' }, cause: 'tls-mismatch' },
  { probe: command, answer: { kind: 'command-missing' }, cause: 'executable-not-found', isVoid: true },
  { probe: command, answer: { kind: 'exit', code: 22, output: 'curl: (22) 503' }, cause: 'command-failed' },
  {
    probe: command,
    answer: { kind: 'exit', code: 1, output: "cat: can't open '/r': No such file or directory\n" },
    cause: 'command-failed',
  },
  {
    probe: command,
    answer: { kind: 'exit', code: 127, output: 'sh: 1: curl: not found\n' },
    cause: 'executable-not-found',
  },
  { probe: grpc, answer: { kind: 'not-serving' }, cause: 'grpc-unhealthy' },
  { probe: grpc, answer: status(501), cause: 'grpc-unimplemented' },
];
