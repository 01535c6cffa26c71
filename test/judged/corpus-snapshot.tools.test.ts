import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { snapshotItems } from '../../src/cli/snapshot/items/snapshot-items.ts';
import { KNOWN_KINDS } from '../../src/engine/workload/kinds.ts';
import { checkTexts } from '../support/check-texts.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import { CORPORA } from './corpus.ts';

const files = CORPORA.flatMap(({ directory }) => {
  const names = readdirSync(directory).filter((name) => name.endsWith('.json'));
  return names.map((name) => `${directory}/${name}`);
});

/** What check says about objects, without places and advice: values of variables do not leave. */
function findingsIn(items: readonly JsonObject[]): string[] {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  return checkTexts([{ file: 'list.json', text }], [])
    .violations.map((of) => [of.kind, of.namespace, of.name, of.container, of.check, of.action, of.message].join(' '))
    .toSorted();
}

describe('a snapshot of public charts', () => {
  if (files.length === 0) it.skip('needs the corpora, which are not part of the project');
  it.each(files)('has the findings of %s', (file) => {
    const { items } = JSON.parse(readFileSync(file, 'utf8')) as { items: readonly JsonObject[] };
    const kept = snapshotItems(items, { kinds: KNOWN_KINDS, namespace: 'default' });
    expect(findingsIn(kept)).toEqual(findingsIn(items));
  });
});
