import { describe, expect, it } from 'vitest';
import {
  axisBlock,
  labelPlace,
  laneBlock,
  narrowFrame,
  placeLane,
  placeTicks,
  startsBlock,
  tornEdge,
  wideFrame,
} from '../../../src/explain/drawing/svg-lane.ts';
import { drawnLane, drawnScene, killed } from './drawn-scenes.ts';
import type { Lane, Scene } from '../../../src/explain/timeline/scene.ts';

const lines = (markup: string): string => markup.replaceAll('><', '>\n<');
const rounded = (value: number): number => Math.round(value * 10) / 10;
const narrow = (lane: Lane, others: Partial<Scene> = {}, length = 400) =>
  placeLane(lane, narrowFrame(drawnScene([lane], others), 10, length));
const wide = (lane: Lane, others: Partial<Scene> = {}) => placeLane(lane, wideFrame(drawnScene([lane], others)));

/** `20 s @131: 117..145 in row 0`: the text of a mark, its moment, its edges and its row. */
const marksOf = ({ marks }: ReturnType<typeof placeLane>): string[] =>
  marks.map(
    ({ text, x, left, right, row, isStop }) =>
      `${text} @${rounded(x)}: ${rounded(left)}..${rounded(right)} in row ${row}${isStop ? ', stop' : ''}`,
  );
const edgesOf = ({ stretches }: ReturnType<typeof placeLane>): number[][] =>
  stretches.map(({ left, right }) => [rounded(left), rounded(right)]);

