import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { expect, it } from 'vitest';
import { isPod } from '../../src/engine/workload/kinds.ts';
import { manifestOf, policiesOf, type WorkloadCase } from '../support/workload-cases.ts';
import { admitted, besideEngine } from './beside-engine.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const FOLDER = 'test/fixtures/defaulting';

/** A case of the webhook (defaulting-cases.ts). Those with a request or a mode are about the webhook alone. */
type Case = WorkloadCase & Readonly<Record<'policies' | 'request' | 'mode', JsonObject | undefined>>;

let [webhook, equal] = [0, 0];

it.each(readdirSync(FOLDER))('gives no probe more or other in the cases of the webhook: %s', (file) => {
  const sentences = parse(readFileSync(`${FOLDER}/${file}`, 'utf8'), { maxAliasCount: -1 }) as Record<string, Case[]>;
  for (const [sentence, cases] of Object.entries(sentences))
    for (const given of cases) {
      if (given.mode !== undefined || given.request !== undefined) continue;
      // Through JSON, as an object reaches an API server.
      const object = JSON.parse(JSON.stringify(manifestOf(given))) as JsonObject;
      if (!isPod({ group: '', kind: String(object['kind']) })) continue;
      const compared = besideEngine(admitted(object), policiesOf(given.policies));
      expect(compared.moreOrOther, sentence).toEqual([]);
      for (const { reasons } of compared.fewer) expect(reasons, sentence).not.toEqual([]);
      webhook += compared.webhook;
      equal += compared.equal;
    }
});

it('gives most probes of these cases', () => {
  expect(webhook).toBeGreaterThan(150);
  expect(equal / webhook).toBeGreaterThan(0.7);
});
