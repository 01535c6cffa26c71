import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { patchesIn, placesOfBuilt } from '../../../src/cli/input/built-places.ts';
import { parseYamlDocuments } from '../../../src/yaml/reading/documents.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeFiles } from '../../support/write-files.ts';
import type { FieldPath } from '../../../src/base/json/field-path.ts';

const container = (name: string, ...fields: readonly string[]): string =>
  `        - name: ${name}\n${fields.map((field) => `          ${field}\n`).join('')}`;
const deployment = (name: string, ...containers: readonly string[]): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: ${name} }\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n${containers.join('')}`;
const BUILT = deployment(
  'a-web',
  container('proxy', 'image: proxy'),
  container('app', 'image: web:2', 'livenessProbe: { httpGet: { path: /, port: 8080 }, periodSeconds: 7 }'),
);
const APP: FieldPath = ['spec', 'template', 'spec', 'containers', 1];

/** The places of fields of the built object, in files below the directory. */
async function placesWith(
  files: Readonly<Record<string, string>>,
  kustomization: string,
  origin: string | null = '../base/web.yaml',
): Promise<(...path: FieldPath) => string> {
  const directory = await temporaryDirectory();
  await writeFiles(directory, files);
  const [over, file] = [join(directory, 'over'), join(directory, 'over/kustomization.yaml')];
  const patches = patchesIn(file, over, kustomization);
  const readable = new Set(Object.keys(files).map((name) => join(directory, name)));
  const placeOf = placesOfBuilt({ file, directory: over, origins: [origin ?? undefined], patches, readable });
  const [document] = parseYamlDocuments('built', BUILT).documents;
  return (...path) => {
    const place = document && placeOf(document, path);
    return place === undefined ? '' : `${relative(directory, place.file)}:${place.line}:${place.column}`;
  };
}

const BASE = {
  'base/web.yaml': `# the base\n${deployment('web', container('app', 'image: web:1', 'livenessProbe:', '  httpGet: { path: /, port: 8080 }', '  periodSeconds: 10'))}`,
};

it('a field that the base writes is in the base, also when the list has other elements now', async () => {
  const placeOf = await placesWith(BASE, '');
  expect(placeOf(...APP, 'livenessProbe', 'httpGet', 'port')).toBe('base/web.yaml:13:33');
  expect(placeOf(...APP, 'livenessProbe')).toBe('base/web.yaml:12:11');
  expect(placeOf()).toBe('base/web.yaml:2:1');
  // A field that is missing has the place of the nearest one around it.
  expect(placeOf(...APP, 'readinessProbe')).toBe('base/web.yaml:10:11');
});

it('a value that nobody wrote is of the kustomization, such as an image with a new tag', async () => {
  const placeOf = await placesWith(BASE, 'images: [{ name: web, newTag: "2" }]\n');
  expect(placeOf(...APP, 'image')).toBe('over/kustomization.yaml:1:1');
});

it('a value is in the last patch that sets it, by a file or in the kustomization', async () => {
  const patch = deployment('web', container('app', 'livenessProbe: { periodSeconds: 7 }'));
  const files = { ...BASE, 'over/p.yaml': patch, 'over/q.yaml': patch };
  for (const list of ['patches: [{ path: p.yaml }, { path: q.yaml }]', 'patchesStrategicMerge: [p.yaml, q.yaml]'])
    expect((await placesWith(files, list))(...APP, 'livenessProbe', 'periodSeconds')).toBe('over/q.yaml:10:28');
  const inline = `patches:\n- path: p.yaml\n- patch: |-\n    ${patch.trimEnd().replaceAll('\n', '\n    ')}\n`;
  expect((await placesWith(files, inline))(...APP, 'livenessProbe', 'periodSeconds')).toBe(
    'over/kustomization.yaml:13:32',
  );
  expect((await placesWith(files, inline))(...APP, 'livenessProbe')).toBe('base/web.yaml:12:11');
});

it('a value is in the operation of a JSON patch', async () => {
  const operations = `- op: replace\n  path: /spec/replicas\n  value: 3\n- op: add\n  path: /spec/template/spec/containers/1/livenessProbe\n  value:\n    periodSeconds: 7\n`;
  const files = { ...BASE, 'over/p.yaml': operations };
  const targets = '{ path: p.yaml, target: { kind: Deployment, name: web } }';
  for (const list of [`patches: [${targets}]`, `patchesJson6902: [${targets}]`])
    expect((await placesWith(files, list))(...APP, 'livenessProbe', 'periodSeconds')).toBe('over/p.yaml:7:5');
});

it('a patch for another object, for another value and without the field changes no place', async () => {
  const period = (name: string, seconds: number): string =>
    deployment(name, container('app', `livenessProbe: { periodSeconds: ${seconds} }`));
  const files = { 'over/p.yaml': period('other', 7), 'over/q.yaml': period('web', 8), 'over/r.yaml': 'a: [' };
  const base = { 'base/web.yaml': BASE['base/web.yaml'].replace('periodSeconds: 10', 'periodSeconds: 7') };
  const kustomization =
    'patches: [{ path: p.yaml }, { path: q.yaml }, { path: r.yaml }, { path: none.yaml }, { path: p.yaml, target: { kind: StatefulSet } }, 3, {}]\n';
  const placeOf = await placesWith({ ...base, ...files }, kustomization);
  expect(placeOf(...APP, 'livenessProbe', 'periodSeconds')).toBe('base/web.yaml:14:13');
});

it('an object that was generated is of the kustomization, and one that no file has is of its file without a line', async () => {
  expect((await placesWith(BASE, '', null))()).toBe('over/kustomization.yaml:1:1');
  expect((await placesWith({ 'base/web.yaml': deployment('other') }, ''))()).toBe('base/web.yaml:0:0');
  expect((await placesWith({}, ''))()).toBe('over/kustomization.yaml:1:1');
});

it('of several objects of a file, the one with the longest name is the object', async () => {
  const both = `${deployment('a', container('app', 'image: x'))}---\n${BASE['base/web.yaml']}`;
  expect((await placesWith({ 'base/web.yaml': both }, ''))(...APP, 'livenessProbe')).toBe('base/web.yaml:23:11');
});
