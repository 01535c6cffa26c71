import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_BYTES, reviewProblem, sizeProblem } from '../../../src/engine/workload/size-limits.ts';
import { parseBody } from '../../../src/webhook/review/body.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** What is said of templates. */
const problemOf = (...templates: readonly JsonObject[]): string | undefined =>
  sizeProblem(templates.map((template) => ({ template, path: [] })));
/** Why a body is not read whole. */
const unreadOf = (body: string): string | undefined => (parseBody(body) as { unread?: string }).unread;
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

describe('the review of a creation', () => {
  const bytes =
    'the request has more than 7 MiB, in which each "<", ">" and "&" takes six bytes, and is not looked at; make the object smaller';
  /** The braces and quotes around a text: `{"a":""}`. */
  const around = 8;

  it.each<[what: string, sign: string, length: number]>([
    ['a letter', 'a', 1],
    ['a quote', '"', 2],
    ['a line end', '\n', 2],
    ['a control character', '\u0001', 6],
    ['<', '<', 6],
    ['>', '>', 6],
    ['&', '&', 6],
    ['U+2028', '\u2028', 6],
    ['U+2029', '\u2029', 6],
    ['a letter of two bytes', 'é', 2],
    ['an emoji', '😀', 4],
  ])('has at most 7 MiB as Go writes them: %s', (_, sign, length) => {
    const most = Math.floor((MOST_BYTES - around) / length);
    expect(reviewProblem({ a: sign.repeat(most) })).toBeUndefined();
    expect(reviewProblem({ a: sign.repeat(most + 1) })).toBe(bytes);
  });

  it('may have the characters anywhere: in keys, in lists, in annotations', () => {
    const text = '<'.repeat(1_300_000);
    for (const object of [{ [text]: 1 }, { a: [text] }, { metadata: { annotations: { a: text } } }])
      expect(reviewProblem(object)).toBe(bytes);
  });

  it('is too long at once where aliases repeat a text', () => {
    const text = 'a'.repeat(1_000_000);
    expect(reviewProblem({ a: Array.from({ length: 100_000 }, () => text) })).toBe(bytes);
    expect(reviewProblem({ a: Array.from({ length: 20_000 }, () => ({ [text]: 1 })) })).toBe(bytes);
  });

  it('is bounded in members and levels as the webhook bounds the body', () => {
    const list = (length: number): JsonObject => ({ a: Array.from({ length }, () => 0) });
    const deep = (levels: number): JsonObject => {
      let object: JsonObject = {};
      for (let level = 1; level < levels; level += 1) object = { a: object };
      return object;
    };
    // The object of a review has two signs less for its list, and four more around it.
    expect(reviewProblem(list(299_998))).toBeUndefined();
    expect(reviewProblem(list(299_999))).toMatch('more than 300000 members');
    for (const levels of [498, 499, 20_000]) {
      const body = `{"request":{"uid":"u","object":${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels + 1)}`;
      expect(reviewProblem(deep(levels))).toBe(unreadOf(body));
    }
  });

  it('counts members by the signs that the webhook counts', () => {
    const filler = Array.from({ length: 299_900 }, () => 0);
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue()), (value) => {
        const object = { filler, value } as JsonObject;
        // Around the object: two braces, three colons and a comma.
        const tooLarge = unreadOf(`{"request":{"uid":"u","object":${JSON.stringify(object)}}}`);
        const [here, inBody] = [reviewProblem(object), tooLarge].map((problem) => problem !== undefined);
        if (here === true) expect(inBody).toBe(true);
        const wider = { filler: [...filler, 0, 0, 0, 0, 0, 0], value } as JsonObject;
        if (inBody === true) expect(reviewProblem(wider)).toBe(tooLarge);
      }),
      { numRuns: 5 },
    );
  });
});
