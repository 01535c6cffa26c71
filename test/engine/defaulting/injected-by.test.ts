import { describe, expect, it } from 'vitest';
import { giverOfLiveProbe, injectedBy, injectedProbeText } from '../../../src/engine/defaulting/injected-by.ts';
import type { ProbeKind } from '../../../src/engine/probe/probe.ts';

const POLICY = 'ProbePolicy/apps/static';

describe('who injected a probe of a live Pod', () => {
  const by = (source: string, kind: ProbeKind = 'livenessProbe'): unknown =>
    injectedBy(new Map([[kind, source]]), kind);

  it.each([
    [POLICY, POLICY],
    ['ClusterProbePolicy/cluster.default-1', 'ClusterProbePolicy/cluster.default-1'],
    ['annotation', 'annotation'],
    ['learned: 7 starts, longest 8 s; ProbePolicy/a/b.c', 'ProbePolicy/a/b.c'],
  ])('is the layer at the end of %s', (source, layer) => expect(by(source)).toEqual({ layer }));

  it.each([
    ['learned: 7 starts, longest 8 s, 30 s to start; ProbePolicy/a/b', 30],
    ['learned: 0 starts of all images, longest 0 s, one killed after 301 s, 602 s to start; ProbePolicy/a/b', 602],
    ['x 30 s to start; ProbePolicy/a/b', undefined],
    ['learned: 7 starts; 30 s to start; ProbePolicy/a/b', undefined],
    ['learned: 7 starts, 1234567 s to start; ProbePolicy/a/b', undefined],
  ])('is told with the seconds that were learned: %s', (source, learnedSeconds) =>
    expect(by(source)).toEqual({ layer: 'ProbePolicy/a/b', ...(learnedSeconds !== undefined && { learnedSeconds }) }),
  );

  it('may have had the handler of the author', () => {
    const note = 'with the handler of the own livenessProbe';
    expect(by(`own livenessProbe; ${POLICY}`)).toEqual({ layer: POLICY, note });
    expect(by(`learned: 7 starts; own livenessProbe; ${POLICY}`)).toEqual({ layer: POLICY });
  });

  it.each(['', 'x', 'ProbePolicy/apps', `${POLICY} `, `x ${POLICY}`, 'ProbePolicy/A/b', 'annotations', `;${POLICY}`])(
    'is nobody where the text names no layer: %j',
    (source) => expect(by(source)).toBeUndefined(),
  );

  it('is nobody without an entry of the probe', () => {
    expect(injectedBy(undefined, 'livenessProbe')).toBeUndefined();
    expect(injectedBy(new Map([['startupProbe', POLICY]]), 'livenessProbe')).toBeUndefined();
  });

  it('is nobody in a text that is too long', () => {
    const padded = (length: number): string => `${'x'.repeat(length - POLICY.length - 2)}; ${POLICY}`;
    expect(by(padded(800))).toEqual({ layer: POLICY });
    expect(by(padded(801))).toBeUndefined();
  });

  it('of a startup probe of the safety is the layer of the liveness probe', () => {
    const safety = (liveness: readonly (readonly [string, string])[]): unknown =>
      injectedBy(new Map([['startupProbe', 'safety'], ...liveness]), 'startupProbe');
    expect(safety([['livenessProbe', POLICY]])).toEqual({ layer: POLICY, note: 'safety' });
    expect(safety([['livenessProbe', 'nobody']])).toEqual({ layer: 'safety', note: 'safety' });
    expect(safety([])).toEqual({ layer: 'safety', note: 'safety' });
    expect(injectedBy(new Map([['startupProbe', 'safety: x; safety']]), 'startupProbe')).toEqual({
      layer: 'safety',
      note: 'safety',
    });
  });
});

describe('the words for who injected a probe', () => {
  it.each([
    [{ layer: POLICY }, POLICY],
    [{ layer: POLICY, note: 'safety' }, `${POLICY} (safety)`],
    [{ layer: 'annotation' }, 'an annotation of the workload'],
    [{ layer: 'safety', note: 'safety' }, 'Probewright (safety)'],
    [{ layer: 'x'.repeat(120) }, 'x'.repeat(120)],
    [{ layer: 'x'.repeat(121) }, `${'x'.repeat(117)}...`],
  ])('%j are "%s"', (by, words) => expect(giverOfLiveProbe(by)).toBe(words));

  it('name the probe and what it asks', () => {
    expect(injectedProbeText('livenessProbe', { layer: POLICY })).toBe(
      'the livenessProbe that ProbePolicy/apps/static injected',
    );
    expect(injectedProbeText('startupProbe', { layer: POLICY, note: 'safety' }, ' (httpGet /livez)')).toBe(
      'the startupProbe (httpGet /livez) that ProbePolicy/apps/static injected (safety)',
    );
  });
});
