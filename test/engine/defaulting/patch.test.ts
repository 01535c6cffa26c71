import { describe, expect, it } from 'vitest';
import { probePatch, probesNamedIn, provenance, readProvenance } from '../../../src/engine/defaulting/patch.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { pod } from '../../support/worlds.ts';
import type { Injection } from '../../../src/engine/defaulting/injection.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ANNOTATION = 'probewright.dev/injected';
const POINTER = '/metadata/annotations/probewright.dev~1injected';
const probe = { httpGet: { path: '/live', port: 80 } };
const given = (name: string, index: number, kind = 'livenessProbe', more: Partial<Injection> = {}): Injection =>
  ({ container: { name, list: 'containers', index }, kind, probe, source: 'ProbePolicy/a/b', ...more }) as Injection;
const one = [given('app', 1)];
const TEXT = '{"app":{"livenessProbe":"ProbePolicy/a/b"}}';

describe('a patch', () => {
  const added = { op: 'add', path: '/spec/containers/1/livenessProbe', value: probe };

  it.each<[string, JsonObject, string, unknown]>([
    ['metadata', {}, '/metadata', { annotations: { [ANNOTATION]: TEXT } }],
    ['annotations', { metadata: {} }, '/metadata/annotations', { [ANNOTATION]: TEXT }],
    ['annotations that are no map', { metadata: { annotations: [] } }, '/metadata/annotations', { [ANNOTATION]: TEXT }],
    ['the annotation', { metadata: { annotations: { a: 'b' } } }, POINTER, TEXT],
  ])('adds %s first, then the probe', (_, pod, path, value) =>
    expect(probePatch(pod, one)).toEqual([{ op: 'add', path, value }, added]),
  );

  it('is empty without a probe to add', () => expect(probePatch({}, [])).toEqual([]));

  it('says where probes come from as long as the annotations of the Pod have room', () => {
    const room = 256 * 1024 - ANNOTATION.length - TEXT.length - 'ä'.length - 1;
    const paths = (length: number): string[] =>
      probePatch({ metadata: { annotations: { ä: 'x'.repeat(length) } } }, one).map(({ path }) => path);
    expect(paths(room)).toEqual([POINTER, added.path]);
    expect(paths(room + 1)).toEqual([added.path]);
  });
});

describe('the sources of probes', () => {
  it('are told by container and probe, and those of an earlier call stay', () => {
    const earlier = '{"app":{"startupProbe":"x","livenessProbe":"y"},"log":{"readinessProbe":"z"}}';
    const text = provenance([...one, given('web', 0)], earlier);
    expect(JSON.parse(text)).toEqual({
      app: { startupProbe: 'x', livenessProbe: 'ProbePolicy/a/b' },
      log: { readinessProbe: 'z' },
      web: { livenessProbe: 'ProbePolicy/a/b' },
    });
  });

  it.each<[Partial<Injection>, string]>([
    [{ isLikeOwn: true }, 'own livenessProbe; ProbePolicy/a/b'],
    [
      { learned: { figures: { starts: 7, longestSeconds: 8, boundSeconds: 0 }, seconds: 30 } },
      'learned: 7 starts, longest 8 s, 30 s to start; ProbePolicy/a/b',
    ],
    [
      { learned: { figures: { starts: 7, longestSeconds: 8, boundSeconds: 1 }, seconds: 30 }, isLikeOwn: true },
      'own livenessProbe; learned: 7 starts, longest 8 s, one killed after 1 s, 30 s to start; ProbePolicy/a/b',
    ],
  ])('with %j are "%s"', (more, source) =>
    expect(JSON.parse(provenance([given('app', 0, 'startupProbe', more)], undefined))).toEqual({
      app: { startupProbe: source },
    }),
  );

  it('are read back, and not from a text in another form or one that is too long', () => {
    expect(readProvenance(TEXT)).toEqual(new Map([['app', new Map([['livenessProbe', 'ProbePolicy/a/b']])]]));
    expect(readProvenance('{"a":1,"b":{"livenessProbe":2}}')).toEqual(new Map([['b', new Map()]]));
    for (const text of [undefined, '', 'x', '[]', '"a"', 'null']) expect(readProvenance(text).size).toBe(0);
    const long = (length: number): string => `{"app":{"livenessProbe":"${'x'.repeat(length - 28)}"}}`;
    expect(readProvenance(long(256 * 1024)).size).toBe(1);
    expect(readProvenance(long(256 * 1024 + 1)).size).toBe(0);
  });

  it('name the probes of containers that are there, and of no ephemeral container', () => {
    const annotations = {
      [ANNOTATION]: '{"app":{"livenessProbe":"x","readinessProbe":"y"},"gone":{"livenessProbe":"z"}}',
    };
    const named = (spec: JsonObject, metadata: JsonObject = { annotations }): unknown =>
      probesNamedIn(readPod(pod([], { metadata, spec }), POD_KIND)).map(({ container, kind }) => [
        container.name,
        kind,
      ]);
    const both = [{ name: 'app' }, { name: 'log' }];
    expect(named({ containers: both })).toEqual([
      ['app', 'livenessProbe'],
      ['app', 'readinessProbe'],
    ]);
    expect(named({ containers: [], ephemeralContainers: [{ name: 'app' }] })).toEqual([]);
    expect(named({ containers: both }, {})).toEqual([]);
  });

  it('keep names that JavaScript knows', () =>
    expect(provenance([given('__proto__', 0)], undefined)).toBe('{"__proto__":{"livenessProbe":"ProbePolicy/a/b"}}'));
});
