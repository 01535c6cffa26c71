import { describe, expect, it } from 'vitest';
import { sizeProblem } from '../../../src/engine/workload/size-limits.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** What is said of templates. */
const problemOf = (...templates: readonly JsonObject[]): string | undefined =>
  sizeProblem(templates.map((template) => ({ template, path: [] })));
const many = (length: number): JsonObject[] => Array.from({ length }, () => ({}));
const members = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, '']));

describe('an object', () => {
  it('has at most 100 Pod templates', () => {
    expect(problemOf(...many(100))).toBeUndefined();
    expect(problemOf(...many(101))).toBe('the object has 101 Pod templates: more than 100 are not looked at');
  });

  it('has at most 300 containers, of all lists and templates together', () => {
    const spec = { containers: many(100), initContainers: many(50), ephemeralContainers: many(50) };
    expect(problemOf({ spec }, { spec: { containers: many(100) } })).toBeUndefined();
    expect(problemOf({ spec }, { spec: { initContainers: many(101) } })).toBe(
      'the object has 301 containers: more than 300 are not looked at',
    );
  });

  it('may have no lists where lists should be', () =>
    expect(problemOf({ spec: { containers: { length: 1000 } } }, { spec: null }, {})).toBeUndefined());
});

describe('the elements of an object are at most 5,000:', () => {
  const container = (more: JsonObject): JsonObject => ({ spec: { containers: [more] } });
  const list = (count: number): string[] => Array.from({ length: count }, () => '');

  it.each<[what: string, counted: number, template: (count: number) => JsonObject]>([
    ['annotations', 0, (count) => ({ metadata: { annotations: members(count) } })],
    ['ports', 0, (count) => container({ ports: list(count) })],
    ['restart rules', 0, (count) => container({ restartPolicyRules: list(count) })],
    ['words of a command', 0, (count) => container({ command: list(count) })],
    ['arguments', 0, (count) => container({ args: list(count) })],
    ['variables', 0, (count) => container({ env: list(count) })],
    ['members of a probe', 0, (count) => container({ livenessProbe: members(count) })],
    // The handler is a member of the probe, and the list is a member of the handler.
    ['members of a handler', 1, (count) => container({ startupProbe: { tcpSocket: members(count) } })],
    ['headers of a probe', 2, (count) => container({ readinessProbe: { httpGet: { httpHeaders: list(count) } } })],
    ['words of a probe', 2, (count) => container({ livenessProbe: { exec: { command: list(count) } } })],
    // Hooks have no members beside their handlers.
    [
      'words of a hook at the start',
      1,
      (count) => container({ lifecycle: { postStart: { exec: { command: list(count) } } } }),
    ],
    [
      'headers of a hook at the end',
      1,
      (count) => container({ lifecycle: { preStop: { httpGet: { httpHeaders: list(count) } } } }),
    ],
  ])('%s', (_what, counted, template) => {
    expect(problemOf(template(5000 - counted))).toBeUndefined();
    expect(problemOf(template(5001 - counted))).toBe(
      'the object has 5001 annotations, ports, restart rules, members of probes, headers, environment variables, ' +
        'arguments and words of commands: more than 5000 are not looked at',
    );
  });

  it('of all containers and templates together', () => {
    const templates = (last: number): JsonObject[] => [
      { metadata: { annotations: members(2000) }, spec: { containers: [{ args: list(1000) }, { env: list(1000) }] } },
      { spec: { initContainers: [null as never, { ports: list(last) }] } },
    ];
    expect(problemOf(...templates(1000))).toBeUndefined();
    expect(problemOf(...templates(1001))).toContain('has 5001 ');
  });
});
