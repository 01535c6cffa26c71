import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { CHART, chartFiles } from '../../scripts/chart/chart-files.ts';
import { readValuesFile } from '../../scripts/chart/values-file.ts';
import { isJsonObject, type JsonObject } from '../../src/base/json/json-value.ts';
import { valuesFiles } from './helm.ts';

const entries = readValuesFile(readFileSync(`${CHART}/values.yaml`, 'utf8'));
const schema = parse(readFileSync(`${CHART}/values.schema.json`, 'utf8')) as JsonObject;
const templates = readdirSync(`${CHART}/templates`, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(yaml|tpl|txt)$/.test(name))
  .map((name) => readFileSync(`${CHART}/templates/${name}`, 'utf8'))
  .join('\n');

/** Objects of the schema that take any key, by their path in it. */
function openObjects(node: unknown, path: string): string[] {
  if (Array.isArray(node)) return node.flatMap((element, index) => openObjects(element, `${path}/${index}`));
  if (!isJsonObject(node)) return [];
  const isOpen = node['type'] === 'object' && node['additionalProperties'] === undefined;
  return [
    ...(isOpen ? [path] : []),
    ...Object.entries(node).flatMap(([key, member]) => openObjects(member, `${path}/${key}`)),
  ];
}

describe('the values of the chart', () => {
  it.each([...chartFiles()])('%s is what `npm run generate:chart` writes', (path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('are each documented by a comment', () => {
    expect(entries.filter(({ description }) => description.length < 10).map(({ path }) => path.join('.'))).toEqual([]);
  });

  it('are each under a heading', () => {
    expect(entries.filter(({ section }) => section === '')).toEqual([]);
  });

  it('are each used by a template', () => {
    const leaves = entries.filter(
      ({ path }) =>
        !entries.some(
          (other) => other.path.length > path.length && path.every((key, index) => other.path[index] === key),
        ),
    );
    const unused = leaves.filter(({ path }) => {
      // `.Values.a.b`, or `.b` and `.b.c` below `with .Values.a`, or webhooks by index.
      const tails = path.map((_, index) => path.slice(index).join('.')).filter((tail) => tail !== '');
      return !tails.some((tail) => templates.includes(`.${tail}`));
    });
    expect(unused.map(({ path }) => path.join('.'))).toEqual([]);
  });

  it('have a closed schema but for what goes into Pods as it is', () => {
    expect(openObjects(schema, '')).toEqual([
      '/properties/global',
      '/definitions/kubernetes',
      '/definitions/kubernetesList/items',
    ]);
  });

  it('need not be given: no key that has a default is required', () => {
    const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
    validate({ webhooks: {}, certificates: { own: {} }, replicas: null });
    expect(validate.errors).toBeNull();
  });

  it('have a schema that fits the defaults and describes every key', () => {
    // That it fits the other values files is for helm lint: what they leave out comes from the defaults.
    const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
    validate(parse(readFileSync(`${CHART}/values.yaml`, 'utf8')));
    expect(validate.errors).toBeNull();
    for (const { path, description } of entries) {
      let node = schema;
      for (const key of path) node = (node['properties'] as JsonObject)[key] as JsonObject;
      expect(node['description'], path.join('.')).toBe(description);
    }
  });

  it('mean the same to YAML 1.1, which helm reads, as to YAML 1.2', () => {
    for (const file of valuesFiles()) {
      const text = readFileSync(file, 'utf8');
      if (!file.endsWith('/audit-values.yaml')) expect(parse(text, { version: '1.1' }), file).toEqual(parse(text));
    }
  });
});

describe('Chart.yaml', () => {
  const chart = parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8')) as Record<string, string> & {
    annotations: Record<string, string>;
  };
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

  it('installs the version of package.json', () => {
    expect(chart['appVersion']).toBe(version);
  });

  it('shows the icon of the chart', () => {
    const data = readFileSync(`${CHART}/icon.svg`).toString('base64');
    expect(chart['icon']).toBe(`data:image/svg+xml;base64,${data}`);
  });

  it('has annotations that are YAML, and names the definitions that it brings', () => {
    const lists = Object.entries(chart.annotations).filter(([, text]) => text.includes('\n'));
    for (const [name, text] of lists) expect(Array.isArray(parse(text)), name).toBe(true);
    const crds = parse(chart.annotations['artifacthub.io/crds'] ?? '') as { name: string }[];
    const shipped = readdirSync(`${CHART}/files/crds`).map((name) => name.replace('.yaml', '.probewright.dev'));
    expect(crds.map(({ name }) => name).sort()).toEqual(shipped.sort());
  });
});
