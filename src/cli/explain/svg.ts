import { cut } from '../../text/cut.ts';
import { visible } from '../../text/visible.ts';
import { wrap } from '../../text/wrap.ts';
import { escapeXml } from '../../text/xml.ts';
import { tickStep } from './seconds.ts';
import { averageWidth, element, textAt } from './svg-elements.ts';
import { AXIS_LEFT, AXIS_LENGTH, FILLS, hatchings, laneBlock, RED } from './svg-lane.ts';
import { timesText } from './text.ts';
import type { ContainerExplanation, ProbeExplanation, WorkloadExplanation } from './model.ts';
import type { Lane, Scene } from './scenes.ts';
import type { Markup } from '../../text/xml.ts';
import type { Block } from './svg-lane.ts';

/** Width of the picture and its margin, in pixels. */
const WIDTH = 960;
const MARGIN = 28;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif";
const INK = '#1d2127';
const MUTED = '#5b6069';

/** One workload as a self-contained SVG picture: no script, no font, no other file. */
export function explanationAsSvg(workload: WorkloadExplanation): string {
  const sheet = new Sheet();
  const title = `${workload.kind} ${workload.namespace}/${workload.name}`;
  sheet.line(title, { size: 20, weight: 700, after: 6 });
  sheet.line(workload.place, { size: 12, fill: MUTED, after: 10 });
  for (const container of workload.containers) drawContainer(sheet, container);
  if (workload.notInjected.length > 0) {
    sheet.gap(14);
    sheet.line('Why it got no other probes', { size: 14, weight: 700, after: 4 });
    for (const reason of workload.notInjected) sheet.paragraph(`- ${reason}`, { size: 12, after: 3 });
  }
  sheet.gap(12);
  sheet.paragraph(FOOTNOTE, { size: 11, fill: MUTED });
  const description = workload.containers.map(({ name, headline }) => `${name}: ${headline}`).join(' ');
  return sheet.svg(title, description);
}

const FOOTNOTE =
  'Times are the bounds of the kubelet’s own arithmetic. It may notice the start of a container up to 2 s late, which shifts the axis of ' +
  'the start by as much. Two slanted lines in a bar: time is left out there.';

function drawContainer(sheet: Sheet, container: ContainerExplanation): void {
  sheet.rule();
  const role = container.role === 'sidecar' ? 'native sidecar' : 'container';
  sheet.line(`${role} ${container.name}`, { size: 16, weight: 700, after: 6 });
  sheet.paragraph(container.headline, { size: 14, weight: 600, fill: INK, after: 6 });
  for (const caveat of container.caveats) sheet.paragraph(`Caution: ${caveat}`, { size: 12, fill: RED, after: 4 });
  if (container.probes.length === 0) sheet.line('It has no probes.', { size: 12, fill: MUTED, after: 2 });
  for (const probe of container.probes) sheet.paragraph(probeText(probe), { size: 12, fill: MUTED, after: 3 });
  for (const scene of container.scenes) drawScene(sheet, scene);
}

function probeText({ kind, handler, from, letters }: ProbeExplanation): string {
  const { D = 0, P = 0, T = 0, F = 0, S = 1 } = letters;
  const times = [
    ...(D > 0 ? [`after ${D} s`] : []),
    `every ${P} s`,
    `${T} s to answer`,
    F === 1 ? 'one failure is enough' : `${F} failures in a row`,
    ...(S > 1 ? [`${S} successes to pass`] : []),
  ];
  return `${kind} from ${from}: ${cut(visible(handler), 60, '…')}, ${times.join(', ')}`;
}

function drawScene(sheet: Sheet, scene: Scene): void {
  sheet.gap(16);
  sheet.line(`${scene.title}  (${scene.origin})`, { size: 14, weight: 700, after: 2 });
  for (const lane of scene.lanes) {
    sheet.block((top) => laneBlock(lane, scene.end, top));
    sheet.gap(6);
  }
  sheet.block((top) => axisBlock(scene.end, top));
  for (const lane of scene.lanes) drawCaptions(sheet, lane);
}

