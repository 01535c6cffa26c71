import { AREAS, type Figure } from '../../test/robustness/figures.ts';

/** The tables of bench/ROBUSTNESS.md, one an area. */
export function reliabilityTables(figures: readonly Figure[], machine: string): string {
  const tables = AREAS.map((area) => {
    const rows = figures.filter((figure) => figure.area === area);
    return `### ${area}\n\n| scenario | what came of it |\n|---|---|\n${rows.map(({ scenario, figure }) => `| ${cell(scenario)} | ${cell(figure)} |\n`).join('')}`;
  });
  return `Measured on ${machine}.\n\n${tables.join('\n')}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}
