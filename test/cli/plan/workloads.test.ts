import { describe, expect, it } from 'vitest';
import { workloadsOf } from '../../../src/cli/plan/workloads.ts';
import { worldOf } from '../../../src/cli/input/world.ts';
import { flatGiven, type FlatGiven } from '../../support/flat-given.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { NOW } from '../../support/now.ts';
import type { FileProblem } from '../../../src/cluster/sources/policy-documents.ts';

function inputs(...texts: readonly string[]): FlatGiven {
  const read = texts.map((text, index) => ({ file: `${index}.yaml`, text }));
  const settings = { namespace: 'apps', kinds: KNOWN_KINDS, now: NOW };
  return flatGiven(worldOf({ texts: read, problems: [] }, { texts: [], problems: [] }, settings));
}

/** The workloads of texts, with the messages of the violations that only a manifest shows. */
function workloads(given: FlatGiven) {
  const replaced: FileProblem[] = [];
  const found = workloadsOf(given, given, replaced);
  const messages = found.map(({ violationsOfText }) =>
    violationsOfText?.(given.snapshot).map(({ message }) => message),
  );
  return { found, names: found.map(({ kind, name }) => `${kind.kind} ${name}`), messages, replaced };
}

const pod = (name: string, container = '{ name: app }'): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name} }\nspec: { containers: [${container}] }\n`;

describe('the workloads of texts', () => {
  it('are those of all texts in their order, and other objects are left out', () => {
    const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\n';
    const { found, names, messages, replaced } = workloads(
      inputs(`${pod('a')}---\n${config}---\n${pod('b')}`, pod('c')),
    );
    expect(names).toEqual(['Pod a', 'Pod b', 'Pod c']);
    expect(messages).toEqual([[], [], []]);
    expect([replaced.length, found.map(({ namespace }) => namespace)]).toEqual([0, ['apps', 'apps', 'apps']]);
  });

  it('have the violations of unknown fields', () => {
    const { messages } = workloads(inputs(pod('a', '{ name: app, livenesProbe: {} }')));
    expect(messages).toEqual([['unknown field, which the API server drops']]);
  });

  it('have the violations of keys that are written twice, which replace the problems of the inputs', () => {
    const given = inputs(
      pod(
        'a',
        '\n    { name: app,\n    livenessProbe: { tcpSocket: { port: 1 } },\n    livenessProbe: { tcpSocket: { port: 2 } } }',
      ),
    );
    expect(given.problems).toHaveLength(1);
    const { messages, replaced } = workloads(given);
    expect(messages).toEqual([[expect.stringMatching(/^is written twice/)]]);
    expect(replaced).toEqual(given.problems);
  });
});

describe('a workload in JSON', () => {
  const json = (name: string, port: string): string =>
    `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${name}"},"spec":{"containers":[{"name":"app","ports":[{"containerPort":${port}}]}]}}`;

  it('is as the API server decodes it where a number is written with a point', () => {
    const [found] = workloads(inputs(json('a', '80.0'))).found;
    expect(JSON.stringify(found?.object)).toContain('"containerPort":80}');
    expect(found?.asSent).toBeDefined();
    expect(JSON.stringify(found?.asSent?.object)).not.toContain('"containerPort":80}');
  });

  it('is not read twice in YAML', () => {
    const [found] = workloads(inputs(pod('a', '{ name: app, ports: [{ containerPort: 80.0 }] }'))).found;
    expect([found?.name, found !== undefined && 'asSent' in found]).toEqual(['a', false]);
  });

  it('is itself in a List, each item apart', () => {
    const list = `{"apiVersion":"v1","kind":"List","items":[${json('a', '1')},{"kind":"ConfigMap","apiVersion":"v1"},${json('b', '2')}]}`;
    expect(workloads(inputs(list)).names).toEqual(['Pod a', 'Pod b']);
  });
});