describe('a lane', () => {
  it('has its bar, the seconds above it and its title, in a picture of its own', () => {
    const lane = killed();
    const { markup, height } = laneBlock(lane, wideFrame(drawnScene([lane])), 100);
    expect(height).toBe(45);
    expect(lines(markup)).toMatchInlineSnapshot(`
      "<text x="186" y="136" text-anchor="end" font-size="12.5" class="ink" fill="#1d2127">Never healthy</text>
      <rect x="200" y="119" width="212.1" height="26" class="safe" fill="#2e9f5e">
      <title>0 to 20 s: Caption of guaranteed.</title>
      </rect>
      <text x="306.1" y="136" text-anchor="middle" font-size="12" font-weight="600" class="on-safe" fill="#ffffff">guaranteed</text>
      <rect x="412.1" y="119" width="116.7" height="26" fill="url(#unsure)">
      <title>20 to 31 s: Caption of may be killed.</title>
      </rect>
      <text x="470.5" y="136" text-anchor="middle" font-size="12" font-weight="600" class="on-unsure" fill="#3d2c00">may be killed</text>
      <rect x="528.8" y="119" width="318.2" height="26" fill="url(#stopping)">
      <title>31 to 61 s: Caption of being stopped.</title>
      </rect>
      <text x="687.9" y="136" text-anchor="middle" font-size="12" font-weight="600" class="on-stopping" fill="#6b0d14">being stopped</text>
      <rect x="847" y="119" width="53" height="26" class="dead" fill="#5b6069">
      <title>from 61 s on: Caption of dead.</title>
      </rect>
      <text x="873.5" y="136" text-anchor="middle" font-size="12" font-weight="600" class="on-dead" fill="#ffffff">dead</text>
      <path d="M412.1 115 V119" class="ink-line" stroke="#1d2127" stroke-width="1"/>
      <text x="412.1" y="112" text-anchor="middle" font-size="12" font-weight="600" class="ink" fill="#1d2127">20 s</text>
      <path d="M528.8 115 V148" class="red-line" stroke="#c8141f" stroke-width="3"/>
      <text x="528.8" y="112" text-anchor="middle" font-size="12" font-weight="700" class="red" fill="#c8141f">SIGTERM: 31 s</text>
      <path d="M847.0 115 V119" class="ink-line" stroke="#1d2127" stroke-width="1"/>
      <text x="847" y="112" text-anchor="middle" font-size="12" font-weight="600" class="ink" fill="#1d2127">61 s</text>"
    `);
  });

  it('has no title and a thin bar beside another scene, and is torn where time is left out', () => {
    const lane = killed(361);
    const { markup, height } = laneBlock(lane, narrowFrame(drawnScene([lane]), 10, 400), 0);
    expect(height).toBe(34);
    expect(lines(markup)).toMatchInlineSnapshot(`
      "<rect x="10" y="19" width="89.7" height="15" class="safe" fill="#2e9f5e">
      <title>0 to 20 s: Caption of guaranteed.</title>
      </rect>
      <text x="54.8" y="30.2" text-anchor="middle" font-size="11" font-weight="600" class="on-safe" fill="#ffffff">guaranteed</text>
      <rect x="99.7" y="19" width="49.3" height="15" fill="url(#unsure)">
      <title>20 to 31 s: Caption of may be killed.</title>
      </rect>
      <rect x="149" y="19" width="209" height="15" fill="url(#stopping)">
      <title>31 to 361 s (6 min 1 s): Caption of being stopped.</title>
      </rect>
      <text x="236.5" y="30.2" text-anchor="middle" font-size="11" font-weight="600" class="on-stopping" fill="#6b0d14">being stopped</text>
      <rect x="358" y="19" width="52" height="15" class="dead" fill="#5b6069">
      <title>from 361 s (6 min 1 s) on: Caption of dead.</title>
      </rect>
      <text x="384" y="30.2" text-anchor="middle" font-size="11" font-weight="600" class="on-dead" fill="#ffffff">dead</text>
      <path d="M324.0 37 l8 -21 h8 l-8 21 z" class="paper" fill="#ffffff"/>
      <path d="M324.0 37 l8 -21 M332.0 37 l8 -21" class="muted-line" stroke="#5b6069" stroke-width="1.4" fill="none"/>
      <path d="M99.7 15 V19" class="ink-line" stroke="#1d2127" stroke-width="1"/>
      <text x="99.7" y="12" text-anchor="middle" font-size="12" font-weight="600" class="ink" fill="#1d2127">20 s</text>
      <path d="M149.0 15 V37" class="red-line" stroke="#c8141f" stroke-width="3"/>
      <text x="195.6" y="12" text-anchor="middle" font-size="12" font-weight="700" class="red" fill="#c8141f">SIGTERM: 31 s</text>
      <path d="M358.0 15 V19" class="ink-line" stroke="#1d2127" stroke-width="1"/>
      <text x="358" y="12" text-anchor="middle" font-size="12" font-weight="600" class="ink" fill="#1d2127">361 s</text>"
    `);
  });

  it('has the marks of the lowest row next to the bar', () => {
    const lane = drawnLane('x', ['unsure', 1, 'a'], ['unsure', 2, 'b'], ['unsure', 3, 'c'], ['dead', Infinity, 'd']);
    const { markup, height } = laneBlock(lane, narrowFrame(drawnScene([lane]), 10, 400), 100);
    expect(height).toBe(64);
    expect(markup.match(/<path d="M[\d.]+ \d+ V\d+"[^>]*>|<text [^>]* font-size="12"[^>]*>[^<]*s<.text>/g))
      .toMatchInlineSnapshot(`
      [
        "<path d="M16.1 145 V149" class="ink-line" stroke="#1d2127" stroke-width="1"/>",
        "<text x="16.1" y="142" text-anchor="middle" font-size="12" font-weight="600" class="ink" fill="#1d2127">1 s</text>",
        "<path d="M22.1 130 V149" class="ink-line" stroke="#1d2127" stroke-width="1"/>",
        "<text x="22.1" y="127" text-anchor="middle" font-size="12" font-weight="600" class="ink" fill="#1d2127">2 s</text>",
        "<path d="M28.2 115 V149" class="ink-line" stroke="#1d2127" stroke-width="1"/>",
        "<text x="28.2" y="112" text-anchor="middle" font-size="12" font-weight="600" class="ink" fill="#1d2127">3 s</text>",
      ]
    `);
  });

  it('without an end of a stretch has no row of marks', () => {
    const lane = drawnLane('Traffic', ['serving', Infinity, 'gets traffic']);
    expect(laneBlock(lane, wideFrame(drawnScene([lane])), 0).height).toBe(30);
    expect(wide(lane)).toMatchObject({ marks: [], rows: 0 });
  });
});

