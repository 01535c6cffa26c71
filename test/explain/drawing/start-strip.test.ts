import { describe, expect, it } from 'vitest';
import { startStrip, stripScale, stripTicks } from '../../../src/explain/drawing/start-strip.ts';
import { httpProbe } from '../../engine/checks/workload.ts';
import { explainedContainer } from '../explained-workloads.ts';
import type { ContainerExplanation } from '../../../src/explain/timeline/explanation.ts';

const LIVENESS = explainedContainer({ livenessProbe: httpProbe() });
const FREE = explainedContainer({});
const strip = (...containers: ContainerExplanation[]): string => startStrip(containers).replaceAll('><', '>\n<');
const wordsOf = (...containers: ContainerExplanation[]): string | undefined =>
  /aria-label="([^"]*)"/.exec(startStrip(containers))?.[1];
const starts = (...measured: number[]): ContainerExplanation => ({ ...LIVENESS, measured });
const dotsOf = (...measured: number[]): string[] => startStrip([starts(...measured)]).match(/<circle [^>]*>/g) ?? [];

/** The strip of a container that is guaranteed some time to start, and whose longest start takes some time. */
function bars(earliest: number, latest: number): string[] {
  const figures = LIVENESS.figures.map((figure) =>
    figure.id === 'time-to-start' ? { ...figure, span: { earliest, latest } } : figure,
  );
  return Array.from(
    startStrip([{ ...LIVENESS, figures }]).matchAll(/class=(\w+) d="M(\d+) [\d.]+h(\d+)"/g),
    ([, name, left, width]) => `${name} ${left}+${width}`,
  );
}

describe('a start strip', () => {
  it('has what is guaranteed, what may pass and what is killed', () =>
    expect(strip(LIVENESS)).toMatchInlineSnapshot(`
    "<svg class=strip role=img aria-label="app: guaranteed 20 s to start, at most 31 s">
    <path class=rest d="M58 9h182"/>
    <path class=safe d="M0 9h45"/>
    <path class=unsure d="M45 9h13"/>
    <use href=#ticks />
    </svg>"
  `));

  it('is one long bar where no probe limits the start', () =>
    expect(strip(FREE)).toMatchInlineSnapshot(`
    "<svg class=strip role=img aria-label="app: no limit on the time to start">
    <path class=free d="M0 9h240"/>
    <use href=#ticks />
    </svg>"
  `));

  it('has a bar for each container, and fewer pixels for each', () =>
    expect(strip(LIVENESS, FREE, LIVENESS)).toMatchInlineSnapshot(`
      "<svg class=strip role=img stroke-width=5 aria-label="app: guaranteed 20 s to start, at most 31 s. app: no limit on the time to start. app: guaranteed 20 s to start, at most 31 s">
      <path class=rest d="M58 3h182"/>
      <path class=safe d="M0 3h45"/>
      <path class=unsure d="M45 3h13"/>
      <path class=free d="M0 9h240"/>
      <path class=rest d="M58 15h182"/>
      <path class=safe d="M0 15h45"/>
      <path class=unsure d="M45 15h13"/>
      <use href=#ticks />
      </svg>"
    `));

  it('has at most three bars, and counts the other containers in words', () => {
    expect(startStrip([FREE, FREE, FREE, FREE]).match(/class=free/g)).toHaveLength(3);
    expect(wordsOf(FREE, FREE, FREE)).toBe(Array(3).fill('app: no limit on the time to start').join('. '));
    expect(wordsOf(FREE, FREE, FREE, FREE)).toMatch(/\. 1 more container$/);
    expect(wordsOf(FREE, FREE, FREE, FREE, FREE)).toMatch(/\. 2 more containers$/);
    expect(startStrip([FREE, FREE])).toContain(' stroke-width=8 ');
  });

  it('of no containers has only ticks', () => expect(startStrip([])).not.toMatch(/class=(free|safe)/));

  it('shows a stretch of a second, and no bar without a length', () => {
    expect(bars(0, 11)).toEqual(['rest 30+210', 'unsure 0+30']);
    expect(bars(600, 601)).toEqual(['rest 168+72', 'safe 0+168', 'unsure 168+2']);
    expect(bars(4000, 9000)).toEqual(['safe 0+240', 'unsure 240+2']);
  });

  it('has a scale that is nearly linear below ten seconds, and logarithmic above, up to an hour', () =>
    expect([1, 2, 10, 60, 600, 3599].map((latest) => bars(0, latest)[0])).toEqual([
      'rest 4+236',
      'rest 7+233',
      'rest 28+212',
      'rest 79+161',
      'rest 168+72',
      'unsure 0+240',
    ]));

  it('has no bar where the time to start is not known', () => {
    const unknown = { ...FREE, unknown: ['starts'] as const };
    expect(startStrip([unknown])).not.toContain('class=free');
    expect(wordsOf(unknown)).toBe('app: the time to start is not known');
    expect(startStrip([{ ...FREE, unknown: ['hangs'] as const }])).toContain('class=free');
  });
});

describe('a learned start in a strip', () => {
  it('is a dot within what is guaranteed, and a ring above', () =>
    expect(dotsOf(20, 21)).toEqual([
      '<circle class=dot cx=45 cy=9 r=2.5 />',
      '<circle class=late cx=46 cy=9 r=3.5 />',
    ]));

  it('is drawn once at a place, as a ring if one of them is late', () => {
    expect(dotsOf(2, 2, 2)).toHaveLength(1);
    const [early, late] = [300, 301];
    const figures = LIVENESS.figures.map((figure) => ({ ...figure, span: { earliest: early, latest: 400 } }));
    const drawn = (...measured: number[]) => startStrip([{ ...LIVENESS, figures, measured }]).match(/<circle [^>]*>/g);
    expect(drawn(early, late)).toEqual(drawn(late));
    expect(drawn(late, early)).toEqual(drawn(late));
    expect(drawn(early)?.[0]).toContain('class=dot');
  });

  it('stays in the strip', () =>
    expect(dotsOf(0, 1, 9000).map((dot) => / cx=(\d+)/.exec(dot)?.[1])).toEqual(['3', '4', '237']));

  it('is never late where no probe limits the start', () =>
    expect(startStrip([{ ...FREE, measured: [3000] }])).toContain('class=dot'));

  it('is told in words', () => {
    expect(wordsOf(starts(22, 41))).toBe('app: guaranteed 20 s to start, at most 31 s; learned starts: 2, 22 to 41 s');
    expect(wordsOf(LIVENESS)).toBe('app: guaranteed 20 s to start, at most 31 s');
  });
});

it('a hostile name is cut and escaped in words', () => {
  expect(wordsOf({ ...FREE, name: 'a'.repeat(63) })).toMatch(/^a{63}:/);
  expect(wordsOf({ ...FREE, name: 'a'.repeat(64) })).toMatch(/^a{62}…:/);
  expect(wordsOf({ ...FREE, name: '"<b>' })).toMatch(/^&quot;&lt;b&gt;:/);
});

it('the scale names its moments, each above its tick', () => {
  expect(stripScale().replaceAll('><', '>\n<')).toMatchInlineSnapshot(`
    "<svg class=scale aria-hidden=true>
    <text x=0 y=11>0</text>
    <text x=28 y=11>10 s</text>
    <text x=79 y=11>1 min</text>
    <text x=168 y=11>10 min</text>
    <text x=240 y=11>1 h</text>
    <use href=#ticks y=14 />
    </svg>"
  `);
  expect(stripTicks()).toMatchInlineSnapshot(`"<g id=ticks><path class=tick d="M28 0v18M79 0v18M168 0v18"/></g>"`);
});
