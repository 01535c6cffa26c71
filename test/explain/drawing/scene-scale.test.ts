import { expect, it } from 'vitest';
import { sceneLines } from '../../../src/explain/drawing/text-scene.ts';
import { axisText, sceneScale, segmentTimes, tickStep } from '../../../src/explain/drawing/scene-scale.ts';
import type { Scene } from '../../../src/explain/timeline/scene.ts';

const scene: Scene = {
  title: 'Later',
  origin: 'second 0 = it hangs',
  end: 40,
  lanes: [
    {
      title: 'Hanging',
      segments: [
        { tone: 'unsure', from: 0, to: 20, label: '', caption: 'a' },
        { tone: 'stopping', from: 20, to: 620, label: '', caption: 'b' },
        { tone: 'dead', from: 620, to: Infinity, label: '', caption: 'c' },
      ],
    },
    { title: 'Traffic', segments: [{ tone: 'idle', from: 0, to: Infinity, label: '', caption: 'd' }] },
  ],
};

it('is linear up to the end of the scene, and later moments follow after one break', () => {
  const { placeOf, breakAt, ticks } = sceneScale(scene, 100, 10, 4);
  expect([0, 20, 40, 620, Infinity].map(placeOf)).toEqual([0, 40, 80, 90, 100]);
  expect(breakAt).toBe(85);
  expect(ticks.map(({ seconds }) => seconds)).toEqual([0, 10, 20, 30, 40, 620]);
});

it('has no break where every moment is within the scene', () => {
  const { placeOf, breakAt } = sceneScale({ ...scene, end: 700 }, 100, 10, 4);
  expect(breakAt).toBeUndefined();
  expect(placeOf(350)).toBe(50);
});

it('the axis of text breaks in the columns where its bars break', () => {
  const [, , axis = '', ...rest] = sceneLines(scene);
  const bars = rest.filter((line) => /^ {6}(?:Hanging|Traffic)/.test(line));
  expect(axis.indexOf('//')).toBeGreaterThan(0);
  expect(bars.map((bar) => bar.indexOf('//'))).toEqual([axis.indexOf('//'), axis.indexOf('//')]);
});

it.each([
  [5, 1],
  [70, 10],
  [640, 120],
  [1e7, 2e6],
])('an axis of %i s has a mark every %i s', (end, step) => expect(tickStep(end, 8)).toBe(step));

it('a mark is at a familiar number of seconds, minutes, hours or a day', () => {
  const familiar = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];
  for (const [index, step] of familiar.entries()) {
    expect(tickStep(step * 8, 8)).toBe(step);
    expect(tickStep(step * 8 + 1, 8)).toBe(familiar[index + 1] ?? 100_000);
  }
  expect([100_001, 200_001, 500_001, 1_000_000].map((wanted) => tickStep(wanted, 1))).toEqual([
    200_000, 500_000, 1_000_000, 1_000_000,
  ]);
});

it('marks reach the end of the scene, and later moments follow in order, each once', () => {
  const lanes = [40.5, 90, 60, 90].map((to) => ({
    title: 'x',
    segments: [{ tone: 'safe' as const, from: 0, to, label: '', caption: '' }],
  }));
  const { ticks, breakAt } = sceneScale({ ...scene, lanes }, 100, 10, 4);
  expect(ticks).toEqual([
    ...[0, 10, 20, 30, 40].map((seconds) => ({ seconds, at: seconds * 1.5 })),
    { seconds: 40.5, at: 70 },
    { seconds: 60, at: 80 },
    { seconds: 90, at: 90 },
  ]);
  expect(breakAt).toBe(65);
  expect(sceneScale({ ...scene, lanes: [] }, 100, 10, 4).ticks.at(-1)).toEqual({ seconds: 40, at: 100 });
});

it('the times of a segment and the text of an axis are words', () => {
  const segment = { tone: 'safe', from: 20, to: 28, label: '', caption: '' } as const;
  expect(segmentTimes(segment)).toBe('20 to 28 s');
  expect(segmentTimes({ ...segment, to: Infinity })).toBe('from 20 s on');
  const scale = sceneScale(scene, 100, 10, 4);
  expect([axisText(scale), axisText({ ...scale, breakAt: undefined })]).toEqual(['seconds, not linear', 'seconds']);
});
