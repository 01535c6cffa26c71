import { describe, expect, it } from 'vitest';
import { explainManifest } from '../../../src/explain/timeline/explain-manifest.ts';
import { explanationAsSvg, overviewAsSvg } from '../../../src/explain/drawing/svg.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { httpProbe } from '../../engine/checks/workload.ts';
import { policySet } from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { WorkloadExplanation } from '../../../src/explain/timeline/explanation.ts';

const probes = {
  ports: [{ name: 'http', containerPort: 8080 }],
  startupProbe: httpProbe({ periodSeconds: 2, failureThreshold: 30 }),
  livenessProbe: httpProbe({ failureThreshold: 4 }),
  readinessProbe: httpProbe({ periodSeconds: 5 }),
};

function explained(count: number, spec: JsonObject = {}): WorkloadExplanation {
  const containers = Array.from({ length: count }, (_, index) => ({ name: `app-${index}`, ...probes }));
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { ...spec, containers } };
  const settings = { policies: policySet(), namespace: 'apps', kinds: KNOWN_KINDS, now: NOW };
  const workload = explainManifest(pod, 'a.yaml:1:1', settings);
  if (workload === undefined) throw new Error('no workload');
  return workload;
}

const heightOf = (svg: string): number => Number(/ height="(\d+)"/.exec(svg)?.[1]);
const countOf = (text: string, part: string): number => text.split(part).length - 1;

describe('a picture', () => {
  it('of twelve containers fits two screens of 1080 lines, alone or in an overview', () => {
    expect(heightOf(explanationAsSvg(explained(12)))).toBeLessThan(2 * 1080);
    const workloads = Array.from({ length: 12 }, () => explained(1));
    expect(heightOf(overviewAsSvg(workloads))).toBeLessThan(2 * 1080);
  });

  it.each([1, 3, 4, 12])('of %i containers has one legend', (count) =>
    expect(countOf(explanationAsSvg(explained(count)), '<title>legend</title>')).toBe(1),
  );

  it('has the name of each container and its headline', () => {
    for (const count of [2, 12]) {
      const svg = explanationAsSvg(explained(count));
      const { containers } = explained(count);
      for (const { name } of containers) expect(svg).toContain(`>${name}</t`);
      expect(countOf(svg, 'Guaranteed 58 s to start. SIGTERM after 61 s at the latest; dead by 91 s.</t')).toBe(count);
    }
  });

  it('has a colour of dark mode for every colour that it uses', () => {
    const svg = explanationAsSvg(explained(1, { terminationGracePeriodSeconds: 3600 }));
    const [, sheet = ''] = /<style>@media \(prefers-color-scheme:dark\)\{(.*)\}<\/style>/.exec(svg) ?? [];
    const used = new Set([...svg.matchAll(/ class="([\w-]+)"/g)].map(([, name]) => name));
    for (const name of used) expect(sheet).toContain(`.${name ?? ''}{`);
    const coloured = [...svg.matchAll(/<[^>]* (?:fill|stroke)="#[^>]*>/g)].map(([tag]) => tag);
    expect(coloured.filter((tag) => !tag.includes(' class='))).toEqual([]);
  });

  it('breaks the axis in the place where it breaks the bars', () => {
    const svg = explanationAsSvg(explained(1, { terminationGracePeriodSeconds: 3600 }));
    // The gap of a break is filled with the colour of the paper; two bars and an axis for each of the two scenes.
    const places = [...svg.matchAll(/<path d="M([\d.]+) [^>]*class="paper"/g)].map(([, x]) => x);
    expect(places.slice(0, 6)).toEqual([...Array<string | undefined>(3).fill(places[0]), ...places.slice(3, 6)]);
    expect(new Set(places.slice(3, 6)).size).toBe(1);
    expect(svg).toContain('>3661<');
  });

  it('says that its scale is not linear where an axis breaks, and only there', () => {
    const broken = explanationAsSvg(explained(1, { terminationGracePeriodSeconds: 3600 }));
    expect([countOf(broken, '>seconds, not linear<'), countOf(broken, '>seconds<')]).toEqual([2, 0]);
    expect(broken).toContain('>time is left out: not linear<');
    const whole = explanationAsSvg(explained(1));
    expect([countOf(whole, 'not linear'), countOf(whole, '>seconds<')]).toEqual([0, 2]);
  });
});
