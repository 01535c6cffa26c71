import { spawnSync } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { CHART } from '../../scripts/chart/chart-files.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** An object as the chart renders it; only what most tests look at. */
export interface Manifest extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** An image for tests: the chart has none by default. */
export const IMAGE = 'registry.example/probewright';

/** How to render the chart. Everything has a default. */
export interface Rendering {
  /** `image.repository`; undefined = IMAGE, null = the chart's default or what values files say. */
  readonly image?: string | null;
  readonly release?: string;
  readonly namespace?: string;
  /** Files of values. */
  readonly values?: readonly string[];
  /** `key=value`, as for `--set`. */
  readonly set?: readonly string[];
  /** Values as an object. */
  readonly overrides?: JsonObject;
  readonly apiVersions?: readonly string[];
  /** With the CustomResourceDefinitions, which are long and seldom of interest. */
  readonly crds?: boolean;
}

/** Kinds of others that the chart renders only where they are served. */
export const MONITORING_API = 'monitoring.coreos.com/v1';

/** A Kubernetes version that the chart is for. */
const KUBE_VERSION = '1.36.0';

/** Why helm cannot be run here, in one sentence; undefined when it can. */
export function helmProblem(): string | undefined {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (!assets) return 'KUBEBUILDER_ASSETS is not set: it names a directory with helm.';
  try {
    accessSync(join(assets, 'helm'), constants.X_OK);
    return undefined;
  } catch {
    return `KUBEBUILDER_ASSETS (${assets}) has no executable helm.`;
  }
}

/** Says once a file why its tests are skipped, and whether they are. */
export function isWithoutHelm(file: string): boolean {
  const problem = helmProblem();
  if (problem !== undefined) console.warn(`${file}: tests with helm are skipped: ${problem}`);
  return problem !== undefined;
}

/** The values files that the chart ships, and those for tests: one for each branch of its templates. */
export function valuesFiles(): string[] {
  const ci = readdirSync(`${CHART}/ci`).map((name) => `${CHART}/ci/${name}`);
  return [`${CHART}/values.yaml`, `${CHART}/values.enforced.yaml`, ...ci.sort()];
}

/** Runs helm and gives what it wrote; throws what it says when it fails. */
export function helm(args: readonly string[], input?: string): string {
  const program = join(process.env['KUBEBUILDER_ASSETS'] ?? '', 'helm');
  // Neither plugins nor repositories of whoever runs the tests play a part.
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent' };
  const { status, stdout, stderr } = spawnSync(program, args, { env, input, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(stderr.trim());
  return stdout;
}

/** What `helm template` writes. */
export function renderText(rendering: Rendering = {}): string {
  const { release = 'probewright', namespace = 'probewright', image = IMAGE, overrides, apiVersions = [] } = rendering;
  const args = ['template', release, CHART, '--namespace', namespace, '--kube-version', KUBE_VERSION];
  if (image !== null) args.push('--set', `image.repository=${image}`);
  for (const file of rendering.values ?? []) args.push('--values', file);
  for (const setting of rendering.set ?? []) args.push('--set', setting);
  if (rendering.crds !== true) args.push('--set', 'crds.enabled=false');
  for (const version of apiVersions) args.push('--api-versions', version);
  if (overrides !== undefined) args.push('--values', '-');
  return helm(args, overrides === undefined ? undefined : JSON.stringify(overrides));
}

/** The objects that the chart renders. */
export function render(rendering: Rendering = {}): Manifest[] {
  return readManifests(renderText(rendering));
}

/** The objects in a text of YAML documents. */
export function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => {
      if (document.errors.length > 0) throw new Error(String(document.errors[0]));
      return document.toJS() as Manifest | null;
    })
    .filter((manifest) => manifest !== null);
}

/** The one object of a kind; with a name, of that name. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- who asks for a kind knows its shape
export function one<T = Manifest>(manifests: readonly Manifest[], kind: string, name?: string): T {
  const found = manifests.filter(
    ({ kind: own, metadata }) =>
      own === kind &&
      // The observer's objects are asked for by name.
      (name === undefined ? metadata.labels?.['app.kubernetes.io/component'] !== 'observer' : metadata.name === name),
  );
  if (found.length !== 1) throw new Error(`${found.length} objects ${kind} ${name ?? ''}`);
  return found[0] as T;
}
