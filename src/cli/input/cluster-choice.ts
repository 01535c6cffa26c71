import { lstat } from 'node:fs/promises';
import { quote } from '../../base/text/cut.ts';
import { BUILT_IN_CLUSTER_KINDS, type ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import { isDnsSubdomain } from '../../engine/policy/object-names.ts';
import { KNOWN_KINDS } from '../../engine/workload/kinds.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { CLUSTER_FLAGS, CLUSTER_INPUT_FLAGS } from './input-flags.ts';

export type ClusterLine = ParsedCommandLine<typeof CLUSTER_INPUT_FLAGS & typeof CLUSTER_FLAGS>;

/** Decides whether a command line means files or a cluster. Both together are a problem. */
export async function clusterChoice({
  flags,
  positionals,
}: ClusterLine): Promise<ClusterNamesReading | { readonly kind: 'files' }> {
  const given = givenFlags(flags, ['cluster', 'context', 'kubeconfig', 'all-namespaces']);
  const files = new Set<string>();
  for (const word of positionals) if (await isFile(word)) files.add(word);
  const others = positionals.filter((word) => !files.has(word));
  if (given.length === 0) {
    const isOfNamespace = flags.namespace !== undefined && files.size === 0 && areKinds(positionals);
    if (!isOfNamespace && !areNamesOfWorkloads(others)) return { kind: 'files' };
    if (files.size > 0) return together([...files].join(', '), others.join(', '));
  } else {
    const isName = (word: string): boolean => word !== '-' && areNamesOfWorkloads([`${word.split('/')[0]}/x`]);
    const first = positionals[0];
    // `--cluster deploy web` means the Deployment, also beside a directory "web".
    const isTypeFirst = first !== undefined && !first.includes('/') && isName(first);
    const inTheWay = isTypeFirst ? [] : [...files].filter((word) => !isName(word));
    if (positionals.includes('-')) inTheWay.push('-');
    if (inTheWay.length > 0) return together([...new Set(inTheWay)].join(', '), given.join(', '));
  }
  const unused = givenFlags(flags, [
    'exclude',
    'project-file',
    'no-render-charts',
    'values',
    'set',
    'allow-remote-bases',
  ]);
  if (unused.length > 0) return refused(`${unused.join(', ')}: only for files, and the input is a cluster`);
  const reading = readClusterNames(positionals);
  if (reading.kind === 'problem' || !flags['all-namespaces']) return reading;
  const named = reading.names.find(({ name }) => name !== undefined);
  if (named === undefined) return reading;
  return refused(`--all-namespaces: ${named.type} ${named.name} needs one namespace; give --namespace instead`);
}

/** True for no word, and for `deploy` or `deploy,sts`: all workloads, or those of these kinds. */
function areKinds([types, ...names]: readonly string[]): boolean {
  return names.length === 0 && (types?.split(',').every(isNameOfKind) ?? true);
}

function together(files: string, cluster: string): ClusterNamesReading {
  return refused(`files and a cluster cannot be read together: ${files}; ${cluster}`);
}

function refused(problem: string): ClusterNamesReading {
  return { kind: 'problem', problem };
}

function givenFlags(flags: ClusterLine['flags'], names: readonly (keyof ClusterLine['flags'])[]): string[] {
  const isGiven = (value: unknown): boolean =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  return names.filter((name) => isGiven(flags[name])).map((name) => `--${name}`);
}

/**
 * True for an existing path, and for a path below an existing directory, such as `deploy/web` beside the directory
 * `deploy`.
 */
async function isFile(word: string): Promise<boolean> {
  if (word === '-') return true;
  const paths = word.includes('/') ? [word, word.slice(0, word.indexOf('/')) || '/'] : [word];
  const found = await Promise.allSettled(paths.map((path) => lstat(path)));
  return found.some(({ status }) => status === 'fulfilled');
}

/** The command line's selection in a cluster, as kubectl reads names. */
export interface ClusterName {
  readonly type: string;
  readonly name: string | undefined;
}

/** Words that cannot be read as names, with the reason; or the names. No names = all workloads. */
type ClusterNamesReading =
  | { readonly kind: 'cluster'; readonly names: readonly ClusterName[] }
  | { readonly kind: 'problem'; readonly problem: string };

/** Reads `TYPE/NAME...`, `TYPE[,TYPE] NAME...` and `TYPE[,TYPE]`. */
export function readClusterNames(words: readonly string[]): ClusterNamesReading {
  const [first = '', ...rest] = words;
  if (words.some((word) => word.includes('/'))) {
    const names: ClusterName[] = [];
    for (const word of words) {
      const [type = '', name = '', ...more] = word.split('/');
      if (type === '' || type.includes(',') || more.length > 0 || !isDnsSubdomain(name))
        return refused(`${quote(word)} is no name of a workload; write TYPE/NAME, such as deploy/web`);
      names.push({ type, name });
    }
    return { kind: 'cluster', names };
  }
  const wrong = rest.find((name) => !isDnsSubdomain(name));
  if (wrong !== undefined) return refused(`${quote(wrong)} is no name of a workload`);
  const types = first.split(',').filter((type) => type !== '');
  const ofType = rest.length === 0 ? [undefined] : rest;
  return { kind: 'cluster', names: types.flatMap((type) => ofType.map((name) => ({ type, name }))) };
}

/** A name that is more probably a file that is missing. */
const FILE_NAME = /\.(?:ya?ml|json)$/;

/** True for words that can only mean workloads of a cluster: `deploy/web`, `statefulset web`. */
export function areNamesOfWorkloads(words: readonly string[]): boolean {
  const reading = readClusterNames(words);
  if (reading.kind === 'problem' || reading.names.length === 0) return false;
  return reading.names.every(({ type, name }) => name !== undefined && !FILE_NAME.test(name) && isNameOfKind(type));
}

/** True for a word that names a built-in or a known custom kind, in the singular or the usual plural. */
function isNameOfKind(word: string): boolean {
  if (BUILT_IN_CLUSTER_KINDS.some((kind) => isNamed(kind, word))) return true;
  return KNOWN_KINDS.some(({ group, kind }) => {
    const singular = kind.toLowerCase();
    return isNamed({ group, apiVersion: '', names: [singular, `${singular}s`] }, word);
  });
}

/** True when kubectl would take the word for this kind: `deploy`, `deployments.apps`, `deployments.v1.apps`. */
function isNamed(
  { group, apiVersion, names }: Pick<ClusterKind, 'group' | 'apiVersion' | 'names'>,
  word: string,
): boolean {
  const [name = '', ...rest] = word.toLowerCase().split('.');
  const suffix = rest.join('.');
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  return names.includes(name) && [...(rest.length === 0 ? [''] : []), group, `${version}.${group}`].includes(suffix);
}

/** The kinds to read, each with the wanted names. Undefined = all names. */
export type WantedKinds = ReadonlyMap<ClusterKind, ReadonlySet<string> | undefined>;

/** A name of a kind that the cluster does not have is a problem. */
export function wantedKinds(
  names: readonly ClusterName[],
  kinds: readonly ClusterKind[],
): { readonly wanted: WantedKinds; readonly problems: readonly string[] } {
  if (names.length === 0) return { wanted: new Map(kinds.map((kind) => [kind, undefined])), problems: [] };
  const problems = new Set<string>();
  const wanted = new Map<ClusterKind, Set<string> | undefined>();
  for (const { type, name } of names) {
    const kind = kinds.find((each) => isNamed(each, type));
    if (kind === undefined) {
      const known = kinds.map(({ resource }) => resource).join(', ');
      problems.add(`the cluster has no kind of workload ${quote(type)}; it has ${known}`);
    } else if (name === undefined) wanted.set(kind, undefined);
    else if (!wanted.has(kind)) wanted.set(kind, new Set([name]));
    else wanted.get(kind)?.add(name);
  }
  return { wanted, problems: [...problems] };
}