describe('a stretch of time', () => {
  it('is drawn to scale, up to the end of the axis', () =>
    expect(edgesOf(narrow(killed()))).toEqual([
      [10, 131.2],
      [131.2, 197.9],
      [197.9, 379.7],
      [379.7, 410],
    ]));

  it('is at least four pixels wide, also at the end', () => {
    const short = drawnLane(
      'x',
      ['safe', 600, 'a'],
      ['unsure', 601, 'b'],
      ['stopping', 602, 'c'],
      ['dead', Infinity, 'd'],
    );
    expect(edgesOf(narrow(short, { end: 603 }))).toEqual([
      [10, 398],
      [398, 402],
      [402, 406],
      [406, 410],
    ]);
    const early = drawnLane('x', ['safe', 1, 'a'], ['unsure', 2, 'b'], ['dead', Infinity, 'd']);
    expect(edgesOf(narrow(early, { end: 1000 }))).toEqual([
      [10, 14],
      [14, 18],
      [18, 410],
    ]);
  });
});

describe('a label', () => {
  const frame = narrowFrame(drawnScene([]), 0, 400);
  const torn = narrowFrame(drawnScene([killed(361)]), 0, 400);
  const segment = { tone: 'safe', from: 0, to: 1, label: '0123456789', caption: '' } as const;

  it('is in the middle of its bar, if it fits with five pixels at each side', () => {
    expect(labelPlace({ segment, left: 20, right: 91 }, frame, 10)).toBe(55.5);
    expect(labelPlace({ segment, left: 20, right: 90.9 }, frame, 10)).toBeUndefined();
  });

  it('is in the wider part of a bar that is torn', () => {
    const { breakAt = 0 } = torn.scale;
    expect(breakAt).toBe(322);
    expect(labelPlace({ segment, left: 0, right: 400 }, torn, 10)).toBe((322 - 8) / 2);
    expect(labelPlace({ segment, left: 300, right: 422 }, torn, 10)).toBe((330 + 422) / 2);
    expect(labelPlace({ segment, left: 222, right: 422 }, torn, 10)).toBe((222 + 314) / 2);
    expect(labelPlace({ segment, left: 322, right: 400 }, torn, 10)).toBe(361);
    expect(labelPlace({ segment, left: 222, right: 322 }, torn, 10)).toBe(272);
  });
});

