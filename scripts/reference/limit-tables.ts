import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS } from '../../src/engine/checks/catalogue.ts';
import type { Bound } from '../../src/engine/policy/bound.ts';
import { BOUNDS, EXCEPTION_BOUNDS, MAX_SPEC_BYTES, PROFILE_BOUNDS } from '../../src/engine/policy/bounds.ts';
import {
  EXCEPTION_LIMITS,
  POLICY_BUDGET_BYTES,
  POLICY_LIMITS,
  policyTotal,
  PROFILE_LIMITS,
  SERVICE_LIMITS,
} from '../../src/engine/policy/budget.ts';
import { LIMITS } from './limits.ts';
import { markdownTable } from './markdown-table.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/** What one of a unit is in the code: bytes, or milliseconds. */
const UNITS = { MiB: MIB, KiB: KIB, s: 1000, characters: 1 } as const;

/** A limit, its number or the constant that has it (file below src/, name), and what happens beyond it. */
export type LimitRow = { readonly limit: string; readonly beyond: string } & (
  | { readonly number: string }
  | { readonly of: readonly [file: string, constant: string]; readonly unit?: keyof typeof UNITS }
);

const number = (value: number): string => value.toLocaleString('en');
const size = (bytes: number): string => (bytes < MIB ? `${bytes / KIB} KiB` : `${bytes / MIB} MiB`);

/** The tables of docs/limits.md by name. */
export function limitTables(): Readonly<Record<string, string>> {
  return {
    'bounds of a policy': boundTable(
      [...Object.values(BOUNDS), ...boundsOfChecks()],
      [['the whole `spec`, as JSON', `${number(MAX_SPEC_BYTES)} bytes`]],
    ),
    'bounds of an exception': boundTable(Object.values(EXCEPTION_BOUNDS)),
    'bounds of a StartupProfile': boundTable(boundsOfProfile()),
    'budgets of policies': policyBudgets(),
    'budgets of facts': factBudgets(),
    ...Object.fromEntries(
      Object.entries(LIMITS).map(([name, rows]) => [
        name,
        markdownTable(
          ['limit', 'number', 'beyond it'],
          rows.map((each) => [each.limit, figureOf(each), each.beyond]),
        ),
      ]),
    ),
  };
}

function boundTable(bounds: readonly Bound[], more: readonly (readonly string[])[] = []): string {
  const rows = bounds.map(({ at, maximum, unit }) => [at.replace(/[^,\s]+/g, '`$&`'), `${number(maximum)} ${unit}`]);
  return markdownTable(['where', 'at most'], [...rows, ...more]);
}

function boundsOfChecks(): readonly Bound[] {
  const all = CHECKS.flatMap(({ parameters }) =>
    Object.values(parameters).flatMap((parameter) =>
      parameter.type === 'strings' ? [parameter.count, parameter.length] : [],
    ),
  );
  return [...new Set(all)];
}

function boundsOfProfile(): readonly Bound[] {
  const { reference, containers, name, image, samples, text, killedIds } = PROFILE_BOUNDS;
  return [
    { at: 'workload.*', maximum: reference, unit: 'characters' },
    { at: 'containers', maximum: containers, unit: 'containers' },
    { at: 'containers[].name', maximum: name, unit: 'characters' },
    { at: 'containers[].image', maximum: image, unit: 'characters' },
    { at: 'containers[].samples', maximum: samples, unit: 'starts' },
    { at: 'containers[].samples[].id, .node, .at', maximum: text, unit: 'characters' },
    { at: 'containers[].censoredIds', maximum: killedIds, unit: 'starts' },
    { at: 'containers[].censoredIds[], containers[].censoredAt', maximum: text, unit: 'characters' },
  ];
}

function policyBudgets(): string {
  const total = policyTotal(POLICY_BUDGET_BYTES);
  return markdownTable(
    ['budget', 'at most', 'label of `probewright_policies_over_budget`'],
    [
      ['one spec, as JSON (also of a ClusterProbePolicy)', size(MAX_SPEC_BYTES), '`spec`'],
      ['policies of one namespace in force', number(POLICY_LIMITS.objects), '`policies`'],
      ['specs of one namespace in force, as JSON', size(POLICY_LIMITS.bytes), '`bytes`'],
      [
        'policies of all namespaces in force, and their specs as JSON',
        `${number(total.objects)}, ${size(total.bytes)}, set by \`--policy-budget\`, chart value \`policyBudget\``,
        '`total`',
      ],
    ],
  );
}

function factBudgets(): string {
  const kinds = [EXCEPTION_LIMITS, SERVICE_LIMITS, PROFILE_LIMITS];
  return markdownTable(
    ['budget', 'ProbeExceptions', 'Services', 'StartupProfiles', '`reason` of `probewright_facts_left_out`'],
    [
      ['one object', ...kinds.map(({ object }) => size(object)), '`object`'],
      ['objects of one namespace', ...kinds.map(({ objects }) => number(objects)), '`objects`'],
      ['all objects of one namespace', ...kinds.map(({ bytes }) => size(bytes)), '`bytes`'],
      [
        'all objects of the cluster',
        ...kinds.map(({ total }) => `${number(total.objects)}, ${size(total.bytes)}`),
        '`total`',
      ],
    ],
  );
}

function figureOf(limit: LimitRow): string {
  if ('number' in limit) return limit.number;
  const {
    of: [file, name],
    unit,
  } = limit;
  const value = constantOf(file, name);
  return unit === undefined ? number(value) : `${number(value / UNITS[unit])} ${unit}`;
}

/** The value of a constant that no other file needs, as its file writes it. */
export function constantOf(file: string, name: string): number {
  const text = readFileSync(join(import.meta.dirname, '../../src', file), 'utf8');
  const product = new RegExp(`const ${name} = ([\\d_]+(?: \\* [\\d_]+)*);`).exec(text)?.[1];
  if (product === undefined) throw new Error(`src/${file} has no ${name}`);
  return product.split(' * ').reduce((all, factor) => all * Number(factor.replaceAll('_', '')), 1);
}
