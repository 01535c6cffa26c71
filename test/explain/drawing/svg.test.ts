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
  const settings = { snapshot: policySet(), namespace: 'apps', kinds: KNOWN_KINDS, now: NOW };
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

describe('the texts of a picture', () => {
  /** Each text with its place and size: `28,48 size 20: web`. */
  const textsOf = (svg: string): string =>
    Array.from(
      svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"([^>]*)>(.*?)<\/text>/g),
      ([, x, y, style = '', text = '']) =>
        `${x},${y} size ${/font-size="([\d.]+)"/.exec(style)?.[1]}: ${text.replaceAll(/<[^>]*>/g, '|')}`,
    ).join('\n');
  const [workload] = [explained(2)];

  it('are below each other, with the reasons and the exceptions at the end', () => {
    const [first, second] = workload.containers;
    if (first === undefined || second === undefined) throw new Error('no container');
    const containers = [
      {
        ...first,
        role: 'sidecar' as const,
        caveats: ['A caveat.'],
        scenes: first.scenes.map((scene) => ({ ...scene, starts: [5] })),
      },
      { ...second, probes: [], scenes: [] },
    ];
    const svg = explanationAsSvg({
      ...{ ...workload, containers, notInjected: ['no port', 'no path'], exceptions: ['until May'] },
      lacking: '3 Pods lack these probes.',
    });
    expect(textsOf(svg)).toMatchInlineSnapshot(`
      "28,48 size 20: web
      28,69 size 12: Pod in namespace apps, a.yaml:1:1
      28,94 size 12: 3 Pods lack these probes.
      28,151 size 16: app-0 (native sidecar)
      28,173 size 14: Guaranteed 58 s to start. SIGTERM after 61 s at the latest; dead by 91 s.
      28,194.5 size 12: A caveat.
      28,213.5 size 12: startupProbe: httpGet /live on port http, every 2 s, timeout 1 s, 30 failures in a row. From the manifest.
      28,231.5 size 12: livenessProbe: httpGet /live on port http, every 10 s, timeout 1 s, 4 failures in a row. From the manifest.
      28,249.5 size 12: readinessProbe: httpGet /live on port http, every 5 s, timeout 1 s, 3 failures in a row. From the manifest.
      28,283.5 size 14: First start (second 0 = the container starts)
      186,340 size 12.5: Not healthy yet
      406.6,340 size 12: guaranteed
      741.3,340 size 12: being stopped
      874.1,340 size 12: dead
      613.1,316 size 12: 58 s
      634.5,301 size 12: SIGTERM: 61 s
      848.1,316 size 12: 91 s
      186,391 size 12.5: Traffic, if healthy at once
      232.1,391 size 12: soon
      582.1,391 size 12: gets traffic
      264.1,367 size 12: 9 s
      186,417 size 12.5: Measured starts
      186,443 size 11: seconds
      200,443 size 11: 0
      271.2,443 size 11: 10
      342.5,443 size 11: 20
      413.7,443 size 11: 30
      484.9,443 size 11: 40
      556.1,443 size 11: 50
      627.4,443 size 11: 60
      698.6,443 size 11: 70
      769.8,443 size 11: 80
      841,443 size 11: 90
      28,478 size 14: Later, when it stops answering (second 0 = it hangs or fails)
      186,519.5 size 12.5: Hanging
      336.9,519.5 size 12: not noticed yet
      711.2,519.5 size 12: being stopped
      874.1,519.5 size 12: dead
      473.9,495.5 size 12: 30 s
      574.3,495.5 size 12: SIGTERM: 41 s
      848.1,495.5 size 12: 71 s
      186,570.5 size 12.5: Traffic meanwhile
      623,570.5 size 12: no traffic
      291.3,546.5 size 12: 10 s
      346.1,546.5 size 12: 16 s
      186,596.5 size 12.5: Measured starts
      186,622.5 size 11: seconds
      200,622.5 size 11: 0
      291.3,622.5 size 11: 10
      382.6,622.5 size 11: 20
      473.9,622.5 size 11: 30
      565.2,622.5 size 11: 40
      656.4,622.5 size 11: 50
      747.7,622.5 size 11: 60
      839,622.5 size 11: 70
      28,673.5 size 16: app-1
      28,695.5 size 14: Guaranteed 58 s to start. SIGTERM after 61 s at the latest; dead by 91 s.
      28,717 size 12: It has no probes.
      62,760.5 size 12: guaranteed: no probe kills the container
      62,780.5 size 12: may pass or recover, may be killed
      62,800.5 size 12: not working, and no probe acts on it
      363.3,760.5 size 12: being stopped: the grace period runs
      363.3,780.5 size 12: dead
      363.3,800.5 size 12: gets traffic
      664.7,760.5 size 12: traffic starts or ends in this time
      664.7,780.5 size 12: no limit on the start, or no traffic
      664.7,800.5 size 12: the kill begins at the latest
      28,838 size 14: Why policies added no other probes
      28,857.5 size 12: - no port
      28,875.5 size 12: - no path
      28,909.5 size 14: Exceptions
      28,929 size 12: - until May
      28,956 size 11: All times are bounds that follow from the kubelet’s source. The kubelet may notice the start of a container up to 2 s late."
    `);
    expect(heightOf(svg)).toMatchInlineSnapshot(`987`);
    expect(svg).toContain('<title>Pod apps/web</title>');
  });

  it('of many containers are in rows, with both scenes beside each other', () => {
    const { containers } = explained(4);
    const [first, ...others] = containers;
    if (first === undefined) throw new Error('no container');
    const rows = [
      {
        ...first,
        name: 'n'.repeat(41),
        caveats: ['A caveat.'],
        scenes: first.scenes.map((scene) => ({ ...scene, starts: [5] })),
      },
      ...others.slice(0, 2),
      { ...first, scenes: [], headline: 'h'.repeat(200) },
    ];
    const svg = explanationAsSvg({ ...workload, containers: rows });
    expect(textsOf(svg)).toMatchInlineSnapshot(`
      "28,48 size 20: web
      28,69 size 12: Pod in namespace apps, a.yaml:1:1
      28,94 size 12: From the start of the container
      494,94 size 12: From the moment when it hangs or fails
      28,107 size 11: Upper bars: the container. Lower bars: its traffic. Numbers are seconds after the moment above. Each half of a row has its own scale.
      28,138.8 size 12: |nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…||Guaranteed 58 s to start. SIGTERM after 61 s at the latest; dead by 91 s.|
      28,153.8 size 11: A caveat.
      157.2,186.7 size 11: guaranteed
      366.7,186.7 size 11: being stopped
      272.8,168.5 size 12: 58 s
      346.4,168.5 size 12: SIGTERM: 61 s
      433.6,168.5 size 12: 91 s
      48.1,221.7 size 11: soon
      267.1,221.7 size 11: gets traffic
      68.1,203.5 size 12: 9 s
      579.7,186.7 size 11: not noticed yet
      813.9,186.7 size 11: being stopped
      665.4,168.5 size 12: 30 s
      774.8,168.5 size 12: SIGTERM: 41 s
      899.6,168.5 size 12: 71 s
      758.7,221.7 size 11: no traffic
      551.1,203.5 size 12: 10 s
      599,203.5 size 12: 16 s
      28,264.5 size 12: |app-1||Guaranteed 58 s to start. SIGTERM after 61 s at the latest; dead by 91 s.|
      157.2,298.7 size 11: guaranteed
      366.7,298.7 size 11: being stopped
      272.8,280.5 size 12: 58 s
      346.4,280.5 size 12: SIGTERM: 61 s
      433.6,280.5 size 12: 91 s
      48.1,333.7 size 11: soon
      267.1,333.7 size 11: gets traffic
      68.1,315.5 size 12: 9 s
      579.7,298.7 size 11: not noticed yet
      813.9,298.7 size 11: being stopped
      665.4,280.5 size 12: 30 s
      774.8,280.5 size 12: SIGTERM: 41 s
      899.6,280.5 size 12: 71 s
      758.7,333.7 size 11: no traffic
      551.1,315.5 size 12: 10 s
      599,315.5 size 12: 16 s
      28,361.5 size 12: |app-2||Guaranteed 58 s to start. SIGTERM after 61 s at the latest; dead by 91 s.|
      157.2,395.7 size 11: guaranteed
      366.7,395.7 size 11: being stopped
      272.8,377.5 size 12: 58 s
      346.4,377.5 size 12: SIGTERM: 61 s
      433.6,377.5 size 12: 91 s
      48.1,430.7 size 11: soon
      267.1,430.7 size 11: gets traffic
      68.1,412.5 size 12: 9 s
      579.7,395.7 size 11: not noticed yet
      813.9,395.7 size 11: being stopped
      665.4,377.5 size 12: 30 s
      774.8,377.5 size 12: SIGTERM: 41 s
      899.6,377.5 size 12: 71 s
      758.7,430.7 size 11: no traffic
      551.1,412.5 size 12: 10 s
      599,412.5 size 12: 16 s
      28,458.5 size 12: |app-0||hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh…|
      62,501 size 12: guaranteed: no probe kills the container
      62,521 size 12: may pass or recover, may be killed
      62,541 size 12: not working, and no probe acts on it
      363.3,501 size 12: being stopped: the grace period runs
      363.3,521 size 12: dead
      363.3,541 size 12: gets traffic
      664.7,501 size 12: traffic starts or ends in this time
      664.7,521 size 12: no limit on the start, or no traffic
      664.7,541 size 12: the kill begins at the latest
      28,571.5 size 11: All times are bounds that follow from the kubelet’s source. The kubelet may notice the start of a container up to 2 s late."
    `);
    expect(heightOf(svg)).toMatchInlineSnapshot(`603`);
  });

  it('of several workloads name each workload', () => {
    const svg = overviewAsSvg([workload, { ...workload, name: 'other', containers: workload.containers.slice(0, 1) }]);
    expect(textsOf(svg)).toMatchInlineSnapshot(`
      "28,48 size 20: 2 workloads, 3 containers
      28,75 size 12: From the start of the container
      494,75 size 12: From the moment when it hangs or fails
      28,88 size 11: Upper bars: the container. Lower bars: its traffic. Numbers are seconds after the moment above. Each half of a row has its own scale.
      28,137.8 size 13: web (Pod in namespace apps)
      28,164 size 12: |app-0||Guaranteed 58 s to start. SIGTERM after 61 s at the latest; dead by 91 s.|
      157.2,198.2 size 11: guaranteed
      366.7,198.2 size 11: being stopped
      272.8,180 size 12: 58 s
      346.4,180 size 12: SIGTERM: 61 s
      433.6,180 size 12: 91 s
      48.1,233.2 size 11: soon
      267.1,233.2 size 11: gets traffic
      68.1,215 size 12: 9 s
      579.7,198.2 size 11: not noticed yet
      813.9,198.2 size 11: being stopped
      665.4,180 size 12: 30 s
      774.8,180 size 12: SIGTERM: 41 s
      899.6,180 size 12: 71 s
      758.7,233.2 size 11: no traffic
      551.1,215 size 12: 10 s
      599,215 size 12: 16 s
      28,261 size 12: |app-1||Guaranteed 58 s to start. SIGTERM after 61 s at the latest; dead by 91 s.|
      157.2,295.2 size 11: guaranteed
      366.7,295.2 size 11: being stopped
      272.8,277 size 12: 58 s
      346.4,277 size 12: SIGTERM: 61 s
      433.6,277 size 12: 91 s
      48.1,330.2 size 11: soon
      267.1,330.2 size 11: gets traffic
      68.1,312 size 12: 9 s
      579.7,295.2 size 11: not noticed yet
      813.9,295.2 size 11: being stopped
      665.4,277 size 12: 30 s
      774.8,277 size 12: SIGTERM: 41 s
      899.6,277 size 12: 71 s
      758.7,330.2 size 11: no traffic
      551.1,312 size 12: 10 s
      599,312 size 12: 16 s
      28,376 size 13: other (Pod in namespace apps)
      28,402.3 size 12: |app-0||Guaranteed 58 s to start. SIGTERM after 61 s at the latest; dead by 91 s.|
      157.2,436.4 size 11: guaranteed
      366.7,436.4 size 11: being stopped
      272.8,418.3 size 12: 58 s
      346.4,418.3 size 12: SIGTERM: 61 s
      433.6,418.3 size 12: 91 s
      48.1,471.4 size 11: soon
      267.1,471.4 size 11: gets traffic
      68.1,453.3 size 12: 9 s
      579.7,436.4 size 11: not noticed yet
      813.9,436.4 size 11: being stopped
      665.4,418.3 size 12: 30 s
      774.8,418.3 size 12: SIGTERM: 41 s
      899.6,418.3 size 12: 71 s
      758.7,471.4 size 11: no traffic
      551.1,453.3 size 12: 10 s
      599,453.3 size 12: 16 s
      62,514.8 size 12: guaranteed: no probe kills the container
      62,534.8 size 12: may pass or recover, may be killed
      62,554.8 size 12: not working, and no probe acts on it
      363.3,514.8 size 12: being stopped: the grace period runs
      363.3,534.8 size 12: dead
      363.3,554.8 size 12: gets traffic
      664.7,514.8 size 12: traffic starts or ends in this time
      664.7,534.8 size 12: no limit on the start, or no traffic
      664.7,554.8 size 12: the kill begins at the latest"
    `);
    expect(heightOf(svg)).toMatchInlineSnapshot(`593`);
    expect(svg).toContain('<desc>web (Pod in namespace apps), other (Pod in namespace apps)</desc>');
  });
});

it('a picture of few containers shows each in full, and one of more a row for each', () => {
  const isInRows = (count: number): boolean =>
    explanationAsSvg(explained(count)).includes('From the start of the container');
  expect([0, 1, 3, 4].map(isInRows)).toEqual([false, false, false, true]);
});
