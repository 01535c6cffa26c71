import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../src/engine/checks/catalogue.ts';
import { BOUNDS, MAX_SPEC_BYTES } from '../../src/engine/policy/bounds.ts';
import {
  EXCEPTION_LIMITS,
  POLICY_BUDGET_BYTES,
  POLICY_LIMITS,
  PROFILE_LIMITS,
  SERVICE_LIMITS,
} from '../../src/engine/policy/budget.ts';
import { PROFILE_BOUNDS } from '../../src/engine/facts/startup-profile.ts';
import { EXCEPTION_BOUNDS } from '../../src/engine/policy/bounds.ts';

const page = readFileSync('docs/limits.md', 'utf8');

/** The rows of the table under a heading, cell by cell, without the table's own heading. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\| (.+) \|$/gm)].slice(1).map(([, row = '']) => row.split(' | '));
}

const number = (value: number): string => value.toLocaleString('en');
const MIB = 1024 * 1024;

/** The value of a constant as its file writes it; the pages name what no test imports. */
function constant(file: string, name: string): number {
  const text = readFileSync(`src/${file}`, 'utf8');
  const product = new RegExp(`const ${name} = ([\\d_]+(?: \\* [\\d_]+)*);`).exec(text)?.[1];
  if (product === undefined) throw new Error(`src/${file} has no ${name}`);
  return product.split(' * ').reduce((all, factor) => all * Number(factor.replaceAll('_', '')), 1);
}

type LimitOfPage = [heading: string, limit: string, file: string, name: string, unit: number, suffix: string];

const OF_THE_OBSERVER: readonly (readonly [limit: string, file: string, name: string])[] = [
  ['containers of Pods with trouble; a Pod counts as four or more', 'failing/failing-workloads', 'MOST_CONTAINERS'],
  ['Pods with events about their probes', 'failing/probe-events', 'MOST_PODS'],
  ['events about probes of one Pod, by container, probe and cause', 'failing/probe-events', 'MOST_HINTS_A_POD'],
  ['Pods that start now', 'starts/start-inference', 'MOST_PODS'],
  ['workloads with starts to write', 'starts/pending-starts', 'MOST_WORKLOADS'],
  ['nodes whose kubelets are known', 'starts/kubelet-restarts', 'MOST_NODES'],
];

