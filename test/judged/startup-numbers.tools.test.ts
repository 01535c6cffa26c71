import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import { expectSecondsKept } from '../support/startup-figures.ts';
import { CORPORA } from './corpus.ts';

describe.skipIf(CORPORA.length === 0)('the startup probes of public charts', () => {
  it.each(CORPORA)(
    'have one number in check, fix and /mutate, and no failed start ends much later: $directory',
    ({ directory }) => {
      const files = readdirSync(directory).filter((name) => name.endsWith('.json'));
      const items = files.flatMap((file) => {
        const list = JSON.parse(readFileSync(`${directory}/${file}`, 'utf8')) as {
          readonly items: readonly JsonObject[];
        };
        return list.items;
      });
      const compared = items.reduce((sum, item) => sum + expectSecondsKept(item, true), 0);
      expect(compared).toBeGreaterThan(20);
    },
    120_000,
  );
});