/** Seconds below the lanes. */
function axisBlock(end: number, top: number): Block {
  const step = tickStep(end, 10);
  const parts = [
    element('path', { d: `M${AXIS_LEFT} ${top + 2} h${AXIS_LENGTH}`, stroke: MUTED, 'stroke-width': 1 }),
    textAt(AXIS_LEFT - 14, top + 19, 'seconds', { 'text-anchor': 'end', 'font-size': 11, fill: MUTED }),
  ];
  for (let at = 0; at <= end; at += step) {
    const x = AXIS_LEFT + (at / end) * AXIS_LENGTH;
    parts.push(element('path', { d: `M${x.toFixed(1)} ${top + 2} v5`, stroke: MUTED, 'stroke-width': 1 }));
    parts.push(textAt(x, top + 19, String(at), { 'text-anchor': 'middle', 'font-size': 11, fill: MUTED }));
  }
  return { markup: parts.join(''), height: 26 };
}

/** What each stretch of a lane means, beside its colour. */
function drawCaptions(sheet: Sheet, lane: Lane): void {
  sheet.gap(4);
  sheet.line(lane.title, { size: 12, weight: 700, after: 2 });
  for (const segment of lane.segments) {
    const isStop = segment.tone === 'stopping' && segment.from === lane.stopAt;
    sheet.block((top) => {
      const lines = wrap(`${timesText(segment)}: ${segment.caption}`, CAPTION_CHARACTERS);
      const swatch = element('rect', { x: MARGIN, y: top + 2, width: 16, height: 12, fill: FILLS[segment.tone] });
      const marker = element('rect', { x: MARGIN, y: top + 1, width: 3, height: 14, fill: RED });
      const texts = lines.map((line, index) =>
        textAt(MARGIN + 24, top + 12 + index * 16, line, { 'font-size': 12, fill: INK }),
      );
      return { markup: [swatch, ...(isStop ? [marker] : []), ...texts].join(''), height: lines.length * 16 + 1 };
    });
  }
}

const CAPTION_CHARACTERS = Math.floor((WIDTH - 2 * MARGIN - 24) / averageWidth(12));

interface LineStyle {
  readonly size: number;
  readonly weight?: number;
  readonly fill?: string;
  /** Pixels below. */
  readonly after?: number;
}

/** A page that grows downwards. */
class Sheet {
  readonly #parts: Markup[] = [];
  #y = MARGIN;

  gap(pixels: number): void {
    this.#y += pixels;
  }

  /** One line, cut when it is longer than the page is wide. */
  line(text: string, { size, weight = 400, fill = INK, after = 0 }: LineStyle): void {
    const fitting = Math.floor((WIDTH - 2 * MARGIN) / averageWidth(size));
    const line = cut(visible(text), fitting, '…');
    this.#parts.push(textAt(MARGIN, this.#y + size, line, { 'font-size': size, 'font-weight': weight, fill }));
    this.#y += size * 1.25 + after;
  }

  paragraph(text: string, style: LineStyle): void {
    const lines = wrap(visible(text), Math.floor((WIDTH - 2 * MARGIN) / averageWidth(style.size)));
    for (const line of lines) this.line(line, { ...style, after: 0 });
    this.gap(style.after ?? 0);
  }

  block(draw: (top: number) => Block): void {
    const { markup, height } = draw(this.#y);
    this.#parts.push(markup);
    this.#y += height;
  }

  rule(): void {
    this.gap(16);
    const d = `M${MARGIN} ${this.#y.toFixed(1)} H${WIDTH - MARGIN}`;
    this.#parts.push(element('path', { d, stroke: '#c9ced6', 'stroke-width': 1 }));
    this.gap(12);
  }

  svg(title: string, description: string): string {
    const height = Math.ceil(this.#y + MARGIN);
    const root = {
      xmlns: 'http://www.w3.org/2000/svg',
      width: WIDTH,
      height,
      viewBox: `0 0 ${WIDTH} ${height}`,
      role: 'img',
      'font-family': FONT,
    };
    const children = [
      element('title', {}, escapeXml(title)),
      element('desc', {}, escapeXml(description)),
      hatchings(),
      element('rect', { width: WIDTH, height, fill: '#ffffff' }),
      ...this.#parts,
    ];
    return `${element('svg', root, ...children.map((child) => `\n${child}`), '\n')}\n`;
  }
}
