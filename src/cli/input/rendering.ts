import { messageOf } from '../../base/text/error-message.ts';
import { NoRenderingTool } from './rendering-tool.ts';
import type { Tree } from '../../base/files/tree.ts';
import type { TreeCopy } from '../../base/files/tree-copy.ts';
import type { ChartValues, ProjectSettings } from './charts.ts';
import type { ChartsOfTrees } from './chart-dependencies.ts';
import type { ManifestText } from './manifest.ts';
import type { ReadTexts } from './manifests.ts';

/** How charts and kustomizations are rendered, by the flags of the command line. */
export interface RenderingFlags extends ChartValues {
  /** The namespace of the release of a rendered chart. */
  readonly namespace: string;
  readonly 'no-render-charts': boolean;
  readonly 'allow-remote-bases': boolean;
  readonly 'kubernetes-version'?: string | undefined;
  readonly project?: Pick<ProjectSettings, 'charts' | 'flags'> | undefined;
}

/** What all charts and kustomizations of a command line share. */
export interface Rendering {
  readonly flags: RenderingFlags;
  /** The trees of all that is named. */
  readonly trees: readonly Tree[];
  readonly copy: TreeCopy;
  readonly charts: ChartsOfTrees;
}

/** A chart or a kustomization, as messages name it. */
export interface Rendered {
  readonly kind: 'chart' | 'kustomization';
  readonly file: string;
  readonly name: string;
  /** The command that renders it, and what may help when it fails or prints nothing. */
  readonly command: string;
  readonly remedy: string;
  /** What has to be on the PATH. */
  readonly tools: string;
  readonly isFound: boolean;
  /** A message in place of the tool's own, such as one with the command that helps. */
  readonly warningFor?: (reason: string) => string | undefined;
}

/** Why something is not rendered: by a flag, without a tool, or by the tool's own reason. */
export type WhyUnrendered = 'by a flag' | { readonly error: unknown };

/** The texts of a chart or a kustomization. Without any, the inputs gave nothing to check. */
export function renderedTexts({ name, remedy }: Rendered, texts: readonly ManifestText[]): Partial<ReadTexts> {
  const isEmpty = texts.every(({ text }) => text.trim() === '');
  return { texts, unchecked: isEmpty ? [`${name} renders no object${remedy}`] : [] };
}

/** What is told of a chart or a kustomization that is not rendered. */
export function leftOut(rendered: Rendered, failure: WhyUnrendered): Partial<ReadTexts> {
  const { kind, file, name, command, remedy, tools, isFound, warningFor } = rendered;
  const counted = kind === 'chart' ? { charts: 1, kustomizations: 0 } : { charts: 0, kustomizations: 1 };
  const unrendered = (why: string): Partial<ReadTexts> => ({
    notes: [{ why: `${name}: not rendered, ${why}`, command }],
    leftOut: counted,
  });
  if (failure === 'by a flag') return unrendered('as --no-render-charts says');
  const place = { file, line: 1, column: 1 };
  const unchecked = [`${name} cannot be rendered`];
  if (failure.error instanceof NoRenderingTool) {
    if (isFound) return unrendered(`because the PATH has no ${tools}; install it, or run it elsewhere`);
    // Who names a chart must not get a green result without it.
    const message = `cannot be rendered: the PATH has no ${tools}; install it, or pipe the output of: ${command}`;
    return { problems: [{ ...place, message }], unchecked, leftOut: counted };
  }
  const reason = messageOf(failure.error);
  const warning = warningFor?.(reason);
  if (warning === undefined)
    return {
      problems: [{ ...place, message: `cannot be rendered: ${reason}${remedy}`, isFound }],
      unchecked,
      leftOut: counted,
    };
  return { warnings: [{ ...place, message: `warning: ${warning}` }], unchecked: [warning], leftOut: counted };
}
