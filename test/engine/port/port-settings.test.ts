import { expect, it } from 'vitest';
import { portsBySettings } from '../../../src/engine/port/port-settings.ts';
import { containerWith } from './container-with.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const told = (members: JsonObject): readonly string[] =>
  [...containerWith(members).once(portsBySettings)].map(
    ([port, { meaning, sign }]) => `${port} ${meaning.protocol} ${sign}`,
  );

it('a setting tells what its port is for by the words of its name', () => {
  expect(told({ args: ['--grpc-port=1', '--metricsAddr', ':2', '--webhook-port=3'] })).toEqual([
    '1 gRPC --grpc-port',
    '2 metrics --metricsAddr',
    '3 a webhook --webhook-port',
  ]);
  expect(told({ env: [{ name: 'THRIFT_PORT', value: '4' }] })).toEqual(['4 Thrift THRIFT_PORT']);
});

it('a setting tells nothing by words of transport or HTTP, and where another one names the port', () => {
  expect(told({ args: ['--tcp-addr=:1', '--tls-port=2', '--http-port=3', '--port=4'] })).toEqual([]);
  expect(told({ args: ['--grpc-port=1', '--port=1'] })).toEqual([]);
});
