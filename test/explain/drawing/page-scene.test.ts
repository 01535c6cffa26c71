import { describe, expect, it } from 'vitest';
import { PAGE_SCENE_WIDTH, pageScene, sceneInWords } from '../../../src/explain/drawing/page-scene.ts';
import { drawnLane, drawnScene, killed } from './drawn-scenes.ts';

const lines = (markup: string): string => markup.replaceAll('><', '>\n<');

describe('a scene of a page', () => {
  it('has its heading, its lanes and an axis, each as short as HTML allows', () => {
    const traffic = drawnLane('Traffic', ['idle', 5, 'none'], ['maybe', 30, 'soon'], ['serving', Infinity, 'served']);
    const { markup, height } = pageScene(drawnScene([killed(), traffic]));
    expect(height).toBe(171);
    expect(lines(markup)).toMatchInlineSnapshot(`
      "<text class=head y=12>First start</text>
      <text class=lane y=28>second 0 = it starts</text>
      <text class=lane y=49>Never healthy</text>
      <path class=safe d="M2 80h120"/>
      <text x=62 y=84>guaranteed</text>
      <path class=unsure d="M122 80h66"/>
      <path class=stopping d="M188 80h180"/>
      <text x=278 y=84>being stopped</text>
      <path class=dead d="M368 80h30"/>
      <path class=tick d="M122 70V72"/>
      <text x=122 y=67>20 s</text>
      <path class=stop d="M188 70V90"/>
      <text x=235 y=67>SIGTERM: 31 s</text>
      <path class=tick d="M368 70V72"/>
      <text x=368 y=67>61 s</text>
      <text class=lane y=107>Traffic</text>
      <path class=idle d="M2 138h30"/>
      <path class=maybe d="M32 138h150"/>
      <text x=107 y=142>soon</text>
      <path class=serving d="M182 138h216"/>
      <text x=290 y=142>served</text>
      <path class=tick d="M32 128V130"/>
      <text x=32 y=125>5 s</text>
      <path class=tick d="M182 128V130"/>
      <text x=182 y=125>30 s</text>
      <path class=tick d="M2 154v4M122 154v4M242 154v4M362 154v4"/>
      <text class=at y=168>
      <tspan x=4>0</tspan>
      <tspan x=122>20</tspan>
      <tspan x=242>40</tspan>
      <tspan x=362>60</tspan>
      </text>"
    `);
  });

  it('is torn where time is left out, and says so below the axis', () => {
    const { markup, height } = pageScene(drawnScene([killed(361)]));
    expect(height).toBe(130);
    expect(lines(markup)).toMatchInlineSnapshot(`
      "<text class=head y=12>First start</text>
      <text class=lane y=28>second 0 = it starts</text>
      <text class=lane y=49>Never healthy</text>
      <path class=safe d="M2 80h88"/>
      <text x=46 y=84>guaranteed</text>
      <path class=unsure d="M90 80h49"/>
      <path class=stopping d="M139 80h207"/>
      <text x=226 y=84>being stopped</text>
      <path class=dead d="M346 80h52"/>
      <text x=372 y=84>dead</text>
      <path class=torn d="M313 90.5l7-21h7l-7 21z"/>
      <path class=tick d="M90 70V72"/>
      <text x=90 y=67>20 s</text>
      <path class=stop d="M139 70V90"/>
      <text x=186 y=67>SIGTERM: 31 s</text>
      <path class=tick d="M346 70V72"/>
      <text x=346 y=67>361 s</text>
      <path class=tick d="M2 96v4M90 96v4M179 96v4M267 96v4M346 96v4"/>
      <text class=at y=110>
      <tspan x=4>0</tspan>
      <tspan x=90>20</tspan>
      <tspan x=179>40</tspan>
      <tspan x=267>60</tspan>
      <tspan x=346>361</tspan>
      </text>
      <text class=lane y=124>seconds, not linear</text>"
    `);
  });

  it('asks for its phrases, so that a page draws each once', () => {
    const asked: unknown[] = [];
    const { markup } = pageScene(drawnScene([killed(361)]), (words, y, name) => {
      asked.push([words, y, name]);
      return '';
    });
    expect(asked).toEqual([
      ['Never healthy', 49, 'lane'],
      ['First start', 12, 'head'],
      ['second 0 = it starts', 28, 'lane'],
      ['seconds, not linear', 124, 'lane'],
    ]);
    expect(markup).not.toMatch(/class=(head|lane)/);
  });

  it('keeps the texts of marks and ticks inside', () => {
    const { markup } = pageScene(
      drawnScene([drawnLane('x', ['safe', 0.5, 'a'], ['stopping', 65.9, 'b'], ['dead', Infinity, 'c'])]),
    );
    const places = [...markup.matchAll(/<(?:text|tspan)(?: class=\w+)? x=(\d+)/g)].map(([, x]) => Number(x));
    expect(places.length).toBeGreaterThan(4);
    expect([Math.min(...places), Math.max(...places) < PAGE_SCENE_WIDTH]).toEqual([4, true]);
    expect(markup).toContain('<tspan x=4>0</tspan>');
  });

  it('has texts escaped', () => {
    const { markup } = pageScene(drawnScene([drawnLane('<x>', ['safe', Infinity, '<label>'])], { title: '<title>' }));
    expect(markup).not.toMatch(/<(x|label|title)>/);
  });
});

it('a scene in words has the times and labels of each lane', () =>
  expect(sceneInWords(drawnScene([killed(361), drawnLane('Traffic', ['serving', Infinity, 'served'])]))).toBe(
    'First start (second 0 = it starts). Never healthy: 0 to 20 s: guaranteed; 20 to 31 s: may be killed; ' +
      '31 to 361 s (6 min 1 s): being stopped; from 361 s (6 min 1 s) on: dead. Traffic: from 0 s on: served.',
  ));