describe('the marks of a lane', () => {
  it('are centred above the ends of stretches, and name the kill', () => {
    expect(marksOf(wide(killed()))).toMatchInlineSnapshot(`
      [
        "20 s @412.1: 397.5..426.8 in row 0",
        "SIGTERM: 31 s @528.8: 481.2..576.4 in row 0, stop",
        "61 s @847: 832.3..861.6 in row 0",
      ]
    `);
    expect(marksOf(narrow(killed()))).toMatchInlineSnapshot(`
      [
        "20 s @131.2: 116.6..145.9 in row 0",
        "SIGTERM: 31 s @197.9: 196.9..292 in row 0, stop",
        "61 s @379.7: 365.1..394.3 in row 0",
      ]
    `);
  });

  it('name the preStop hook where a hook comes first', () =>
    expect(marksOf(wide({ ...killed(), stopSign: 'preStop' }))[1]).toMatch(/^preStop: 31 s .*, stop$/));

  it('have long times in minutes only where there is room', () => {
    const lane = drawnLane('x', ['safe', 290, 'a'], ['unsure', Infinity, 'b']);
    expect(marksOf(wide(lane, { end: 400 }))[0]).toMatch(/^290 s \(4 min 50 s\) @/);
    expect(marksOf(narrow(lane, { end: 400 }))[0]).toMatch(/^290 s @/);
  });

  const ENDS = [
    [20, 22, 24, 26],
    [1, 2, 3],
    [60, 61, 62],
    [10, 12, 40, 41, 42],
    [30, 36, 42, 48],
    [64, 65, 65.5],
  ];
  const lanesOf = (ends: readonly number[]) => {
    const lane = drawnLane('x', ...ends.map((end) => ['unsure', end, 'a'] as const), ['dead', Infinity, 'd']);
    return [wide(lane), narrow(lane)];
  };

  it.each(ENDS)('at %i, %i and %i s cover no other text', (...ends) => {
    for (const { marks, rows } of lanesOf(ends)) {
      expect(rows).toBe(Math.max(...marks.map(({ row }) => row)) + 1);
      for (const [index, { row, left }] of marks.entries())
        for (const other of marks.slice(0, index))
          if (other.row === row) expect(other.right + 8).toBeLessThanOrEqual(left);
    }
  });

  it('are as near to the bar as possible', () => {
    const marks = ENDS.flatMap((ends) => ['', ends.join(', '), ...lanesOf(ends).flatMap(marksOf)]);
    expect(marks.join('\n')).toMatchInlineSnapshot(`
      "
      20, 22, 24, 26
      20 s @412.1: 397.5..426.8 in row 0
      22 s @433.3: 418.7..448 in row 1
      24 s @454.5: 439.9..469.2 in row 0
      26 s @475.8: 461.1..490.4 in row 1
      20 s @131.2: 102.9..132.2 in row 0
      22 s @143.3: 115.1..144.3 in row 1
      24 s @155.5: 127.2..156.5 in row 2
      26 s @167.6: 166.6..195.9 in row 0

      1, 2, 3
      1 s @210.6: 189.6..211.6 in row 0
      2 s @221.2: 200.3..222.2 in row 1
      3 s @231.8: 230.8..252.8 in row 0
      1 s @16.1: 5.1..27 in row 0
      2 s @22.1: 11.1..33.1 in row 1
      3 s @28.2: 17.2..39.2 in row 2

      60, 61, 62
      60 s @836.4: 808.1..837.4 in row 0
      61 s @847: 818.7..848 in row 1
      62 s @857.6: 856.6..885.9 in row 0
      60 s @373.6: 345.4..374.6 in row 0
      61 s @379.7: 351.4..380.7 in row 1
      62 s @385.8: 384.8..414 in row 0

      10, 12, 40, 41, 42
      10 s @306.1: 291.4..320.7 in row 0
      12 s @327.3: 312.6..341.9 in row 1
      40 s @624.2: 596..625.2 in row 0
      41 s @634.8: 606.6..635.8 in row 1
      42 s @645.5: 644.5..673.7 in row 0
      10 s @70.6: 42.3..71.6 in row 0
      12 s @82.7: 81.7..111 in row 0
      40 s @252.4: 224.1..253.4 in row 0
      41 s @258.5: 230.2..259.5 in row 1
      42 s @264.5: 263.5..292.8 in row 0

      30, 36, 42, 48
      30 s @518.2: 503.5..532.8 in row 0
      36 s @581.8: 567.2..596.5 in row 0
      42 s @645.5: 630.8..660.1 in row 0
      48 s @709.1: 694.5..723.7 in row 0
      30 s @191.8: 177.2..206.5 in row 0
      36 s @228.2: 227.2..256.5 in row 0
      42 s @264.5: 249.9..279.2 in row 1
      48 s @300.9: 286.3..315.5 in row 0

      64, 65, 65.5
      64 s @878.8: 850.5..879.8 in row 0
      65 s @889.4: 861.1..890.4 in row 1
      65.5 s @894.7: 872.7..916.7 in row 2
      64 s @397.9: 369.6..398.9 in row 0
      65 s @402: 373.7..403 in row 1
      65.5 s @406: 363.1..407 in row 2"
    `);
  });
});

