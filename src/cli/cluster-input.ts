import { lstat } from 'node:fs/promises';
import { areNamesOfWorkloads, readClusterNames } from './input/cluster-names.ts';
import { KNOWN_KINDS } from '../engine/workload/custom-kinds.ts';
import type { ClusterName } from './input/cluster-names.ts';
import type { CommandLine } from './flags/command-definition.ts';
import type { CLUSTER_FLAGS, CLUSTER_INPUT_FLAGS } from './definitions/cluster-flags.ts';

/** Whether a command line means a cluster: the names of workloads (none = all), a problem, or undefined for files. */
export type ClusterChoice = { readonly names: readonly ClusterName[] } | { readonly problem: string } | undefined;

/** The command line of a command that reads files or a cluster. */
export type ClusterLine = CommandLine<typeof CLUSTER_INPUT_FLAGS & typeof CLUSTER_FLAGS>;

/** Decides whether a command line means a cluster. Files and a cluster together are a problem. */
export async function clusterChoice({ flags, positionals }: ClusterLine): Promise<ClusterChoice> {
  const given = givenFlags(flags);
  const files = new Set<string>();
  for (const word of positionals) if (await isFile(word)) files.add(word);
  const others = positionals.filter((word) => !files.has(word));
  if (given.length === 0) {
    if (!areNamesOfWorkloads(others, KNOWN_KINDS)) return undefined;
    if (files.size > 0) return { problem: together([...files].join(', '), others.join(', ')) };
  } else {
    const isName = (word: string): boolean =>
      word !== '-' && areNamesOfWorkloads([`${word.split('/')[0]}/x`], KNOWN_KINDS);
    const first = positionals[0];
    // `--cluster deploy web` means the Deployment, also beside a directory "web".
    const isTypeFirst = first !== undefined && !first.includes('/') && isName(first);
    const inTheWay = isTypeFirst ? [] : [...files].filter((word) => !isName(word));
    if (positionals.includes('-')) inTheWay.push('-');
    if (inTheWay.length > 0) return { problem: together([...new Set(inTheWay)].join(', '), given.join(', ')) };
  }
  const unused = [
    ...(flags.exclude.length > 0 ? ['--exclude'] : []),
    ...(flags['render-charts'] ? ['--render-charts'] : []),
    ...(flags['allow-remote-bases'] ? ['--allow-remote-bases'] : []),
  ];
  if (unused.length > 0) return { problem: `${unused.join(', ')}: only for files, and the input is a cluster` };
  const reading = readClusterNames(positionals);
  if ('problem' in reading || !flags['all-namespaces']) return reading;
  const named = reading.names.find(({ name }) => name !== undefined);
  if (named === undefined) return reading;
  return { problem: `--all-namespaces: ${named.type} ${named.name} needs one namespace; give --namespace instead` };
}

function together(files: string, cluster: string): string {
  return `files and a cluster cannot be read together: ${files}; ${cluster}`;
}

function givenFlags(flags: ClusterLine['flags']): string[] {
  return [
    ...(flags.cluster ? ['--cluster'] : []),
    ...(flags.context === undefined ? [] : ['--context']),
    ...(flags.kubeconfig === undefined ? [] : ['--kubeconfig']),
    ...(flags['all-namespaces'] ? ['--all-namespaces'] : []),
  ];
}

/**
 * True for an existing path, and for a path below an existing directory, such as `deploy/web` beside the directory
 * `deploy`.
 */
async function isFile(word: string): Promise<boolean> {
  if (word === '-') return true;
  const paths = word.includes('/') ? [word, word.slice(0, word.indexOf('/')) || '/'] : [word];
  for (const path of paths) {
    const exists = await lstat(path).then(
      () => true,
      () => false,
    );
    if (exists) return true;
  }
  return false;
}
