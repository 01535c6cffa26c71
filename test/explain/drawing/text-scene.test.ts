import { describe, expect, it } from 'vitest';
import { TEXT_WIDTH, sceneLines } from '../../../src/explain/drawing/text-scene.ts';
import { drawnLane, drawnScene, killed } from './drawn-scenes.ts';
import type { Lane, Scene, Tone } from '../../../src/explain/timeline/scene.ts';

const linesOf = (lane: Lane, others: Partial<Scene> = {}): string[] => sceneLines(drawnScene([lane], others));

/** The bar of a lane with stretches of these tones that end at these seconds. */
function bar(end: number, ...stretches: readonly (readonly [Tone, number])[]): string {
  const lane = drawnLane('x', ...stretches.map(([tone, to]) => [tone, to, 'a'] as const));
  return (linesOf(lane, { end })[3] ?? '').slice(34);
}

describe('a scene as text', () => {
  it('has its title, an axis, and each lane with a caption for each stretch', () => {
    const traffic = drawnLane('Traffic', ['idle', 5, 'none'], ['maybe', 9, 'soon'], ['serving', Infinity, 'served']);
    expect(sceneLines(drawnScene([killed(), traffic])).join('\n')).toMatchInlineSnapshot(`
      "    First start (second 0 = it starts)
          seconds                       0           10          20          30          40          50          60
                                        |-----------|-----------|-----------|-----------|-----------|-----------|-------
            Never healthy               ========================?????????????!xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx#######
                                        =  0 to 20 s: Caption of guaranteed.
                                        ?  20 to 31 s: Caption of may be killed.
                                        !x 31 to 61 s: Caption of being stopped.
                                        #  from 61 s on: Caption of dead.
            Traffic                     ......~~~~++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++
                                        .  0 to 5 s: Caption of none.
                                        ~  5 to 9 s: Caption of soon.
                                        +  from 9 s on: Caption of served.
      "
    `);
  });

  it('breaks the axis and the bars in the same column', () => {
    const lines = linesOf(killed(361));
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "    First start (second 0 = it starts)
          seconds                       0         10        20        30         40        50        60           361
                                        |---------|---------|---------|----------|---------|---------|--------//--|-----
            Never healthy               ====================???????????!xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx//xx######
                                        =  0 to 20 s: Caption of guaranteed.
                                        ?  20 to 31 s: Caption of may be killed.
                                        !x 31 to 361 s (6 min 1 s): Caption of being stopped.
                                        #  from 361 s (6 min 1 s) on: Caption of dead.
      "
    `);
    expect(lines[2]?.indexOf('//')).toBe(lines[3]?.indexOf('//'));
  });

  it('has measured starts as marks on a bar of their own, the late ones at the end of the axis', () => {
    const lines = linesOf(killed(), { starts: [0, 22, 41, 41, 66, 9000] });
    expect(lines.slice(-3)).toMatchInlineSnapshot(`
      [
        "      Measured starts             o                         o                      o                             o",
        "                                  o  6 measured starts: 0 to 9000 s.",
        "",
      ]
    `);
    expect(linesOf(killed())).toHaveLength(lines.length - 2);
  });

  it('leaves out a number that would touch the one before', () => {
    const numbers = (first: number): string | undefined =>
      linesOf(drawnLane('x', ['safe', first, 'a'], ['unsure', first * 2, 'b'], ['dead', Infinity, 'c']))[1]?.slice(84);
    expect([10_000, 100_000].map(numbers)).toMatchInlineSnapshot(`
      [
        "      60          10000 20000",
        "      60          100000",
      ]
    `);
  });

  it('wraps a long caption below its beginning, within the width of the page', () => {
    const [segment] = killed().segments;
    if (segment === undefined) throw new Error('no segment');
    const caption = Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ');
    const lines = linesOf({ title: 'x', segments: [{ ...segment, to: Infinity, caption }] }).slice(4, -1);
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "                                  =  from 0 s on: word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10
                                           word11 word12 word13 word14 word15 word16 word17 word18 word19 word20 word21
                                           word22 word23 word24 word25 word26 word27 word28 word29"
    `);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(TEXT_WIDTH);
  });
});

describe('a bar as text', () => {
  it('has a character for each tone, and a mark of its own where a kill begins', () => {
    const eight = (['safe', 'unsure', 'stopping', 'dead', 'unnoticed', 'idle', 'maybe', 'serving'] as const).map(
      (tone, index) => [tone, index === 7 ? Infinity : (index + 1) * 10] as const,
    );
    expect(bar(80, ...eight)).toBe('==========??????????!xxxxxxxxx##########----------..........~~~~~~~~~~++++++++++');
  });

  it('has at least one column for each stretch, also at the end', () => {
    const many = [
      ...Array.from({ length: 4 }, (_, index) => ['safe', index + 1] as const),
      ['dead', Infinity] as const,
    ];
    expect(bar(80_000, ...many)).toBe(`====${'#'.repeat(76)}`);
    const late = [996, 997, 998, 999].map((to) => ['unsure', to] as const);
    expect(bar(1000, ['safe', 995], ...late, ['dead', Infinity])).toBe(`${'='.repeat(75)}????#`);
  });

  it('has 80 columns', () => {
    for (const end of [1, 66, 1000])
      expect(bar(end, ['safe', 20], ['stopping', 61], ['dead', Infinity])).toHaveLength(80);
  });
});
