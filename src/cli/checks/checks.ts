import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { checkUrl } from '../../engine/checks/violation.ts';
import { jsonText } from '../../base/text/visible.ts';
import { hanging } from '../flags/help.ts';
import { renderBlock } from '../../yaml/editing/rendering.ts';
import { EXIT_OK, type CommandIo } from '../io.ts';
import examples from './examples.json' with { type: 'json' };
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { CheckDefinition, CheckParameter, CheckParameters } from '../../engine/policy/check-parameters.ts';
import type { LIST_CHECKS } from '../command-table.ts';

const EXAMPLES: Readonly<Record<string, string>> = examples;

export function runChecksCommand(
  { flags, positionals: [id] }: ParsedCommandLine<typeof LIST_CHECKS.flags>,
  io: CommandIo,
): number {
  // The definition lets no other ids through.
  const check = id === undefined ? undefined : CHECK_CATALOGUE[id];
  if (flags.output === 'json') {
    const checks = Object.values(CHECK_CATALOGUE).map(listedCheck);
    io.stdout.write(`${jsonText(check === undefined ? { checks } : listedCheck(check), undefined, 2)}\n`);
    return EXIT_OK;
  }
  const columns = io.stdoutColumns ?? Infinity;
  io.stdout.write(`${(check === undefined ? catalogueLines(columns) : checkLines(check, columns)).join('\n')}\n`);
  return EXIT_OK;
}

/** A line for each check. A terminal wraps the summary below itself. */
function catalogueLines(columns: number): string[] {
  const checks: readonly CheckDefinition[] = Object.values(CHECK_CATALOGUE);
  const ids = Math.max(...checks.map(({ id }) => id.length));
  const actions = Math.max(...checks.map(({ action }) => action.length));
  return checks.flatMap(({ id, action, summary }) =>
    hanging(`${id.padEnd(ids)}  ${action.padEnd(actions)}  `, summary, columns),
  );
}

function checkLines(check: CheckDefinition, columns: number): string[] {
  const { id, summary, action } = check;
  const parameters = parametersOf(check.parameters);
  return [
    ...hanging(`${id}: `, summary, columns).map((line) => line.trimStart()),
    '',
    `Default action: ${action}`,
    ...(parameters.length > 0 ? ['', 'Parameters:'] : []),
    ...parameters.flatMap(({ name, type, text }) => [`  ${name} (${type})`, ...hanging('      ', text, columns)]),
    '',
    'Example (- is a violation, + is none):',
    ...(EXAMPLES[id] ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
    '',
    'Example policy:',
    ...examplePolicy(check).map((line) => `  ${line}`),
    '',
    checkUrl(id),
  ];
}

function examplePolicy({ id, action, parameters }: CheckDefinition): string[] {
  const example = {
    apiVersion: 'probewright.dev/v1alpha1',
    kind: 'ClusterProbePolicy',
    metadata: { name: 'example' },
    spec: { checks: { [id]: { action: action === 'Off' ? 'Warn' : action, ...exampleValues(parameters) } } },
  };
  const layout = { step: 2, indentSequences: true, flowPadding: true };
  return Object.entries(example).flatMap(([key, value]) => renderBlock(key, value, layout));
}

/** The defaults, and an example for a parameter without a default. A policy may not set an empty list. */
function exampleValues(parameters: CheckParameters): Record<string, unknown> {
  const values = Object.entries(parameters).map(([name, parameter]) => [name, exampleValue(parameter)] as const);
  return Object.fromEntries(values.filter(([, value]) => !Array.isArray(value) || value.length > 0));
}

function exampleValue(parameter: CheckParameter): unknown {
  const value = defaultOf(parameter);
  if (parameter.type === 'group') return exampleValues(parameter.fields);
  if (parameter.type === 'bounds') return { periodSeconds: { minimum: 2, maximum: 60 } };
  if (parameter.type === 'choices' && value === undefined) return parameter.choices.slice(0, 1);
  return value;
}

function defaultOf(parameter: CheckParameter): unknown {
  if (parameter.type === 'strings') return [...parameter.default];
  if (parameter.type !== 'group') return parameter.default;
  return Object.fromEntries(Object.entries(parameter.fields).map(([name, field]) => [name, defaultOf(field)]));
}

interface ListedParameter {
  readonly name: string;
  readonly type: string;
  readonly default: unknown;
  readonly text: string;
}

function parametersOf(parameters: CheckParameters): ListedParameter[] {
  return Object.entries(parameters).flatMap(([name, parameter]) => {
    const own = { name, type: typeOf(parameter), default: defaultOf(parameter), text: parameter.text };
    if (parameter.type !== 'group') return [own];
    return [own, ...parametersOf(parameter.fields).map((field) => ({ ...field, name: `${name}.${field.name}` }))];
  });
}

function typeOf(parameter: CheckParameter): string {
  if (parameter.type === 'choice') return parameter.choices.join('|');
  if (parameter.type === 'choices') return `list of ${parameter.choices.join('|')}`;
  return { integer: 'number', boolean: 'true|false', strings: 'list of texts', bounds: 'limits', group: 'object' }[
    parameter.type
  ];
}

function listedCheck(check: CheckDefinition): unknown {
  const { id, summary, action, parameters } = check;
  return { id, action, summary, parameters: parametersOf(parameters), url: checkUrl(id) };
}
