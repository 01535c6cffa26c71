import { EXCEPTION_SETTINGS, EXCEPTION_SPEC } from '../../src/engine/policy/exception-schema.ts';
import { POLICY_SPEC } from '../../src/engine/policy/schema.ts';
import type { Field, Fields } from '../../src/engine/policy/field.ts';
import { markdownTable, plainText } from './markdown-table.ts';

/** The tables of fields in docs/, by name, in the words of `kubectl explain`. */
export function fieldTables(): Readonly<Record<string, string>> {
  const isOfCluster = ([, { only }]: readonly [string, Field]): boolean => only === 'ClusterProbePolicy';
  const fields = Object.entries(POLICY_SPEC.fields);
  const slowStart = fieldsOf(POLICY_SPEC.fields['slowStart']);
  const all = fields.flatMap((entry): (readonly [string, Field])[] =>
    entry[0] === 'slowStart' ? [entry, ...Object.entries(slowStart).map(below('slowStart'))] : [entry],
  );
  return {
    'fields of policies': tableOf(all.filter((entry) => !isOfCluster(entry))),
    'fields of cluster policies': tableOf(all.filter(isOfCluster)),
    'fields of exceptions': tableOf(Object.entries(EXCEPTION_SPEC.fields)),
    'what policies allow': tableOf(Object.entries(EXCEPTION_SETTINGS.fields)),
    'learned start times': tableOf(Object.entries(fieldsOf(slowStart['learned']))),
  };
}

const below =
  (parent: string) =>
  ([name, field]: readonly [string, Field]): readonly [string, Field] => [`${parent}.${name}`, field];

function fieldsOf(field: Field | undefined): Fields {
  if (field?.type !== 'object') throw new Error('the field has no fields');
  return field.fields;
}

/** A column that no field of the table needs is left out. */
function tableOf(fields: readonly (readonly [string, Field])[]): string {
  const rows = fields.map(([name, field]) => {
    const { text, otherwise, required } = field;
    return [
      `\`${name}\``,
      `${plainText(text)}${required === undefined ? '' : ' Required.'}`,
      otherwise === undefined || otherwise === 'nothing' ? '' : String(otherwise),
      rangeOf(field),
    ];
  });
  const head = ['field', 'meaning', 'default', 'range'];
  const needed = head.map((_, column) => rows.some((cells) => cells[column] !== ''));
  const cut = (cells: readonly string[]): string[] => cells.filter((_, column) => needed[column]);
  return markdownTable(cut(head), rows.map(cut));
}

function rangeOf(field: Field): string {
  if (field.type !== 'integer' && field.type !== 'number') return '';
  const { minimum, maximum } = field;
  return minimum === undefined || maximum === undefined ? '' : `${minimum} to ${maximum}`;
}