describe('docs/limits.md', () => {
  it('lists every bound of a policy with its number, and no other', () => {
    const ofChecks = CHECKS.flatMap(({ parameters }) =>
      Object.values(parameters).flatMap((parameter) =>
        parameter.type === 'strings' ? [parameter.count, parameter.length] : [],
      ),
    );
    const bounds = [...Object.values(BOUNDS), ...new Set(ofChecks)].map(({ at, maximum, unit }) => [
      at
        .split(', ')
        .map((path) => `\`${path}\``)
        .join(', '),
      `${number(maximum)} ${unit}`,
    ]);
    const whole = ['the whole `spec`, as JSON', `${number(MAX_SPEC_BYTES)} bytes`];
    expect(rowsUnder('Bounds of a policy')).toEqual([...bounds, whole]);
  });

  it('lists every bound of an exception with its number, and no other', () => {
    const bounds = Object.values(EXCEPTION_BOUNDS).map(({ at, maximum, unit }) => [
      `\`${at}\``,
      `${number(maximum)} ${unit}`,
    ]);
    expect(rowsUnder('Bounds of an exception')).toEqual(bounds);
  });

  it('lists every bound of a StartupProfile with its number, and no other', () => {
    const { reference, containers, name, image, samples, text, killedIds } = PROFILE_BOUNDS;
    expect(rowsUnder('Bounds of a StartupProfile').map(([, bound]) => bound)).toEqual([
      `${reference} characters`,
      `${containers} containers`,
      `${name} characters`,
      `${number(image)} characters`,
      `${samples} starts`,
      `${text} characters`,
      `${killedIds} starts`,
      `${text} characters`,
    ]);
  });

  it('lists the budgets of facts', () => {
    const size = (bytes: number): string => (bytes < MIB ? `${bytes / 1024} KiB` : `${bytes / MIB} MiB`);
    const kinds = [EXCEPTION_LIMITS, SERVICE_LIMITS, PROFILE_LIMITS];
    const cells = rowsUnder('Budgets of facts').map(([, ...numbers]) => numbers);
    expect(cells).toEqual([
      [...kinds.map(({ object }) => size(object)), '`object`'],
      [...kinds.map(({ objects }) => number(objects)), '`objects`'],
      [...kinds.map(({ bytes }) => size(bytes)), '`bytes`'],
      [...kinds.map(({ total }) => size(total)), '`total`'],
    ]);
    const file = 'cluster/sources/left-out-objects.ts';
    expect(page).toContain(
      `at most ${number(constant(file, 'MOST_RECORDED_OF_NAMESPACE'))} of one namespace and ${number(constant(file, 'MOST_RECORDED'))} of all`,
    );
  });

  it('lists the budgets of policies', () => {
    expect(rowsUnder('Budgets of policies').map(([, limit = '']) => limit.replace(/, set by.*/, ''))).toEqual([
      `${MAX_SPEC_BYTES / 1024} KiB`,
      number(POLICY_LIMITS.objects),
      `${POLICY_LIMITS.bytes / 1024} KiB`,
      `${POLICY_BUDGET_BYTES / MIB} MiB`,
    ]);
    expect(page).toContain(
      `at most once in ${constant('cluster/sources/informer.ts', 'LIST_AGAIN_MILLISECONDS') / 1000} s`,
    );
  });

  it.each<LimitOfPage>([
    ['Reading from the API server', 'objects a page of a list', 'cluster/client/paged-list.ts', 'PAGE_SIZE', 1, ''],
    [
      'Reading from the API server',
      'one answer of the API server, so also one page',
      'cluster/client/api-client.ts',
      'MAX_ANSWER_BYTES',
      MIB,
      ' MiB',
    ],
    [
      'Reading from the API server',
      'one page of a kind that is kept in memory',
      'cluster/client/reflector.ts',
      'MOST_PAGE_BYTES',
      MIB,
      ' MiB',
    ],
    [
      'Reading from the API server',
      'one event of a watch',
      'cluster/client/api-client.ts',
      'MAX_ANSWER_BYTES',
      MIB,
      ' MiB',
    ],
    ['Reading from the API server', 'one object', 'cluster/client/api-client.ts', 'MAX_ANSWER_BYTES', MIB, ' MiB'],
    [
      'Reading from the API server',
      'problems remembered of one policy',
      'cluster/sources/policy-informer.ts',
      'MAX_PROBLEMS_LENGTH',
      1,
      ' characters',
    ],
    ['The webhook port', 'connections', 'process/http-app.ts', 'TLS_CONNECTIONS', 1, ''],
    [
      'The webhook port',
      'new connections of one address in a second',
      'process/http-app.ts',
      'NEW_CONNECTIONS_A_SECOND',
      1,
      '',
    ],
    ['The webhook port', 'time of a TLS handshake', 'webhook/http/app.ts', 'HANDSHAKE_MILLISECONDS', 1000, ' s'],
    [
      'The webhook port',
      'time without traffic during a request',
      'webhook/http/app.ts',
      'SILENCE_MILLISECONDS',
      1000,
      ' s',
    ],
    ['The webhook port', 'one body', 'webhook/http/body-limit.ts', 'BODY_LIMIT_BYTES', MIB, ' MiB'],
    [
      'The webhook port',
      'members and elements of one body over 16 KiB, as JSON',
      'webhook/http/body-limit.ts',
      'MOST_MEMBERS',
      1,
      '',
    ],
    [
      'The webhook port',
      'bodies and answers over 16 KiB under way',
      'webhook/http/body-limit.ts',
      'UNDER_WAY_BYTES',
      MIB,
      ' MiB',
    ],
    [
      'The webhook port',
      'new namespaces that are waited for',
      'cluster/sources/namespace-waiters.ts',
      'MAX_WAITING',
      1,
      '',
    ],
    ['The webhook port', 'findings of a check about one probe', 'engine/checks/check.ts', 'MOST_PROBE_FINDINGS', 1, ''],
    ['The webhook port', 'time to send a request', 'webhook/http/app.ts', 'REQUEST_MILLISECONDS', 1000, ' s'],
    ['The webhook port', 'containers of an object', 'webhook/review/scope.ts', 'MAX_CONTAINERS', 1, ''],
    ['The webhook port', "elements of an object's lists", 'webhook/review/scope.ts', 'MAX_ELEMENTS', 1, ''],
    ['The webhook port', 'violations of an object', 'engine/verdict/judge.ts', 'MOST_VIOLATIONS', 1, ''],
    [
      'The webhook port',
      'annotations `probewright.dev/*` of an object',
      'engine/policy/annotations.ts',
      'TOTAL_ANNOTATION_BYTES',
      1024,
      ' KiB',
    ],
    [
      'What checks read of a container',
      'characters of a text in `command`, `args`, `env`, probes and hooks',
      'engine/workload/bounded-container.ts',
      'MOST_TEXT_CHARACTERS',
      1,
      '',
    ],
    [
      'What checks read of a container',
      "entries of `command`, `args`, `env` and `httpHeaders`, and words of a probe's command",
      'engine/workload/bounded-container.ts',
      'MOST_LIST_ENTRIES',
      1,
      '',
    ],
    ['The health port', 'connections', 'process/http-app.ts', 'PLAIN_CONNECTIONS', 1, ''],
    ['The health port', 'problems that `/readyz` lists', 'process/health.ts', 'MOST_LISTED', 1, ''],
    ['The health port', 'characters of a problem', 'process/health.ts', 'LONGEST_TEXT', 1, ''],
    ...OF_THE_OBSERVER.map(
      ([limit, file, name]) => ['The observer', limit, `observer/${file}.ts`, name, 1, ''] as LimitOfPage,
    ),
    ['Files', 'problems of one file', 'cluster/sources/policy-documents.ts', 'MOST_PROBLEMS_OF_FILE', 1, ''],
  ])('under %s, %s is what %s says', (heading, limit, file, name, unit, suffix) => {
    const row = rowsUnder(heading).find(([first]) => first === limit);
    expect(row?.[1]).toBe(`${number(constant(file, name) / unit)}${suffix}`);
  });

  it('says of each limit what happens beyond it', () => {
    for (const heading of [
      'Reading from the API server',
      'The webhook port',
      'What checks read of a container',
      'The health port',
      'The observer',
      'Files',
    ])
      for (const row of rowsUnder(heading)) expect([row.length, row.every((cell) => cell !== '')]).toEqual([3, true]);
  });
});
