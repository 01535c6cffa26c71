import { expect, it } from 'vitest';
import { sceneLines } from '../../../src/explain/drawing/text-scene.ts';
import { sceneScale, tickStep } from '../../../src/explain/drawing/scene-scale.ts';
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
