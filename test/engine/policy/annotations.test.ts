import { describe, expect, it } from 'vitest';
import { endpointAnnotation, hasOptedOut, readAnnotations } from '../../../src/engine/policy/annotations.ts';

const read = (annotations: Readonly<Record<string, string>>) =>
  readAnnotations(new Map(Object.entries(annotations).map(([name, value]) => [`probewright.dev/${name}`, value])));

describe('the annotations of a workload', () => {
  it('name endpoints, seconds to start, containers, and probes that it does not want', () => {
    const { layer, containers, skip, warnings } = read({
      'liveness-endpoint': '/live',
      'startup-endpoint': '/start',
      'readiness-endpoint': '/ready',
      'startup-seconds': ' 60 ',
      containers: 'app, worker',
      skip: 'startup,readiness',
      injected: 'not read here',
    });
    const handler = (path: string) => ({ handler: { kind: 'httpGet', fields: { path } }, integers: {} });
    expect(layer).toMatchObject({ source: 'annotation', containers: 'main', slowStart: { startupSeconds: 60 } });
    expect(layer.probes).toEqual({
      livenessProbe: handler('/live'),
      startupProbe: handler('/start'),
      readinessProbe: handler('/ready'),
    });
    expect([...(containers ?? [])]).toEqual(['app', 'worker']);
    expect([...skip]).toEqual(['startupProbe', 'readinessProbe']);
    expect(warnings).toEqual([]);
  });

  it('say nothing where there are none of ours', () => {
    const { layer, containers, skip, warnings } = readAnnotations(new Map([['example.test/skip', 'all']]));
    expect([layer.probes, layer.slowStart, containers, [...skip], warnings]).toEqual([{}, {}, undefined, [], []]);
  });

  it('may skip all probes', () =>
    expect([...read({ skip: 'all' }).skip]).toEqual(['livenessProbe', 'readinessProbe', 'startupProbe']));

  it.each([
    ['startup-seconds', '1', 1],
    ['startup-seconds', '2147483647', 2_147_483_647],
    ['startup-seconds', '2147483648', undefined],
    ['startup-seconds', '0', undefined],
    ['startup-seconds', '1.5', undefined],
    ['startup-seconds', '-1', undefined],
    ['startup-seconds', '12345678901', undefined],
  ])('%s: %s gives %s', (name, value, seconds) => {
    const { layer, warnings } = read({ [name]: value });
    expect(layer.slowStart.startupSeconds).toBe(seconds);
    expect(warnings).toHaveLength(seconds === undefined ? 1 : 0);
  });

  it.each([
    ['startup-seconds', 'x', 'must be a whole number of seconds, not "x"'],
    ['containers', 'a,,b', 'must be a comma list of container names, not "a,,b"'],
    ['containers', '', 'must be a comma list of container names, not ""'],
    ['skip', 'liveness,x', 'must be "all" or a comma list of startup, liveness and readiness, not "liveness,x"'],
    ['skip', 'all,liveness', 'must be "all" or a comma list of startup, liveness and readiness, not "all,liveness"'],
    ['skipp', 'all', 'unknown annotation; did you mean "skip"?'],
    [
      'x',
      'y',
      'unknown annotation; known are startup-endpoint, liveness-endpoint, readiness-endpoint, startup-seconds, containers, skip, injected',
    ],
  ])('%s: "%s" is ignored, with one warning', (name, value, problem) => {
    const { layer, containers, skip, warnings } = read({ [name]: value });
    expect(warnings).toEqual([`annotation probewright.dev/${name} is ignored: ${problem}`]);
    expect([layer.probes, layer.slowStart, containers, [...skip]]).toEqual([{}, {}, undefined, []]);
  });

  it('are read up to 256 KiB together, and not above', () => {
    const most = 256 * 1024 - 'probewright.dev/containers'.length - 'probewright.dev/skip'.length - 'all'.length;
    const of = (length: number) => read({ containers: 'x'.repeat(length), skip: 'all' });
    expect(of(most)).toMatchObject({ warnings: [] });
    expect(of(most).skip.size).toBe(3);
    expect(of(most + 1).skip.size).toBe(0);
    expect(of(most + 1).warnings).toHaveLength(1);
  });

  it('that are unknown are told of by the first twenty, and known ones count all the same', () => {
    const unknown = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`unknown-${index}`, '']));
    const { skip, warnings } = read({ ...unknown, skip: 'all' });
    expect(warnings).toHaveLength(20);
    expect(warnings.at(-1)).toContain('unknown-19 ');
    expect(skip.size).toBe(3);
  });

  it('with a long name are told of by its first 63 characters', () => {
    const shown = (length: number): string | undefined => read({ ['x'.repeat(length)]: '' }).warnings[0];
    expect(shown(63)).toContain(`annotation probewright.dev/${'x'.repeat(63)} is ignored: `);
    expect(shown(64)).toContain(`annotation probewright.dev/${'x'.repeat(63)} is ignored: `);
  });

  it('have the names of the probes', () =>
    expect(endpointAnnotation('readinessProbe')).toBe('probewright.dev/readiness-endpoint'));
});

describe('a Pod that keeps away from the mutating webhook', () =>
  it.each([
    [{ 'probewright.dev/webhook': 'disabled' }, true],
    [{ 'probewright.dev/webhook': 'enabled' }, false],
    [{ webhook: 'disabled' }, false],
  ])('has the label: %j', (labels, has) => expect(hasOptedOut({ labels: new Map(Object.entries(labels)) })).toBe(has)));
