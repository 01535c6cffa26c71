import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { PROBE_KINDS } from '../../../src/engine/probe/probe.ts';
import { checkTexts } from '../../support/check-texts.ts';
import { runs } from '../../support/runs.ts';

const ports = [{ name: 'http', containerPort: 8080 }];
const probe = fc.record(
  {
    httpGet: fc.constantFrom({ path: '/live', port: 'http' }, { path: '/ready', port: 'web' }, { path: '/', port: 81 }),
    initialDelaySeconds: fc.constantFrom(5, 60, 600),
    periodSeconds: fc.constantFrom(1, 10, 120),
    timeoutSeconds: fc.constantFrom(1, 5, 200),
    failureThreshold: fc.constantFrom(1, 3, 40),
    terminationGracePeriodSeconds: fc.constantFrom(1, 900),
  },
  { requiredKeys: ['httpGet'] },
);
const command = fc.constantFrom(['true'], ['sh', '-c', 'sleep 3; check'], ['java', '-jar', 'x.jar']);
const probes = fc.record(
  Object.fromEntries(
    PROBE_KINDS.map((kind) => [
      kind,
      fc.oneof(
        probe,
        fc.record({ exec: command.map((words) => ({ command: words })), periodSeconds: fc.constantFrom(1, 10) }),
      ),
    ]),
  ),
  { requiredKeys: [] },
);
const container = fc.record({ name: fc.constant('app'), image: fc.constant('web:1'), ports: fc.constant(ports) });

/** A probe that is written now, or is said to be absent, may be named. */
const NEW = /(?:write|add|with|has no|without|needs)(?: an?| the)? (?:other )?$/;

it('no message and no remedy speaks of a probe that the container has not, unless it says to write one', () => {
  const check = fc.property(container, probes, fc.nat({ max: 2 }), (base, given, replicas) => {
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ ...base, ...given }] } };
    const spec = { replicas, selector: { matchLabels: { app: 'web' } }, template };
    const text = stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec });
    const wrong = checkTexts([{ file: 'web.yaml', text }], []).violations.flatMap(({ message, remedy = '' }) => {
      const told = `${message}; ${remedy}`;
      const absent = PROBE_KINDS.filter((kind) => given[kind] === undefined);
      // Whoever is told to write the probe may also be told about its numbers.
      return absent
        .filter((kind) => {
          const first = told.indexOf(kind);
          return first >= 0 && !NEW.test(told.slice(0, first));
        })
        .map((kind) => `${kind}: ${told}`);
    });
    expect(wrong).toEqual([]);
  });
  fc.assert(check, { numRuns: runs(300) });
});
