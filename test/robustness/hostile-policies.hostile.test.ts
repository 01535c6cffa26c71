import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { BOUNDS, MAX_SPEC_BYTES } from '../../src/engine/policy/bounds.ts';
import type { Bound } from '../../src/engine/policy/bound.ts';
import { json, numbers, replicaScenarios } from './hostile-policies.ts';

/** A text of JSON that is nearly as long as a spec may be. */
function grown(spec: (count: number) => object): Buffer {
  let count = 1;
  while (json(spec(count + 1)).length <= MAX_SPEC_BYTES && count < 100_000) count = Math.ceil(count * 1.02);
  while (json(spec(count)).length > MAX_SPEC_BYTES) count--;
  return json(spec(count));
}

const { matchExpressions, expressionValues, commandWord, headers } = BOUNDS;
const programs = boundOf('exec-forbidden', 'names');
const dependencyPaths = boundOf('dependency-liveness', 'paths');

/** The bound of a list among the parameters of a check. */
function boundOf(id: string, name: string): Bound {
  const parameter = CHECK_CATALOGUE[id]?.parameters[name];
  if (parameter?.type !== 'strings') throw new Error(`${id} has no list ${name}`);
  return parameter.count;
}

/** Specs that are as large as the bounds allow, each of what takes much memory for its length. */
function specsAtBounds(seed: string): Buffer[] {
  const many = (prefix: string): object[] =>
    numbers(matchExpressions.maximum, prefix).map((key) => ({
      key,
      operator: 'In',
      values: numbers(expressionValues.maximum, `${seed}${key}x`),
    }));
  return [
    grown((count) => ({ workloadSelector: { matchExpressions: many(seed).slice(0, Math.min(count, 64)) } })),
    grown((count) => ({
      workloadSelector: {
        matchLabels: Object.fromEntries(numbers(64, `l${seed}`).map((key) => [key, 'v'])),
        matchExpressions: numbers(64, `e${seed}`).map((key) => ({ key, operator: 'Exists' })),
      },
      checks: {
        'exec-forbidden': { names: numbers(programs.maximum, seed) },
        'dependency-liveness': {
          paths: numbers(dependencyPaths.maximum, `/${seed}`),
          additionalPaths: numbers(dependencyPaths.maximum, `/${seed}`).map((path) =>
            path.padEnd(Math.min(count, 200), 'x'),
          ),
        },
      },
    })),
    grown((count) => ({
      probes: Object.fromEntries(
        ['livenessProbe', 'readinessProbe'].map((kind) => [
          kind,
          { exec: { command: ['sh', seed.padEnd(Math.min(commandWord.maximum, count), 'y')] } },
        ]),
      ),
    })),
    grown((count) => ({
      probes: Object.fromEntries(
        ['livenessProbe', 'readinessProbe', 'startupProbe'].map((kind) => [
          kind,
          {
            httpGet: {
              httpHeaders: numbers(headers.maximum, seed).map((name) => ({
                name,
                value: 'é'.repeat(Math.min(300, count)),
              })),
            },
          },
        ]),
      ),
    })),
  ];
}

// This scenario takes most of the memory that the chart gives. It has a file of its own, because it must run alone.
replicaScenarios({
  '10,000 policies of 64 KiB, at the bounds, in 40 namespaces': function* () {
    const specs = Array.from({ length: 40 }, (_, index) => specsAtBounds(`s${index.toString(36)}`));
    for (let index = 0; index < 10_000; index++) {
      const spec = specs[index % 40]?.[Math.floor(index / 40) % 4] ?? json({});
      yield { namespace: `hostile-${index % 40}`, name: `p${index}`, spec };
    }
  },
});
