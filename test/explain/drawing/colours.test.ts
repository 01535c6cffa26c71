import { describe, expect, it } from 'vitest';
import {
  INK,
  MUTED,
  PAINTS,
  PAPER,
  RED,
  RULE,
  definitions,
  filled,
  hatched,
  inkOn,
  pageHatchings,
  stroked,
  toned,
  tones,
  type Paint,
} from '../../../src/explain/drawing/colours.ts';

/** The contrast of two colours, from 1 to 21 (WCAG 2.2, contrast ratio). */
function contrast(one: string, other: string): number {
  const [a, b] = [one, other].map((colour) => {
    const [r = 0, g = 0, blue = 0] = [1, 3, 5].map((at) => {
      const value = parseInt(colour.slice(at, at + 2), 16) / 255;
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
  });
  return (Math.max(a ?? 0, b ?? 0) + 0.05) / (Math.min(a ?? 0, b ?? 0) + 0.05);
}

const paint = (name: string): Paint => {
  const found = PAINTS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no colour ${name}`);
  return found;
};

describe('the colours', () => {
  it('have a tone for each meaning, and stripes where nobody knows for sure', () => {
    expect(tones).toEqual(['safe', 'unsure', 'stopping', 'dead', 'unnoticed', 'idle', 'maybe', 'serving']);
    expect(hatched).toEqual(['unsure', 'stopping', 'maybe']);
  });

  it('of a page are those of lines, grounds, texts and stripes, each once', () => {
    const names = PAINTS.map(({ name }) => name);
    expect(names).toEqual([
      ...['paper', 'ink', 'muted', 'rule', 'red'],
      ...tones,
      ...hatched.map((tone) => `${tone}-stripe`),
      ...tones.map((tone) => `on-${tone}`),
    ]);
    for (const { light, dark } of PAINTS) expect([light, dark].join()).toMatch(/^#[0-9a-f]{6},#[0-9a-f]{6}$/);
  });

  it.each(['light', 'dark'] as const)('let people read text on paper and on each tone, in %s mode', (mode) => {
    for (const { [mode]: ink } of [INK, MUTED, RED]) expect(contrast(ink, PAPER[mode])).toBeGreaterThan(4.5);
    for (const tone of tones) expect(contrast(inkOn(tone)[mode], paint(tone)[mode])).toBeGreaterThan(3);
    for (const tone of hatched) expect(contrast(inkOn(tone)[mode], paint(`${tone}-stripe`)[mode])).toBeGreaterThan(3);
  });

  it('are attributes of a shape, a line and a bar', () => {
    expect(filled(INK)).toEqual({ class: 'ink', fill: '#1d2127' });
    expect(stroked(RULE)).toEqual({ class: 'rule-line', stroke: '#c9ced6' });
    expect(toned('safe')).toEqual({ class: 'safe', fill: '#2e9f5e' });
    expect(toned('maybe')).toEqual({ fill: 'url(#maybe)' });
  });
});

it('the definitions of a picture hold the colours of dark mode and the hatchings', () =>
  expect(definitions().replaceAll('}.', '}\n.').replaceAll('><', '>\n<')).toMatchInlineSnapshot(`
    "<style>@media (prefers-color-scheme:dark){.paper{fill:#0d1117}
    .ink{fill:#e6edf3}
    .muted{fill:#9aa4b1}
    .rule{fill:#3a434e}
    .red{fill:#ff7b72}
    .safe{fill:#2a8f55}
    .unsure{fill:#c78f0a}
    .stopping{fill:#8c2f37}
    .dead{fill:#6b7480}
    .unnoticed{fill:#a8705a}
    .idle{fill:#30363d}
    .maybe{fill:#1f4a73}
    .serving{fill:#3273b3}
    .unsure-stripe{fill:#a87300}
    .stopping-stripe{fill:#6e2129}
    .maybe-stripe{fill:#2d6296}
    .on-safe{fill:#ffffff}
    .on-unsure{fill:#1a1200}
    .on-stopping{fill:#ffe3e5}
    .on-dead{fill:#ffffff}
    .on-unnoticed{fill:#ffffff}
    .on-idle{fill:#c3ccd6}
    .on-maybe{fill:#e3f0fc}
    .on-serving{fill:#ffffff}
    .paper-line{stroke:#0d1117}
    .ink-line{stroke:#e6edf3}
    .muted-line{stroke:#9aa4b1}
    .rule-line{stroke:#3a434e}
    .red-line{stroke:#ff7b72}}</style>
    <defs>
    <pattern id="unsure" width="10" height="10" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect width="10" height="10" class="unsure" fill="#ffc233"/>
    <rect width="5" height="10" class="unsure-stripe" fill="#f2a100"/>
    </pattern>
    <pattern id="stopping" width="10" height="10" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect width="10" height="10" class="stopping" fill="#f9c9cc"/>
    <rect width="5" height="10" class="stopping-stripe" fill="#ef9aa0"/>
    </pattern>
    <pattern id="maybe" width="10" height="10" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect width="10" height="10" class="maybe" fill="#cfe3f5"/>
    <rect width="5" height="10" class="maybe-stripe" fill="#9cc6ea"/>
    </pattern>
    </defs>"
  `));

it('the hatchings of a page take their colours from the style sheet of the page', () =>
  expect(pageHatchings().replaceAll('><', '>\n<')).toMatchInlineSnapshot(`
    "<pattern id="unsure" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect width="8" height="8" fill="var(--unsure)"/>
    <rect width="4" height="8" fill="var(--unsure-stripe)"/>
    </pattern>
    <pattern id="stopping" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect width="8" height="8" fill="var(--stopping)"/>
    <rect width="4" height="8" fill="var(--stopping-stripe)"/>
    </pattern>
    <pattern id="maybe" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect width="8" height="8" fill="var(--maybe)"/>
    <rect width="4" height="8" fill="var(--maybe-stripe)"/>
    </pattern>"
  `));
