import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../src/engine/checks/catalogue.ts';
import { BOUNDS, EXCEPTION_BOUNDS, MAX_SPEC_BYTES, PROFILE_BOUNDS } from '../../src/engine/policy/bounds.ts';
import {
  EXCEPTION_LIMITS,
  POLICY_BUDGET_BYTES,
  POLICY_LIMITS,
  policyTotal,
  PROFILE_LIMITS,
  SERVICE_LIMITS,
} from '../../src/engine/policy/budget.ts';

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

/** The units of the page, by their suffix. */
const UNITS = { '': 1, ' MiB': MIB, ' KiB': 1024, ' s': 1000, ' characters': 1 } as const;
type LimitOfPage = readonly [limit: string, file: string, name: string, suffix?: keyof typeof UNITS];

const CLIENT = 'cluster/client/api-client.ts';
const BODY = 'webhook/http/body-limit.ts';
const CONTAINER = 'engine/workload/bounded-container.ts';

/** By the heading of the page. */
const LIMITS: Readonly<Record<string, readonly LimitOfPage[]>> = {
  'Reading from the API server': [
    ['objects a page of a list', 'cluster/client/paged-list.ts', 'PAGE_SIZE'],
    ['one answer of the API server, so also one page', CLIENT, 'MAX_ANSWER_BYTES', ' MiB'],
    ['one page of a kind that is kept in memory', 'cluster/client/reflector.ts', 'MOST_PAGE_BYTES', ' MiB'],
    ['one event of a watch', CLIENT, 'MAX_ANSWER_BYTES', ' MiB'],
    ['one object', CLIENT, 'MAX_ANSWER_BYTES', ' MiB'],
    ['problems remembered of one policy', 'cluster/sources/policy-informer.ts', 'MAX_PROBLEMS_LENGTH', ' characters'],
  ],
  'The webhook port': [
    ['connections', 'process/http-app.ts', 'TLS_CONNECTIONS'],
    ['new connections of one address in a second', 'process/http-app.ts', 'NEW_CONNECTIONS_A_SECOND'],
    ['time of a TLS handshake', 'webhook/http/app.ts', 'HANDSHAKE_MILLISECONDS', ' s'],
    ['time without traffic during a request', 'webhook/http/app.ts', 'SILENCE_MILLISECONDS', ' s'],
    ['one body', BODY, 'BODY_LIMIT_BYTES', ' MiB'],
    ['members and elements of one body, as JSON', BODY, 'MOST_MEMBERS'],
    ['levels of objects and lists of one body', BODY, 'MOST_LEVELS'],
    ['bodies and answers over 16 KiB under way', BODY, 'UNDER_WAY_BYTES', ' MiB'],
    ['new namespaces that are waited for', 'cluster/sources/namespace-waiters.ts', 'MAX_WAITING'],
    ['findings of a check about one probe', 'engine/checks/check.ts', 'MOST_PROBE_FINDINGS'],
    ['time to send a request', 'webhook/http/app.ts', 'REQUEST_MILLISECONDS', ' s'],
    ['containers of an object', 'engine/workload/size-limits.ts', 'MAX_CONTAINERS'],
    ["elements of an object's lists", 'engine/workload/size-limits.ts', 'MAX_ELEMENTS'],
    ['violations of an object', 'engine/verdict/judge.ts', 'MOST_VIOLATIONS'],
    ['annotations `probewright.dev/*` of an object', 'engine/policy/annotations.ts', 'TOTAL_ANNOTATION_BYTES', ' KiB'],
  ],
  'What checks read of a container': [
    ['characters of a text in `command`, `args`, `env`, probes and hooks', CONTAINER, 'MOST_TEXT_CHARACTERS'],
    [
      "entries of `command`, `args`, `env` and `httpHeaders`, and words of a probe's command",
      CONTAINER,
      'MOST_LIST_ENTRIES',
    ],
  ],
  'The health port': [
    ['connections', 'process/http-app.ts', 'PLAIN_CONNECTIONS'],
    ['problems that `/readyz` lists', 'process/health.ts', 'MOST_LISTED'],
    ['characters of a problem', 'process/health.ts', 'LONGEST_TEXT'],
  ],
  'The observer': [
    [
      'containers of Pods with trouble; a Pod counts as four or more',
      'observer/failing/failing-workloads.ts',
      'MOST_CONTAINERS',
    ],
    ['Pods with events about their probes', 'observer/failing/probe-hints.ts', 'MOST_PODS'],
    [
      'events about probes of one Pod, by container, probe and cause',
      'observer/failing/probe-hints.ts',
      'MOST_HINTS_A_POD',
    ],
    ['Pods that start now', 'observer/starts/start-inference.ts', 'MOST_PODS'],
    ['workloads with starts to write', 'observer/starts/pending-starts.ts', 'MOST_WORKLOADS'],
    ['nodes whose kubelets are known', 'observer/starts/kubelet-restarts.ts', 'MOST_NODES'],
  ],
  Files: [['problems of one file', 'cluster/sources/policy-documents.ts', 'MOST_PROBLEMS_OF_FILE']],
};

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
      [...kinds.map(({ total }) => `${number(total.objects)}, ${size(total.bytes)}`), '`total`'],
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
      `${number(policyTotal(POLICY_BUDGET_BYTES).objects)}, ${POLICY_BUDGET_BYTES / MIB} MiB`,
    ]);
    expect(page).toContain(
      `at most once in ${constant('cluster/sources/informer.ts', 'LIST_AGAIN_MILLISECONDS') / 1000} s`,
    );
  });

  describe.each(Object.keys(LIMITS))('under %s', (heading) => {
    it('has the figures of the code, and says of each limit what happens beyond it', () => {
      const rows = rowsUnder(heading);
      for (const [limit, file, name, suffix = ''] of LIMITS[heading] ?? []) {
        const row = rows.find(([first]) => first === limit);
        expect(row?.[1], limit).toBe(`${number(constant(file, name) / UNITS[suffix])}${suffix}`);
      }
      for (const row of rows) expect([row.length, row.every((cell) => cell !== '')]).toEqual([3, true]);
    });
  });
});
