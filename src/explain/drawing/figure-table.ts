import { figureTitle } from '../timeline/figure.ts';
import { TEXT_WIDTH } from './text-width.ts';
import type { Figure, FormulaInputs } from '../timeline/figure.ts';

/** The values of letters, as text: `D=0 P=10`. */
export function inputsText(inputs: FormulaInputs): string {
  return Object.entries(inputs)
    .map(([letter, value]) => `${letter}=${value}`)
    .join(' ');
}

/** Figures as the lines of a table, with the probe that they belong to as a heading. */
export function figureTable(figures: readonly Figure[]): string[] {
  if (figures.length === 0) return [];
  const rows = figures.map((figure) => ({
    title: figureTitle(figure),
    earliest: `${figure.span.earliest} s`,
    latest: `${figure.span.latest} s`,
    formula: `${figure.formula.earliest} .. ${figure.formula.latest}`,
    inputs: inputsText(figure.inputs),
    probe: figure.probe,
  }));
  const width = (column: 'title' | 'earliest' | 'latest', least: number): number =>
    Math.max(least, ...rows.map((row) => row[column].length));
  const [title, earliest, latest] = [width('title', 0), width('earliest', 8), width('latest', 6)];
  const head = `    ${''.padEnd(title)}  ${'earliest'.padStart(earliest)}  ${'latest'.padStart(latest)}  worked out as`;
  let probe = '';
  const lines = rows.flatMap((row) => {
    const section = row.probe === probe ? [] : [`    ${row.probe}`];
    probe = row.probe;
    const cells = [row.title.padEnd(title), row.earliest.padStart(earliest), row.latest.padStart(latest)];
    const start = `      ${cells.join('  ')}  `;
    const formula = `${start}${row.formula}`;
    const inputs = `with ${row.inputs}`;
    const isShort = formula.length + 2 + inputs.length <= TEXT_WIDTH;
    return [...section, ...(isShort ? [`${formula}, ${inputs}`] : [formula, `${' '.repeat(start.length)}${inputs}`])];
  });
  return [head.replace(/^ {4}/, '      '), ...lines, ''];
}