describe('the axis', () => {
  it('has ticks with their seconds, and says what the numbers are', () => {
    const { markup, height } = axisBlock(narrowFrame(drawnScene([killed()]), 10, 400, 4), 50);
    expect(height).toBe(26);
    expect(lines(markup)).toMatchInlineSnapshot(`
      "<path d="M10 52 h400" class="muted-line" stroke="#5b6069" stroke-width="1"/>
      <text x="-4" y="69" text-anchor="end" font-size="11" class="muted" fill="#5b6069">seconds</text>
      <path d="M10.0 52 v5" class="muted-line" stroke="#5b6069" stroke-width="1"/>
      <text x="10" y="69" text-anchor="middle" font-size="11" class="muted" fill="#5b6069">0</text>
      <path d="M131.2 52 v5" class="muted-line" stroke="#5b6069" stroke-width="1"/>
      <text x="131.2" y="69" text-anchor="middle" font-size="11" class="muted" fill="#5b6069">20</text>
      <path d="M252.4 52 v5" class="muted-line" stroke="#5b6069" stroke-width="1"/>
      <text x="252.4" y="69" text-anchor="middle" font-size="11" class="muted" fill="#5b6069">40</text>
      <path d="M373.6 52 v5" class="muted-line" stroke="#5b6069" stroke-width="1"/>
      <text x="373.6" y="69" text-anchor="middle" font-size="11" class="muted" fill="#5b6069">60</text>"
    `);
  });

  it('is torn where time is left out', () => {
    const { markup } = axisBlock(narrowFrame(drawnScene([killed(361)]), 10, 400, 4), 50);
    expect(markup).toContain('>seconds, not linear<');
    expect(markup.endsWith(tornEdge(332, 49, 6))).toBe(true);
  });

  it('leaves out a number that would touch the one before', () => {
    const scene = drawnScene([drawnLane('x', ['safe', 1000, 'a'], ['dead', Infinity, 'b'])], { end: 1000 });
    const texts = (length: number) => placeTicks(narrowFrame(scene, 0, length)).map(({ text }) => text);
    expect(texts(400)).toEqual(['0', '120', '240', '360', '480', '600', '720', '840', '960']);
    expect(texts(200)).toEqual(['0', '120', undefined, '360', undefined, '600', undefined, '840', undefined]);
    const scale = { placeOf: () => 0, breakAt: undefined, ticks: [0, 10.71, 10.709].map((at) => ({ at, seconds: 1 })) };
    const placed = placeTicks({ ...narrowFrame(scene, 5, 400), scale });
    expect(placed[0]).toEqual({ x: 5, text: '1' });
    expect(placed[1]?.text).toBe('1');
    const touching = placeTicks({
      ...narrowFrame(scene, 5, 400),
      scale: {
        ...scale,
        ticks: [
          { at: 0, seconds: 1 },
          { at: 10.709, seconds: 1 },
        ],
      },
    });
    expect(touching[1]).toEqual({ x: 15.709, text: undefined });
  });
});

it('a torn edge is two slanted lines over a gap', () =>
  expect(lines(tornEdge(100, 20, 15))).toMatchInlineSnapshot(`
  "<path d="M92.0 38 l8 -21 h8 l-8 21 z" class="paper" fill="#ffffff"/>
  <path d="M92.0 38 l8 -21 M100.0 38 l8 -21" class="muted-line" stroke="#5b6069" stroke-width="1.4" fill="none"/>"
`));

describe('measured starts', () => {
  it('are dots on the axis, each place once, with their range as title', () => {
    const frame = wideFrame(drawnScene([killed()], { starts: [10, 10.01, 20] }));
    const { markup, height } = startsBlock([10, 10.01, 20, 9000], 66, frame, 30);
    expect(height).toBe(14);
    expect(lines(markup)).toMatchInlineSnapshot(`
      "<text x="186" y="41" text-anchor="end" font-size="12.5" class="ink" fill="#1d2127">Measured starts</text>
      <g>
      <title>4 measured starts: 10 to 9000 s.</title>
      <circle cx="306" cy="37" r="3.5" class="ink" fill="#1d2127"/>
      <circle cx="412" cy="37" r="3.5" class="ink" fill="#1d2127"/>
      <circle cx="900" cy="37" r="3.5" class="ink" fill="#1d2127"/>
      </g>"
    `);
  });

  it('have no name beside another scene', () =>
    expect(startsBlock([10], 66, narrowFrame(drawnScene([]), 0, 100), 0).markup).toMatch(/^<g><title>One measured/));
});

it('a wide picture has room for titles, and thicker bars', () => {
  const scene = drawnScene([killed()]);
  expect(wideFrame(scene)).toMatchObject({ left: 200, length: 700, barHeight: 26, hasTitles: true });
  expect(narrowFrame(scene, 1, 300)).toMatchObject({ left: 1, length: 300, barHeight: 15, hasTitles: false });
  const ticks = (end: number): number[] =>
    wideFrame({ ...scene, lanes: [], end }).scale.ticks.map(({ seconds }) => seconds);
  expect(ticks(66)).toEqual([0, 10, 20, 30, 40, 50, 60]);
  expect(ticks(110)).toEqual([0, 20, 40, 60, 80, 100]);
});
