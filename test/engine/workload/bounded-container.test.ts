import { describe, expect, it } from 'vitest';
import { boundedMembersOf, holdsCut, isCut } from '../../../src/engine/workload/bounded-container.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const LONG = 'x'.repeat(5000);

/** The texts of one container at every place that is bounded. */
function textsEverywhere(text: string): JsonObject {
  const httpGet = { path: text, host: text, port: text, httpHeaders: [{ name: text, value: text }] };
  const exec = { command: ['sh', '-c', text] };
  return {
    name: 'app',
    image: text,
    command: [text],
    args: ['--flag', text],
    env: [{ name: text, value: text }],
    livenessProbe: { httpGet },
    readinessProbe: { exec },
    startupProbe: { grpc: { port: 1, service: text } },
    lifecycle: { postStart: { exec }, preStop: { httpGet } },
  };
}

describe('the bounded view of a container', () => {
  it('is the container itself when nothing is too long', () => {
    const container = textsEverywhere('x'.repeat(4096));
    expect(boundedMembersOf(container)).toBe(container);
    const lists = { args: Array(1000).fill('a'), env: Array(1000).fill({ name: 'A' }) };
    expect(boundedMembersOf(lists)).toBe(lists);
  });

  it('has 4,096 characters of each text, with a mark, and leaves image and port whole', () => {
    const container = textsEverywhere(LONG);
    const before = structuredClone(container);
    const bounded = boundedMembersOf(container);
    expect(container).toEqual(before);
    const cut = `${'x'.repeat(4096)}\uD800`;
    const httpGet = { path: cut, host: cut, port: LONG, httpHeaders: [{ name: cut, value: cut }] };
    const exec = { command: ['sh', '-c', cut] };
    expect(bounded).toEqual({
      name: 'app',
      image: LONG,
      command: [cut],
      args: ['--flag', cut],
      env: [{ name: cut, value: cut }],
      livenessProbe: { httpGet },
      readinessProbe: { exec },
      startupProbe: { grpc: { port: 1, service: cut } },
      lifecycle: { postStart: { exec }, preStop: { httpGet } },
    });
    expect(isCut(cut)).toBe(true);
    expect(isCut(LONG)).toBe(false);
  });

  it('has 1,000 entries of each list, and a last one that says that others are missing', () => {
    const args = Array.from({ length: 1001 }, (_, index) => `--a${index}`);
    const env = args.map((name) => ({ name }));
    const bounded = boundedMembersOf({ args, env });
    expect(bounded['args']).toEqual([...args.slice(0, 1000), '\uD800']);
    expect(bounded['env']).toEqual([...env.slice(0, 1000), { name: '\uD800', value: '\uD800' }]);
    expect(holdsCut(bounded['args'])).toBe(true);
    expect(holdsCut(bounded['env'])).toBe(true);
  });

  it('halves no character', () => {
    const bounded = boundedMembersOf({ args: [`${'x'.repeat(4095)}😀${LONG}`] });
    expect(bounded['args']).toEqual([`${'x'.repeat(4095)}\uD800`]);
  });

  it.each([7, null, 'text', [7, null, ['x'.repeat(5000)]], { exec: 7 }, { httpGet: { httpHeaders: {} } }])(
    'leaves the malformed value %j as it is',
    (value) => {
      const container = { command: value, args: value, env: value, livenessProbe: value, lifecycle: value };
      expect(boundedMembersOf(container)).toBe(container);
    },
  );
});
