import { count, cut } from '../../base/text/cut.ts';
import { duration } from '../../base/text/duration.ts';
import { escapeXml, type Markup } from '../../base/text/visible.ts';
import { figureOf } from '../timeline/figures.ts';
import { rangeOfStarts } from '../timeline/scene.ts';
import type { ContainerExplanation } from '../timeline/explanation.ts';
import type { Span } from '../../engine/time/timing.ts';

/** Size of a strip, in pixels. */
const WIDTH = 240;
const HEIGHT = 18;

/** Containers with a bar of their own; more do not fit into the height. The time line shows all. */
const MOST_BARS = 3;

/** The end of the scale, in seconds. */
const END = 3600;

/** Below this many seconds the scale is nearly linear, above it is logarithmic. */
const KNEE = 10;

/** Longest name of a container, in characters. */
const MOST_NAME = 63;

/** The moments that the scale names, by their seconds. Each strip has ticks at those between its ends. */
const NAMED = Object.entries({ 0: '0', 10: '10 s', 60: '1 min', 600: '10 min', [END]: '1 h' });

/** Where a moment is on a strip, in pixels. All strips of a page share one scale. */
function stripPlace(seconds: number): number {
  return Math.round((WIDTH * Math.log1p(Math.min(seconds, END) / KNEE)) / Math.log1p(END / KNEE));
}

/** The ticks that all strips share, as a drawing of the page. */
export function stripTicks(): Markup {
  const lines = NAMED.slice(1, -1).map(([seconds]) => `M${stripPlace(Number(seconds))} 0v${HEIGHT}`);
  return `<g id=ticks><path class=tick d="${lines.join('')}"/></g>`;
}

/** The scale of the strips: the names of its moments, each above its tick. */
export function stripScale(): Markup {
  const texts = NAMED.map(([seconds, name]) => `<text x=${stripPlace(Number(seconds))} y=11>${name}</text>`);
  return `<svg class=scale aria-hidden=true>${texts.join('')}<use href=#ticks y=14 /></svg>`;
}

/**
 * The start of a workload in one line: a bar for each container, a dot for each learned start, a ring if it is late.
 */
export function startStrip(containers: readonly ContainerExplanation[]): Markup {
  const shown = containers.slice(0, MOST_BARS);
  const distance = HEIGHT / Math.max(1, shown.length);
  const parts = shown.map((container, index) => {
    const y = distance * (index + 0.5);
    const start = startOf(container);
    const bars = container.unknown.includes('starts') ? '' : barMarkup(start, y);
    return bars + dotsMarkup(container.measured, start?.earliest ?? Infinity, y);
  });
  const more = containers.length - shown.length;
  const words = [...shown.map(startInWords), ...(more > 0 ? [count(more, 'more container')] : [])].join('. ');
  // The style sheet has the width of one bar.
  const width = shown.length === 1 ? '' : ` stroke-width=${Math.floor(distance) - 1}`;
  return `<svg class=strip role=img${width} aria-label="${escapeXml(words)}">${parts.join('')}<use href=#ticks /></svg>`;
}

/** The content of a container's strip, in words. */
function startInWords(container: ContainerExplanation): string {
  const [name, start] = [cut(container.name, MOST_NAME, '…'), startOf(container)];
  const { length } = container.measured;
  const limit =
    start === undefined
      ? container.unknown.includes('starts')
        ? 'the time to start is not known'
        : 'no limit on the time to start'
      : `guaranteed ${duration(start.earliest)} to start, at most ${duration(start.latest)}`;
  const learned = length === 0 ? '' : `; learned starts: ${length}, ${rangeOfStarts(container.measured)}`;
  return `${name}: ${limit}${learned}`;
}

/** Seconds to start: guaranteed, and the longest start that can pass. Undefined when no probe limits the start. */
function startOf({ figures }: ContainerExplanation): Span | undefined {
  return figureOf(figures, 'time-to-start')?.span;
}

function barMarkup(start: Span | undefined, y: number): Markup {
  if (start === undefined) return bar('free', 0, WIDTH, y);
  const [guaranteed, longest] = [stripPlace(start.earliest), stripPlace(start.latest)];
  return [
    bar('rest', longest, WIDTH, y),
    bar('safe', 0, guaranteed, y),
    // A stretch of a second must still be seen.
    bar('unsure', guaranteed, Math.max(longest, guaranteed + 2), y),
  ].join('');
}

function bar(name: string, left: number, right: number, y: number): Markup {
  return right <= left ? '' : `<path class=${name} d="M${left} ${y}h${right - left}"/>`;
}

function dotsMarkup(learned: readonly number[], guaranteed: number, y: number): Markup {
  const places = new Map<number, boolean>();
  for (const seconds of learned) {
    const x = Math.min(WIDTH - 3, Math.max(3, stripPlace(seconds)));
    places.set(x, (places.get(x) ?? false) || seconds > guaranteed);
  }
  return [...places]
    .map(([x, isLate]) => `<circle class=${isLate ? 'late' : 'dot'} cx=${x} cy=${y} r=${isLate ? 3.5 : 2.5} />`)
    .join('');
}
