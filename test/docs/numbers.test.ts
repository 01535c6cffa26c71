import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { guaranteedStartSeconds, probeTiming, verdictSpan, type Span } from '../../src/engine/time/timing.ts';
import { policyAdvice } from '../../src/engine/verdict/policy-advice.ts';
import { checkTexts } from '../support/check-texts.ts';
import { parsedPolicy, policyDocument } from '../support/worlds.ts';

const page = readFileSync('docs/numbers.md', 'utf8');
const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
const probes = parse(example) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const spanOf = (name: string): Span => verdictSpan(probeTiming(probes[name] ?? {}));

/** The findings of all levels about a Deployment with one container. */
function findingsOf(given: object, spec: object = {}): readonly string[] {
  const container = { name: 'app', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }], ...given };
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { ...spec, selector: { matchLabels: { app: 'web' } }, template },
  };
  const { violations, problems } = checkTexts([{ file: 'web.yaml', text: stringify(deployment) }], []);
  expect(problems).toEqual([]);
  return violations.map(({ check, message, remedy = '' }) => `${check}: ${message}; ${remedy}`);
}

const numbersOf = (pattern: RegExp): readonly number[] => (pattern.exec(page) ?? []).slice(1).map(Number);

it('the example of docs/numbers.md has no finding at any level', () => expect(findingsOf(probes)).toEqual([]));

it('the comments of the example are the sums', () => {
  const start = guaranteedStartSeconds(probeTiming(probes['startupProbe'] ?? {}));
  const [kill, unready] = ['livenessProbe', 'readinessProbe'].map(spanOf);
  const comments = [...example.matchAll(/failureThreshold: \d+ # (.*)$/gm)].map(([, comment]) => comment);
  expect(comments).toEqual([
    `guarantees 24 x 5 = ${start} s to start`,
    `kills a dead container after ${kill?.earliest} to ${kill?.latest} s`,
    `takes it out of its Services after ${unready?.earliest} to ${unready?.latest} s`,
  ]);
});

it('the table of start times has the guaranteed time of each row', () => {
  const rows = [...page.matchAll(/^\| [\d.]+ (?:s|min) +\| (\d+) +\| (\d+) +\| (\d+) s +\|$/gm)];
  expect(rows.length).toBeGreaterThan(3);
  for (const [, periodSeconds, failureThreshold, seconds] of rows) {
    const timing = probeTiming({ periodSeconds: Number(periodSeconds), failureThreshold: Number(failureThreshold) });
    expect(guaranteedStartSeconds(timing)).toBe(Number(seconds));
  }
});

it('no row of the table of start times has a finding that advises another number', () => {
  const rows = [...page.matchAll(/^\| [\d.]+ (?:s|min) +\| (\d+) +\| (\d+) +\| \d+ s +\|$/gm)];
  const [progressDeadlineSeconds] = numbersOf(/last row also needs `progressDeadlineSeconds: (\d+)`/);
  const found = rows.map(([, periodSeconds, failureThreshold], row) => {
    const numbers = { periodSeconds: Number(periodSeconds), failureThreshold: Number(failureThreshold) };
    const spec = row === rows.length - 1 ? { progressDeadlineSeconds } : {};
    return findingsOf({ ...probes, startupProbe: { ...probes['startupProbe'], ...numbers } }, spec);
  });
  expect(found).toEqual(rows.map(() => []));
});

it('the numbers for commands have no finding that advises another number', () => {
  const periods = numbersOf(/`periodSeconds: (\d+)` or more, and (\d+) or more for a JVM or Python/);
  const timeouts = numbersOf(/`timeoutSeconds` to (\d+) or more, and to (\d+) or more for a JVM or Python/);
  expect([periods.length, timeouts.length]).toEqual([2, 2]);
  const findingsOfCommand = (index: number, ...command: string[]): readonly string[] => {
    const numbers = { periodSeconds: periods[index], timeoutSeconds: timeouts[index] };
    const probe = { exec: { command }, ...numbers };
    const startupProbe = { ...probe, failureThreshold: 10 };
    const kinds = index === 0 ? ['livenessProbe', 'readinessProbe'] : ['livenessProbe'];
    return kinds.flatMap((kind) => findingsOf({ startupProbe, [kind]: probe }));
  };
  expect(findingsOfCommand(0, 'check')).toEqual([]);
  expect(findingsOfCommand(0, 'sh', '-c', 'check | grep -q up')).toEqual([]);
  expect(findingsOfCommand(1, 'java', '-jar', 'check.jar')).toEqual([]);
  expect(findingsOfCommand(1, 'python', 'check.py')).toEqual([]);
});

it('the numbers for policies and for liveness have no finding that advises another number', () => {
  const [startupSeconds] = numbersOf(/slowStart: \{ startupSeconds: (\d+) \}/);
  const [failureThreshold] = numbersOf(/Leave `failureThreshold` at (\d+) or more/);
  const spec = { slowStart: { startupSeconds }, probes: { livenessProbe: { failureThreshold } } };
  expect(policyAdvice(parsedPolicy(policyDocument(spec)))).toEqual([]);
  expect(findingsOf({ ...probes, livenessProbe: { ...probes['livenessProbe'], failureThreshold } })).toEqual([]);
});
