import { describe, expect, it } from 'vitest';
import { legendBlock } from '../../../src/explain/drawing/svg-legend.ts';
import { explainedContainer } from '../explained-workloads.ts';
import { drawnLane, drawnScene, killed } from './drawn-scenes.ts';
import type { ContainerExplanation } from '../../../src/explain/timeline/explanation.ts';
import type { Lane } from '../../../src/explain/timeline/scene.ts';

const withLanes = (...lanes: Lane[]): ContainerExplanation => ({
  ...explainedContainer({}),
  scenes: [drawnScene(lanes)],
});
const meanings = (...containers: ContainerExplanation[]): (string | undefined)[] =>
  Array.from(legendBlock(containers, 28, 900, 100).markup.matchAll(/>([^<>]+)<\/text>/g), ([, meaning]) => meaning);

describe('a legend', () => {
  it('has the signs that its scenes use, in three columns', () => {
    const traffic = drawnLane('x', ['idle', 5, 'a'], ['maybe', 9, 'b'], ['serving', Infinity, 'c']);
    const { markup, height } = legendBlock([withLanes(killed(), traffic)], 28, 900, 100);
    expect(height).toBe(60);
    expect(markup.replaceAll('><', '>\n<')).toMatchInlineSnapshot(`
      "<g>
      <title>legend</title>
      <rect x="28" y="100" width="26" height="12" class="safe" fill="#2e9f5e"/>
      <text x="62" y="110.5" font-size="12" class="ink" fill="#1d2127">guaranteed: no probe kills the container</text>
      <rect x="28" y="120" width="26" height="12" fill="url(#unsure)"/>
      <text x="62" y="130.5" font-size="12" class="ink" fill="#1d2127">may pass or recover, may be killed</text>
      <rect x="28" y="140" width="26" height="12" fill="url(#stopping)"/>
      <text x="62" y="150.5" font-size="12" class="ink" fill="#1d2127">being stopped: the grace period runs</text>
      <rect x="328" y="100" width="26" height="12" class="dead" fill="#5b6069"/>
      <text x="362" y="110.5" font-size="12" class="ink" fill="#1d2127">dead</text>
      <rect x="328" y="120" width="26" height="12" class="serving" fill="#3f86c9"/>
      <text x="362" y="130.5" font-size="12" class="ink" fill="#1d2127">gets traffic</text>
      <rect x="328" y="140" width="26" height="12" fill="url(#maybe)"/>
      <text x="362" y="150.5" font-size="12" class="ink" fill="#1d2127">traffic starts or ends in this time</text>
      <rect x="628" y="100" width="26" height="12" class="idle" fill="#dfe3e8"/>
      <text x="662" y="110.5" font-size="12" class="ink" fill="#1d2127">no limit on the start, or no traffic</text>
      <path d="M641.0 119 v15" class="red-line" stroke="#c8141f" stroke-width="3"/>
      <text x="662" y="130.5" font-size="12" class="ink" fill="#1d2127">the kill begins at the latest</text>
      </g>"
    `);
  });

  it('has a sign once, whichever container uses it', () => {
    const traffic = drawnLane('x', ['idle', Infinity, 'a']);
    expect(meanings(withLanes(traffic), withLanes(traffic))).toEqual(['no limit on the start, or no traffic']);
    expect(meanings(withLanes(drawnLane('x', ['unnoticed', Infinity, 'a'])), withLanes(traffic))).toEqual([
      'not working, and no probe acts on it',
      'no limit on the start, or no traffic',
    ]);
  });

  it('tells that time is left out where the axis breaks, and only there', () => {
    const about = (to: number): boolean =>
      meanings(withLanes(drawnLane('x', ['idle', to, 'a'], ['serving', Infinity, 'b']))).includes(
        'time is left out: not linear',
      );
    expect([66, 67].map(about)).toEqual([false, true]);
    expect(legendBlock([withLanes(killed(361))], 28, 900, 100).markup.replaceAll('><', '>\n<')).toMatchInlineSnapshot(`
      "<g>
      <title>legend</title>
      <rect x="28" y="100" width="26" height="12" class="safe" fill="#2e9f5e"/>
      <text x="62" y="110.5" font-size="12" class="ink" fill="#1d2127">guaranteed: no probe kills the container</text>
      <rect x="28" y="120" width="26" height="12" fill="url(#unsure)"/>
      <text x="62" y="130.5" font-size="12" class="ink" fill="#1d2127">may pass or recover, may be killed</text>
      <rect x="328" y="100" width="26" height="12" fill="url(#stopping)"/>
      <text x="362" y="110.5" font-size="12" class="ink" fill="#1d2127">being stopped: the grace period runs</text>
      <rect x="328" y="120" width="26" height="12" class="dead" fill="#5b6069"/>
      <text x="362" y="130.5" font-size="12" class="ink" fill="#1d2127">dead</text>
      <path d="M641.0 99 v15" class="red-line" stroke="#c8141f" stroke-width="3"/>
      <text x="662" y="110.5" font-size="12" class="ink" fill="#1d2127">the kill begins at the latest</text>
      <path d="M628.0 126 h26" class="muted-line" stroke="#5b6069" stroke-width="1"/>
      <path d="M633.0 133 l8 -14 h8 l-8 14 z" class="paper" fill="#ffffff"/>
      <path d="M633.0 133 l8 -14 M641.0 133 l8 -14" class="muted-line" stroke="#5b6069" stroke-width="1.4" fill="none"/>
      <text x="662" y="130.5" font-size="12" class="ink" fill="#1d2127">time is left out: not linear</text>
      </g>"
    `);
  });

  it('without scenes has no height', () => expect(legendBlock([], 28, 900, 100).height).toBe(0));
});
