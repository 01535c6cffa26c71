import { describe, expect, it } from 'vitest';
import { describePort, describePorts, findPort, isDeclared, portsOf } from '../../../src/engine/workload/ports.ts';

const port = (name: string | undefined, number: number, protocol = 'TCP') => ({ name, number, protocol });
const declared = [port('dns', 53, 'UDP'), port('http', 8080), port(undefined, 9090)];

describe('the ports of a container', () => {
  it('are those with a number, of TCP where nothing else is said', () => {
    const longest = 'x'.repeat(2048);
    const ports = [
      { containerPort: 80, name: 'http' },
      { containerPort: 53, protocol: 'UDP', name: '' },
      { containerPort: 1, protocol: '' },
      { containerPort: '81' },
      { name: 'none' },
      'port',
      null,
      { containerPort: 2, name: longest.repeat(40) },
    ];
    expect(portsOf({ ports })).toEqual([
      port('http', 80),
      port(undefined, 53, 'UDP'),
      port(undefined, 1),
      port(undefined, 2),
    ]);
    expect(portsOf({})).toEqual([]);
    expect(portsOf({ ports: 'x' })).toEqual([]);
  });

  it('are declared by number or name, for any protocol', () => {
    expect([53, 'dns', 8080, 'http', 9090].filter((wanted) => !isDeclared(declared, wanted))).toEqual([]);
    expect([80, 'DNS', '8080'].filter((wanted) => isDeclared(declared, wanted))).toEqual([]);
  });

  it('are what a probe means when they are of TCP', () => {
    expect(findPort(declared, 'http')).toBe(declared[1]);
    expect(findPort(declared, 9090)).toBe(declared[2]);
    expect(findPort(declared, 'dns')).toBeUndefined();
    expect(findPort(declared, 53)).toBeUndefined();
  });

  it('are told with name, number and protocol, and counted above twenty', () => {
    expect(declared.map(describePort)).toEqual(['dns (53)/UDP', 'http (8080)', '9090']);
    const many = (length: number) => Array.from({ length }, (_, index) => port(undefined, index + 1));
    expect(describePorts(many(20))).toHaveLength(20);
    expect(describePorts(many(22)).slice(19)).toEqual(['20', '2 more']);
  });
});
