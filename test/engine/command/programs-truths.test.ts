import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { alwaysTrueCommand } from '../../../src/engine/checks/exec-always-true.ts';
import { localClient } from '../../../src/engine/command/asks.ts';
import { sideEffectOf } from '../../../src/engine/command/changes.ts';
import { heavyProgramOf } from '../../../src/engine/command/starts.ts';
import { ExecCommand } from '../../../src/engine/command/words.ts';

/** The exit status of a command, by the state of what it asks. */
type Statuses = Readonly<Partial<Record<'answers' | 'denied' | 'error' | 'loads' | 'refuses' | 'unresolved', number>>>;
interface Row {
  readonly program: string;
  readonly source: string;
  readonly verified?: string;
  /** States that were not run, although the row is verified. */
  readonly unverified?: readonly string[];
  readonly heavy?: string;
  readonly runs: Readonly<Record<string, Statuses>>;
  readonly asks?: readonly string[];
  readonly acts?: readonly string[];
  readonly address?: Readonly<Record<string, object>>;
}
const ROWS = parse(readFileSync('test/fixtures/programs.yaml', 'utf8')) as readonly Row[];

/** What the product knows of a command. Another home of this knowledge needs only another adapter here. */
const product = {
  /** Why it always succeeds, in the eyes of a readiness probe. */
  alwaysTrue: (argv: readonly string[]): string | undefined =>
    alwaysTrueCommand({ command: new ExecCommand(argv), kind: 'readinessProbe' })?.reason,
  onlyAsks: (argv: readonly string[]): boolean => sideEffectOf(new ExecCommand(argv)) === undefined,
  isHeavy: (argv: readonly string[]): boolean => heavyProgramOf(new ExecCommand(argv)) !== undefined,
  handler: (argv: readonly string[]): object | undefined => localClient(new ExecCommand(argv))?.handler,
};

/** Reasons of a program that fails, but not in each bad state. */
const BLIND = ['answer', 'ping', 'itself', 'filter', 'output'];

/** Cuts at spaces. Single and double quotes hold a word together, as in a shell. */
function words(line: string): readonly string[] {
  return [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  );
}

const RUNS = ROWS.flatMap(({ runs }) => Object.entries(runs));
/** The states that a probe is there to find, with the status of the command. */
const badStates = (statuses: Statuses): readonly number[] =>
  Object.entries(statuses).flatMap(([state, status]) => (state === 'answers' || state === 'denied' ? [] : status));

it('has a public source for each program, and has run most of them', () => {
  expect(ROWS.filter(({ source }) => !/^https?:\/\/\S+$/.test(source))).toEqual([]);
  expect(ROWS.length).toBeGreaterThanOrEqual(45);
  expect(ROWS.filter(({ verified }) => verified !== undefined).length).toBeGreaterThanOrEqual(40);
});

/** A path that is nowhere, in place of the paths of the table. */
const nowhere = (word: string): string => word.replaceAll(/\/(?:tmp|data)(?=\/|$)/g, '/nowhere/of-programs-truths');

it('has the status of this machine for commands that look at a file which is not there', () => {
  const row = ROWS.find(({ program }) => program === 'commands that look at a file');
  const different = Object.entries(row?.runs ?? {}).filter(([line, { refuses }]) => {
    const [program = '', ...more] = words(line).map(nowhere);
    const { status } = spawnSync(program, more, { stdio: 'ignore', env: {} });
    // A program that is missing has no status. Numbers differ between GNU and BusyBox.
    return status !== null && (status === 0) !== (refuses === 0);
  });
  expect(different).toEqual([]);
});

it('never says of a command that it always succeeds which fails in each bad state', () => {
  const wrong = RUNS.filter(([line, statuses]) => {
    const reason = product.alwaysTrue(words(line));
    if (reason === undefined) return false;
    return BLIND.includes(reason) ? !badStates(statuses).includes(0) : Object.values(statuses).some((one) => one !== 0);
  });
  expect(wrong.map(([line]) => line)).toEqual([]);
});

/** Another check finds `redis-cli ping '|' grep`. The others are silent. */
const SILENT_TODAY = [
  ...['curl --version', "redis-cli ping '|' grep PONG", 'squidclient -h localhost mgr:info', 'openssl version', 'env'],
  ...["ss -ltn 'sport = :8080'", "sh -c 'curl -fs localhost | jq -e .ok'"],
  // An empty text is 0 for printf.
  ...[`sh -c 'printf %d "$(pgrep nginx)"'`, `sh -c 'printf %d "$(redis-cli ping)"'`],
];

it('says of each command that succeeds in a bad state that it hides failures', () => {
  const silent = RUNS.filter(
    ([line, statuses]) => badStates(statuses).includes(0) && product.alwaysTrue(words(line)) === undefined,
  );
  expect(silent.map(([line]) => line).filter((line) => !SILENT_TODAY.includes(line))).toEqual([]);
});

it('knows the programs that start a heavy runtime, and no others', () => {
  const wrong = ROWS.flatMap(({ heavy, runs }) =>
    Object.keys(runs).filter((line) => product.isHeavy(words(line)) !== (heavy !== undefined)),
  );
  expect(wrong).toEqual([]);
});

it('never says of a command that changes something that it only asks', () => {
  const wrong = ROWS.flatMap(({ acts = [] }) => acts.filter((line) => product.onlyAsks(words(line))));
  expect(wrong).toEqual([]);
});

const UNKNOWN_TODAY = ['cgi-fcgi -bind -connect 127.0.0.1:9000', 'openssl s_client -connect localhost:443'];

it('says of commands that only ask that they only ask', () => {
  const unknown = ROWS.flatMap(({ asks = [] }) => asks.filter((line) => !product.onlyAsks(words(line))));
  expect(unknown.filter((line) => !UNKNOWN_TODAY.includes(line))).toEqual([]);
});

it('reads options with values, so that the address is the one that is asked', () => {
  for (const { address = {} } of ROWS)
    for (const [line, handler] of Object.entries(address)) expect(product.handler(words(line)), line).toEqual(handler);
});
