import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withEdits } from '../../../src/base/json/field-path.ts';
import { appContainer, pod } from '../../support/worlds.ts';
import { findings } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/*
 * The cause of a finding must not outlive its advice. The edits are made, and what they mean is worked out here with
 * the kubelet's formulas, written a second time: a check that only no longer finds its own advice proves nothing.
 */

interface Numbers extends JsonObject {
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}

const DEFAULTS = { initialDelaySeconds: 0, periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 3 };
const numbersOf = (probe: unknown): Numbers => ({ ...DEFAULTS, ...(probe as JsonObject) });

const guaranteed = ({ initialDelaySeconds: D, periodSeconds: P, failureThreshold: F }: Numbers): number =>
  Math.max(0, D - 1) + (F - 1) * P;
const givenUp = ({ periodSeconds: P, timeoutSeconds: T, failureThreshold: F }: Numbers): number =>
  P + (F - 1) * Math.max(P, T) + T;

const anyNumbers = fc.record({
  initialDelaySeconds: fc.constantFrom(0, 5, 10, 60, 180),
  periodSeconds: fc.constantFrom(1, 5, 7, 10, 20, 30, 60, 320),
  timeoutSeconds: fc.constantFrom(1, 2, 3, 5, 10, 30),
  failureThreshold: fc.constantFrom(1, 3, 5, 10, 30),
});

/** The container after the edits of all findings of a check. Undefined if one has none. */
function edited(id: string, container: JsonObject, podSpec: JsonObject = {}): JsonObject | undefined {
  const object = pod([appContainer(container)], { spec: podSpec });
  const found = findings(id, object);
  const edits = found.flatMap((finding) => finding.edits ?? []);
  if (found.length === 0 || found.some((finding) => finding.edits === undefined)) return undefined;
  const after = withEdits(object, edits);
  expect(findings(id, after), JSON.stringify(edits)).toEqual([]);
  return ((after['spec'] as JsonObject)['containers'] as readonly JsonObject[])[0];
}

const check = <Values extends [unknown, ...unknown[]]>(
  holds: (...values: Values) => void,
  ...values: { [At in keyof Values]: fc.Arbitrary<Values[At]> }
): void => {
  fc.assert(
    fc.property(...values, (...given: unknown[]) => holds(...(given as Values))),
    { numRuns: 400 },
  );
};

