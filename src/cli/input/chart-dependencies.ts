import { mkdir, readdir, realpath, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { refuseLinksOut, type Tree } from '../../base/files/tree.ts';
import { findYamlFiles, isInTree } from '../../base/files/yaml-files.ts';
import { isJsonObject, member, stringMember } from '../../base/json/json-value.ts';
import { CHART_FILE, firstDocument } from './charts.ts';
import { isInRange } from './version-range.ts';
import type { TreeCopy } from '../../base/files/tree-copy.ts';

const FILE = 'file://';
/** Helm reads a dependency once for each way that leads there, so that few charts could make many. */
const MOST_DEPENDENCIES = 200;

/** A chart of a tree, as dependencies name it. */
interface ChartOfTree {
  readonly directory: string;
  readonly name: string;
  readonly version: string;
}

/** The charts of trees. A tree is searched once, and only when a dependency names no directory. */
export class ChartsOfTrees {
  readonly #found = new Map<string, Promise<readonly ChartOfTree[]>>();

  in(tree: Tree): Promise<readonly ChartOfTree[]> {
    const found = this.#found.get(tree.root) ?? chartsBelow(tree);
    this.#found.set(tree.root, found);
    return found;
  }
}

async function chartsBelow({ root, shown }: Tree): Promise<readonly ChartOfTree[]> {
  const files = await findYamlFiles(shown, {
    links: { root, outside: () => undefined, broken: () => undefined },
    isWanted: (name) => name === CHART_FILE,
    isExcluded: (path) => basename(path) === 'node_modules',
  });
  return await Promise.all(files.map(({ path }) => chartIn(dirname(path))));
}

async function chartIn(directory: string): Promise<ChartOfTree> {
  const chart = await firstDocument(join(directory, CHART_FILE));
  return { directory, name: stringMember(chart, 'name') ?? '', version: stringMember(chart, 'version') ?? '' };
}

/** The dependencies of a chart that are in the tree and not in its folder `charts`. */
export interface Dependencies {
  /** The directories by their path in the chart as Helm prints it: `charts/common`. */
  readonly directories: ReadonlyMap<string, string>;
  /** Links to them, each with the chart that gets the link. */
  readonly links: readonly { readonly chart: string; readonly name: string; readonly directory: string }[];
}

/**
 * Finds the dependencies that a chart lacks and its tree has: by `file://`, or by the name and the version of a chart
 * of the tree. Those of the dependencies, too. Others stay missing, and Helm names them. Nothing is downloaded.
 *
 * @throws Error for a dependency with a link that leads out of the tree, and for charts that depend on each other
 */
export async function dependenciesIn(start: string, tree: Tree, charts: ChartsOfTrees): Promise<Dependencies> {
  const directories = new Map<string, string>();
  const links: Dependencies['links'][number][] = [];
  const add = async (chart: string, way: string, above: readonly string[]): Promise<void> => {
    for (const dependency of await lackedBy(chart, tree)) {
      const directory = await directoryOf(dependency, chart, tree, charts);
      if (directory === undefined) continue;
      const real = await realpath(directory);
      if (above.includes(real)) throw new Error(`the charts ${chart} and ${directory} depend on each other`);
      if (links.length === MOST_DEPENDENCIES) throw new Error(`it has more than ${MOST_DEPENDENCIES} dependencies`);
      await refuseLinksOut(directory, tree);
      links.push({ chart, name: dependency.name, directory });
      // Helm names a chart by its alias.
      const own = join(way, 'charts', dependency.alias);
      directories.set(own, directory);
      await add(directory, own, [...above, real]);
    }
  };
  await add(start, '', [await realpath(start)]);
  return { directories, links };
}

/** Puts links to dependencies into the copies of charts. */
export async function linkDependencies({ links }: Dependencies, copy: TreeCopy): Promise<void> {
  for (const { chart, name, directory } of links) {
    const folder = join(await copy.at(chart), 'charts');
    await mkdir(folder, { recursive: true });
    await symlink(relative(await realpath(folder), await copy.at(directory)), join(folder, name)).catch(
      (error: unknown) => {
        // Another chart with this dependency may be rendered meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      },
    );
  }
}

interface Dependency {
  readonly name: string;
  /** Equal to the name without an own alias. */
  readonly alias: string;
  readonly repository: string;
  readonly version: string;
}

async function lackedBy(chart: string, tree: Tree): Promise<readonly Dependency[]> {
  const files = [CHART_FILE, 'requirements.yaml'].map((name) => join(chart, name));
  const inside = await Promise.all(files.map(async (file) => ((await isInTree(tree.root, file)) ? [file] : [])));
  const lists = await Promise.all(inside.flat().map(async (file) => member(await firstDocument(file), 'dependencies')));
  const there = await readdir(join(chart, 'charts')).catch(() => []);
  return lists.flat().flatMap((each): Dependency[] => {
    if (!isJsonObject(each)) return [];
    const [name = '', repository = ''] = [stringMember(each, 'name'), stringMember(each, 'repository')];
    if (!/^[\w.-]+$/.test(name) || /^\.+$/.test(name) || repository === '') return [];
    if (there.some((own) => own === name || (own.startsWith(`${name}-`) && own.endsWith('.tgz')))) return [];
    const version = stringMember(each, 'version') ?? '';
    return [{ name, alias: stringMember(each, 'alias') ?? name, repository, version }];
  });
}

/** The directory of the tree that has a dependency. Of several charts, that of the nearest directory. */
async function directoryOf(
  { name, repository, version }: Dependency,
  chart: string,
  tree: Tree,
  charts: ChartsOfTrees,
): Promise<string | undefined> {
  const named = join(chart, repository.slice(FILE.length));
  const path = repository.startsWith(`${FILE}/`) ? resolve(repository.slice(FILE.length)) : named;
  const candidates = repository.startsWith(FILE)
    ? (await isInTree(tree.root, path))
      ? [await chartIn(path)]
      : []
    : (await charts.in(tree)).filter(({ directory }) => resolve(directory) !== resolve(chart));
  const steps = ({ directory }: ChartOfTree): number => relative(chart, directory).split('/').length;
  return candidates
    .filter((each) => each.name === name && isInRange(each.version, version))
    .toSorted((a, b) => steps(a) - steps(b))[0]?.directory;
}
