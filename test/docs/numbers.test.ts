import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { guaranteedStartSeconds, probeTiming, verdictSpan, type Span } from '../../src/engine/probe/timing.ts';
import { checkTexts } from '../support/check-texts.ts';

const page = readFileSync('docs/numbers.md', 'utf8');
const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
const probes = parse(example) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const spanOf = (name: string): Span => verdictSpan(probeTiming(probes[name] ?? {}));

it('the example of docs/numbers.md has no finding at any level', () => {
  const container = { name: 'app', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }], ...probes };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } },
    },
  };
  const { violations, problems } = checkTexts([{ file: 'web.yaml', text: stringify(deployment) }], []);
  expect([violations, problems]).toEqual([[], []]);
});

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