describe('what advice means', () => {
  it('exec-cost: the command ends before the kubelet ends it, and no probe waits for the one before', () => {
    let tried = 0;
    check(
      (form: string, seconds: number, numbers: Numbers, kind: string) => {
        const command = form.split(' ').map((word) => word.replace('N', String(seconds)));
        const probe = { exec: { command }, ...numbers };
        const after = edited('exec-cost', { [kind]: probe });
        if (after === undefined) return;
        tried += 1;
        const now = numbersOf(after[kind]);
        const told = JSON.stringify([probe, now]);
        expect(now.timeoutSeconds, told).toBeGreaterThan(Math.max(1, seconds));
        if (now.timeoutSeconds !== numbers.timeoutSeconds)
          expect(now.periodSeconds, told).toBeGreaterThanOrEqual(now.timeoutSeconds);
        expect(now.failureThreshold, told).toBe(numbers.failureThreshold);
        if (kind === 'livenessProbe')
          expect(givenUp(now) + 30, told).toBeLessThanOrEqual(Math.max(120, 1.1 * (givenUp(numbers) + 30)));
      },
      fc.constantFrom('sleep N', 'timeout N /app/live', 'curl -f -m N localhost', 'wget -O- -T N localhost'),
      fc.constantFrom(0.5, 1, 2, 4.5, 5, 9, 20, 59, 60, 90),
      anyNumbers,
      fc.constantFrom('livenessProbe', 'readinessProbe', 'startupProbe'),
    );
    expect(tried).toBeGreaterThan(20);
  });

  it('startup-budget: a start may take as long as the author waits for readiness, and as long as before', () => {
    let tried = 0;
    check(
      (numbers: Numbers, delay: number) => {
        const livenessProbe = { httpGet: { path: '/live', port: 'http' }, ...numbers };
        const readinessProbe = { httpGet: { path: '/ready', port: 'http' }, initialDelaySeconds: delay };
        const after = edited('startup-budget', { livenessProbe, readinessProbe });
        if (after === undefined) return;
        tried += 1;
        const gate = numbersOf(after['startupProbe'] ?? after['livenessProbe']);
        const isLate = delay > numbers.initialDelaySeconds + givenUp(numbers);
        const needed = Math.max(guaranteed(numbers), isLate ? delay : 10);
        expect(guaranteed(gate), JSON.stringify([numbers, delay, gate])).toBeGreaterThanOrEqual(needed);
      },
      anyNumbers,
      fc.constantFrom(0, 15, 30, 60, 90, 180, 600, 3000),
    );
    expect(tried).toBeGreaterThan(20);
  });

  it('slow-detection: a wedged container is dead within 120 s, or as soon as probes and 30 s of grace allow', () => {
    let tried = 0;
    check(
      (numbers: Numbers, grace: number, hasPreStop: boolean) => {
        const livenessProbe = { httpGet: { path: '/live', port: 'http' }, ...numbers };
        const lifecycle = hasPreStop ? { lifecycle: { preStop: { exec: { command: ['/app/drain'] } } } } : {};
        const after = edited(
          'slow-detection',
          { livenessProbe, ...lifecycle },
          { terminationGracePeriodSeconds: grace },
        );
        if (after === undefined) return;
        tried += 1;
        const left = Number((after['livenessProbe'] as JsonObject)['terminationGracePeriodSeconds'] ?? grace);
        const probing = givenUp(numbersOf(after['livenessProbe']));
        const dead = probing + left + (hasPreStop ? 2 : 0);
        expect(dead, JSON.stringify([numbers, grace, left])).toBeLessThanOrEqual(Math.max(120, probing + 32));
        expect(dead).toBeLessThanOrEqual(600);
      },
      anyNumbers,
      fc.constantFrom(30, 300, 599, 600, 1800, 3600),
      fc.boolean(),
    );
    expect(tried).toBeGreaterThan(20);
  });

  it('https-scheme: the scheme is what the container says', () => {
    const readinessProbe = { httpGet: { path: '/ready', port: 9001 } };
    const ports = [{ name: 'http', containerPort: 9001 }];
    const schemeOf = (container: JsonObject | undefined): unknown =>
      ((container?.['readinessProbe'] as JsonObject)['httpGet'] as JsonObject)['scheme'];
    expect(schemeOf(edited('https-scheme', { ports, args: ['--tls-cert', '/tls.crt'], readinessProbe }))).toBe('HTTPS');
    const https = { httpGet: { ...readinessProbe.httpGet, scheme: 'HTTPS' } };
    expect(schemeOf(edited('https-scheme', { ports, readinessProbe: https }))).toBe('HTTP');
  });

  it('valid-probe: the API server accepts the port, and it is the one that was meant', () => {
    const ports = [
      { name: 'server-comm', containerPort: 8980 },
      { name: 'http', containerPort: 80 },
    ];
    for (const [handler, port, meant] of [
      ['httpGet', '8082', 8082],
      ['httpGet', '0.0.0.0:8091', 8091],
      ['tcpSocket', ':8091', 8091],
      ['grpc', 'server-comm', 8980],
      ['grpc', '8082', 8082],
    ] as const) {
      const object = pod([appContainer({ ports, livenessProbe: { [handler]: { port } } })]);
      for (const { edits } of findings('valid-probe', object)) {
        const after = withEdits(object, edits ?? []);
        expect(findings('valid-probe', after), port).toEqual([]);
        expect(JSON.stringify(after), port).toContain(`"${handler}":{"port":${meant}}`);
      }
    }
  });
});
