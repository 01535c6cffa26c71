import { escapeXml } from '../../base/text/xml.ts';
import type { Markup } from '../../base/text/xml.ts';

/** Signs of the start strips, with their meanings. */
const SIGNS: readonly (readonly [name: string, meaning: string])[] = [
  ['safe', 'guaranteed time to start'],
  ['unsure', 'may pass or be killed'],
  ['rest', 'killed'],
  ['free', 'no limit'],
];

const LEARNED: readonly (readonly [name: string, meaning: string])[] = [
  ['dot', 'a learned start'],
  ['late', 'a learned start that is not guaranteed'],
];

/** The meaning of the strips of the rows. All strips have one scale, up to an hour. */
export function legendMarkup(hasLearned: boolean): Markup {
  const bars = SIGNS.map(([name, meaning]) => entry(`<path class=${name} d="M0 6h26"/>`, meaning));
  const dots = LEARNED.map(([name, meaning]) => entry(`<circle class=${name} cx=13 cy=6 r=3.5 />`, meaning));
  const scale = 'Strips: 0 s to 1 h, the same scale for all.';
  return [...bars, ...(hasLearned ? dots : []), `<span>${scale}</span>`].join(' ');
}

function entry(sign: Markup, meaning: string): Markup {
  return `<span><svg viewBox="0 0 26 12" aria-hidden=true>${sign}</svg>${escapeXml(meaning)}</span>`;
}
