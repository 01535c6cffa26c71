import { expect, it } from 'vitest';
import { handlerText } from '../../../src/engine/probe/handler-text.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

it.each<[JsonObject, string]>([
  [{}, 'no handler'],
  [{ periodSeconds: 5 }, 'no handler'],
  [{ httpGet: { path: '/healthz', port: 'http' } }, 'httpGet /healthz on port http'],
  [{ httpGet: { path: '/healthz', port: 80, host: '127.0.0.1' } }, 'httpGet /healthz at 127.0.0.1 on port 80'],
  [{ httpGet: { port: 80 } }, 'httpGet on port 80'],
  [{ grpc: { port: 9000, service: 'shop' } }, 'grpc shop on port 9000'],
  [{ tcpSocket: { port: 5432 } }, 'tcpSocket on port 5432'],
  [{ tcpSocket: { port: { odd: 1 } } }, 'tcpSocket on port '],
  [{ exec: { command: ['pg_isready', '-q', 1] } }, 'exec pg_isready -q 1'],
  [{ exec: { command: 'pg_isready' } }, 'exec without a command'],
  [{ exec: { command: ['a'] }, tcpSocket: { port: 1 }, grpc: { port: 2 } }, 'exec a (and tcpSocket, grpc)'],
])('the question of %j is: %s', (probe, text) => expect(handlerText(probe)).toBe(text));
