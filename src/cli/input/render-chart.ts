import { dirname, resolve } from 'node:path';
import { holdsGit, refuseLinksOut, type Tree } from '../../base/files/tree.ts';
import { shellPath } from '../../base/text/shell-word.ts';
import { placedTexts } from './chart-places.ts';
import { dependenciesIn, linkDependencies } from './chart-dependencies.ts';
import { helmCommand, readChart, releaseName, type Chart, type ChartValues } from './charts.ts';
import { outputOfFirst } from './rendering-tool.ts';
import { leftOut, renderedTexts, type Rendered, type Rendering, type RenderingFlags } from './rendering.ts';
import type { FoundInput } from './kustomizations.ts';
import type { ManifestText } from './manifest.ts';
import type { ReadTexts } from './manifests.ts';

/** Helm's words for a dependency that is in Chart.yaml and not in charts/. */
export const LACKS_DEPENDENCY = /missing in charts\/ directory: (.*)$/;

/** The manifests of a chart, with each of its values, or why there are none. */
export async function chartTexts(
  { path, isFound = false }: Pick<FoundInput, 'path' | 'isFound'>,
  tree: Tree,
  rendering: Rendering,
): Promise<readonly Partial<ReadTexts>[]> {
  const chart = await readChart(path, tree);
  const name = `chart ${chart.name}`;
  if (chart.isLibrary)
    return isFound ? [] : [{ notes: [{ why: `${name}: a library, which has no manifests of its own` }] }];
  const rendered: Rendered = {
    kind: 'chart',
    file: chart.file,
    name,
    command: helmCommand(chart),
    remedy: '; give values with --values FILE or --set KEY=VALUE, or leave the chart out with --exclude DIR',
    tools: 'helm',
    isFound,
    warningFor: (reason) => {
      const lacking = LACKS_DEPENDENCY.exec(reason)?.[1];
      const command = `helm dependency build ${shellPath(dirname(chart.file))}`;
      return lacking === undefined
        ? undefined
        : `${name} is not checked, because it lacks ${lacking}; type: ${command}`;
    },
  };
  if (rendering.flags['no-render-charts']) return [leftOut(rendered, 'by a flag')];
  const read = await Promise.all(
    valuesOf(path, rendering.flags).map((values) =>
      renderChart(chart, values, rendering).then(
        (texts) => renderedTexts(rendered, texts),
        (error: unknown) => leftOut(rendered, { error }),
      ),
    ),
  );
  // A chart that fails with several values is one chart.
  const first = read.findIndex((each) => each.leftOut !== undefined);
  return read.map((each, index) => (index > first ? { ...each, leftOut: undefined } : each));
}

/** The values that a chart is rendered with: each of those of the project file, and then those of the flags. */
function valuesOf(path: string, { values, set, project }: RenderingFlags): readonly ChartValues[] {
  const listed = (project?.charts ?? []).filter((chart) => resolve(chart.path) === resolve(path));
  const all = (listed.length > 0 ? listed : [{ values: [], set: [] }]).map((chart) => ({
    values: [...chart.values, ...values],
    set: [...chart.set, ...set],
  }));
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}

/**
 * Renders a chart with the `helm` of the PATH. A text for each template, in the order of Helm. The schema of the values
 * is not asked, because it can name files and addresses that Helm would read. Helm gets a copy of a chart that lacks
 * dependencies of the tree, and of a chart with Git's own files.
 *
 * @throws NoRenderingTool when there is no `helm`
 * @throws Error with Helm's reason, or with a link of the chart that leads out of the tree
 */
export async function renderChart(
  chart: Chart,
  { values, set }: ChartValues,
  { flags, copy, charts }: Pick<Rendering, 'flags' | 'copy' | 'charts'>,
): Promise<readonly ManifestText[]> {
  const { directory, tree } = chart;
  const { namespace, 'kubernetes-version': kubernetesVersion } = flags;
  await refuseLinksOut(directory, tree);
  const dependencies = await dependenciesIn(directory, tree, charts);
  const isCopied = dependencies.links.length > 0 || (await holdsGit(directory));
  const path = isCopied ? await copy.at(directory) : resolve(directory);
  await linkDependencies(dependencies, copy);
  // A path that begins with a dash would be a flag, and Helm downloads a path that is an address.
  const files = values.map((file) => resolve(file));
  const args = [
    ...['--namespace', namespace, '--skip-tests', '--skip-schema-validation'],
    ...(kubernetesVersion === undefined ? [] : ['--kube-version', kubernetesVersion]),
    ...files.flatMap((file) => ['--values', file]),
    ...set.flatMap((assignment) => ['--set', assignment]),
  ];
  const output = await outputOfFirst([['helm', ['template', releaseName(chart), path, ...args]]], /^HELM_/).catch(
    async (error: unknown) => {
      if (error instanceof Error) error.message = await copy.withoutCopy(error.message);
      throw error;
    },
  );
  return await placedTexts(output, chart, values, dependencies);
}
