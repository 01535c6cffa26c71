import { quoted } from '../../base/json/quoted-value.ts';
import { cut } from '../../base/text/cut.ts';
import { visible } from '../../base/text/visible.ts';
import { wrapEvenly } from '../../base/text/wrap.ts';
import { TEXT_WIDTH } from './text-width.ts';
import type { FieldExplanation, FieldSetter, FieldSetting, ProbeFields } from '../timeline/explanation.ts';

/** Columns of a value. Longer values use the next column too. */
const MOST_VALUE = 32;

/** Each field of each probe, with its value and what set it. Overridden values have lines of their own. */
export function fieldTable(probes: readonly ProbeFields[]): string[] {
  if (probes.length === 0) return ['    no probes', ''];
  return probes.flatMap(({ kind, fields }) => [`    ${kind}`, ...fieldLines(fields), '']);
}

function fieldLines(fields: readonly FieldExplanation[]): string[] {
  const rows = fields.map(({ field, value, setBy, overrides }) => ({
    field: visible(cut(field, MOST_VALUE)),
    value: valueText(value),
    texts: [setterText(setBy), ...overrides.map((setting) => `instead of ${settingText(setting)}`)],
  }));
  const width = (column: 'field' | 'value'): number => Math.max(...rows.map((row) => row[column].length));
  const [first, second] = [width('field'), Math.min(MOST_VALUE, width('value'))];
  const indent = ' '.repeat(6 + first + 2 + second + 2);
  return rows.flatMap(({ field, value, texts }) => {
    const lines = texts.flatMap((text) => wrapEvenly(visible(text), TEXT_WIDTH - indent.length));
    const start = `      ${field.padEnd(first)}  ${value.padEnd(second)}`;
    return lines.map((line, index) => (index === 0 ? `${start}  ${line}` : `${indent}${line}`));
  });
}

/** Plain words as they are, everything else as JSON. */
function valueText(value: unknown): string {
  const isPlain = typeof value === 'string' && /^[\w./-]{1,60}$/.test(value);
  return isPlain ? value : visible(quoted(value));
}

function setterText(setBy: FieldSetter): string {
  const { place, asked } = setBy;
  const at = place === undefined ? '' : ` (${place})`;
  switch (setBy.by) {
    case 'manifest':
      return `the manifest${at}`;
    case 'annotation':
      return `an annotation of the workload${at}`;
    case 'policy':
      return `${setBy.source ?? ''}${at}`;
    case 'default':
      return asked === undefined
        ? 'default of Kubernetes'
        : `default of Kubernetes, by the null of ${sourceText(asked)}`;
    case 'slow-start':
      return asked === undefined
        ? 'rule for slow starts'
        : `rule for slow starts, by ${lastOf(asked)} ${settingText(asked)}`;
    case 'restart':
      return 'rule for safe restarts';
    case 'livenessProbe':
    case 'readinessProbe':
    case 'startupProbe':
      return `copied from the ${setBy.by}`;
    case 'ports':
      return "inferred from the container's ports";
  }
}

function settingText(setting: FieldSetting): string {
  return `${valueText(setting.value)} of ${sourceText(setting)}`;
}

function sourceText({ source, place }: FieldSetting): string {
  return place === undefined ? source : `${source} (${place})`;
}

function lastOf({ field }: FieldSetting): string {
  return field.split(/[./]/).at(-1) ?? '';
}
