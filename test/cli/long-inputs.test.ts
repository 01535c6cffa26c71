import { describe, expect, it } from 'vitest';
import { runProbewright } from './run-probewright.ts';
import { resolvePlainScalar } from '../../src/yaml/reading/scalars.ts';

const manifest = (container: string, label = 'a'): string => `apiVersion: v1
kind: Pod
metadata: { name: web, labels: { app: ${label} } }
spec:
  containers:
    - name: app
      image: example.test/app:1
      ports: [{ name: http, containerPort: 8080 }]
      livenessProbe: { httpGet: { path: /live, port: http } }
      ${container}
`;
const args = (count: number, ...words: string[]): string =>
  manifest(`args: [${Array<string>(count).fill(words.join(', ')).join(', ')}]`);
const script = (text: string): string =>
  manifest(`readinessProbe: { exec: { command: [sh, -c, ${JSON.stringify(text)}] } }`);

/** Shorter times are too short to compare. */
const FLOOR_MILLISECONDS = 20;
const RUNS = 4;

/** Processor time of `check` for a manifest. */
async function milliseconds(text: string): Promise<number> {
  const before = process.threadCpuUsage();
  const { code } = await runProbewright(['check', '-'], { stdin: text });
  const { user, system } = process.threadCpuUsage(before);
  expect(code).toBeLessThan(2);
  return (user + system) / 1000;
}

describe('a long input', () =>
  it.each([
    ['60,000 dashes', args(1, '-'.repeat(60_000)), args(1, 'x'.repeat(60_000))],
    ['20,000 flags --host', args(20_000, '--host', '127.0.0.1'), args(20_000, 'x', 'x')],
    ['40,000 A in $(...)', script(`$(${'A'.repeat(40_000)}!)`), script('x'.repeat(40_003))],
    ['300,000 zeros', manifest('', `${'0'.repeat(300_000)}x`), manifest('', 'x'.repeat(300_001))],
    ['300,000 zeros in hexadecimal', manifest('', `0x${'0'.repeat(300_000)}g`), manifest('', 'x'.repeat(300_003))],
  ])('takes check less than twice its time for x: %s', async (_, long, plain) => {
    let [least, limit] = [Infinity, 0];
    for (let run = 0; run < RUNS && least >= limit; run++) {
      limit = Math.max(limit, 2 * Math.max(FLOOR_MILLISECONDS, await milliseconds(plain)));
      least = Math.min(least, await milliseconds(long));
    }
    expect(least).toBeLessThan(limit);
  }));

describe('an integer with leading zeros', () =>
  it.each([
    ['0'.repeat(300_000), 0],
    [`-${'0'.repeat(100)}`, 0],
    [`${'0'.repeat(100)}17`, 15],
    [`0o${'0'.repeat(100)}17`, 15],
    [`+0x${'0'.repeat(100)}fF`, 255],
    [`-0b${'0'.repeat(100)}101`, -5],
    ['0x0', 0],
    ['0b2', '0b2'],
  ])('has its value', (text, value) => expect(resolvePlainScalar(text)).toBe(value)));
