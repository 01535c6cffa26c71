import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { findings, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'listen-address';
const LIVENESS = { httpGet: { path: '/livez', port: 'http' } };
const started = (args: unknown, container: JsonObject = {}, spec: JsonObject = {}): JsonObject =>
  podWith({ args, livenessProbe: LIVENESS, ...container }, spec);

describe('listen-address', () => {
  it('names the flag that binds the port to loopback, without an edit', () =>
    expect(onlyFinding(ID, started(['serve', '--metrics-addr=127.0.0.1:8080']))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].args[1]',
      message:
        `container "app" listens on "127.0.0.1:8080" only, and the livenessProbe asks the Pod's IP: ` +
        'the connection is refused',
      remedy: 'write "0.0.0.0:8080" for --metrics-addr',
    }));

  it.each(cases('listen-address', 'finds loopback in') as [string[]][])('finds loopback in %j', (args) => {
    expect(findings(ID, started(args))).toHaveLength(1);
    expect(findings(ID, podWith({ command: ['server', ...args], livenessProbe: LIVENESS }))).toHaveLength(1);
  });

  it('reads a script, and names its element', () => {
    const command = ['sh', '-c', 'exec server --bind 127.0.0.1:8080'];
    expect(onlyFinding(ID, podWith({ command, livenessProbe: LIVENESS })).path).toBe('spec.containers[0].command[2]');
  });

  it.each(cases('listen-address', 'accepted') as [JsonObject | string | unknown[]][])('accepts %j', (args) =>
    expect(findings(ID, started(args))).toEqual([]),
  );

  it('accepts a probe with a host, and reports a probe without one also with hostNetwork', () => {
    const args = ['--bind-address=127.0.0.1:8080'];
    const local = { livenessProbe: { httpGet: { path: '/livez', port: 8080, host: '127.0.0.1' } } };
    expect(findings(ID, started(args, local, { hostNetwork: true }))).toEqual([]);
    expect(findings(ID, started(args, {}, { hostNetwork: true }))).toHaveLength(1);
  });

  it.each([[{ tcpSocket: { port: 8080 } }], [{ grpc: { port: 8080 } }], [{ httpGet: { port: 8080 } }]])(
    'reads the port of %j',
    (livenessProbe) => expect(findings(ID, started(['--addr=localhost:8080'], { livenessProbe }))).toHaveLength(1),
  );

  it('does not read exec probes and undeclared names', () => {
    const args = ['--addr=localhost:8080'];
    expect(findings(ID, started(args, { livenessProbe: { exec: { command: ['a'] } } }))).toEqual([]);
    expect(findings(ID, started(args, { livenessProbe: { httpGet: { port: 'htpp' } } }))).toEqual([]);
  });

  describe('with a flag for health probes', () => {
    const args = ['--health-probe-bind-address=:8081'];
    const ports = [
      { name: 'http', containerPort: 8080 },
      { name: 'health', containerPort: 8081 },
    ];
    const livenessProbe = { httpGet: { path: '/healthz', port: 8082 } };

    it('names both ports, and edits the probe when the port is declared', () =>
      expect(onlyFinding(ID, started(args, { ports, livenessProbe }))).toEqual({
        probe: 'livenessProbe',
        path: 'spec.containers[0].livenessProbe.httpGet.port',
        message: 'container "app" answers health probes on port 8081 (args[0]), and its livenessProbe asks port 8082',
        remedy: 'write port: 8081, or change --health-probe-bind-address',
        edits: [{ path: ['spec', 'containers', 0, 'livenessProbe', 'httpGet', 'port'], value: 8081 }],
      }));

    it.each([
      ['the port is not declared', args, [{ name: 'http', containerPort: 8080 }]],
      ['the port speaks another protocol', args, [{ name: 'health-https', containerPort: 8081 }]],
      ['the port is bound to loopback', ['--health-addr=127.0.0.1:8081'], ports],
    ])('has no edit when %s', (_, flags, declared) =>
      expect(onlyFinding(ID, started(flags, { ports: declared, livenessProbe })).edits).toBeUndefined(),
    );

    it.each(cases('listen-address', 'accepts') as [string, string[], JsonObject][])(
      'accepts %s',
      (_, [address = '', ...others], container) => {
        const flags = [`--health-probe-bind-address=${address}`, ...others];
        expect(findings(ID, started(flags, { ports, livenessProbe, ...container }))).toEqual([]);
      },
    );

    it('accepts a declared port when another probe asks the port of the flag', () => {
      const readinessProbe = { httpGet: { path: '/readyz', port: 'health' } };
      expect(findings(ID, started(args, { ports, readinessProbe }))).toEqual([]);
      expect(findings(ID, started(args, { ports, livenessProbe, readinessProbe }))).toHaveLength(1);
    });
  });

  it('reads a thousand arguments, and nothing of a longer list: a later flag may replace an earlier one', () => {
    const args = Array.from({ length: 999 }, (_, index) => `--listen${index}=127.0.0.1:9090`);
    expect(findings(ID, started([...args, '--addr=127.0.0.1:8080']))).toHaveLength(1);
    expect(findings(ID, started(['--addr=127.0.0.1:8080', ...args, '--verbose']))).toEqual([]);
  });
});
