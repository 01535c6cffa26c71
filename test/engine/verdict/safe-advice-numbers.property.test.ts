import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatPath } from '../../../src/base/json/field-path.ts';
import { withoutRepeats } from '../../../src/engine/verdict/repeated-advice.ts';
import { explainManifest } from '../../../src/explain/timeline/explain-manifest.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { advisedNumbers } from '../../support/advised-numbers.ts';
import { anyWorkload } from '../../support/arbitrary-workloads.ts';
import { checkTexts } from '../../support/check-texts.ts';
import { NOW } from '../../support/now.ts';
import { runs } from '../../support/runs.ts';
import { policySet } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const SETTINGS = { snapshot: policySet(), namespace: 'apps', kinds: KNOWN_KINDS, now: NOW };

/** What check and explain advise: the field with its number, and the text. */
function advised(object: JsonObject): [string, string][] {
  const { violations } = checkTexts([{ file: 'web.json', text: JSON.stringify(object) }], []);
  const found = withoutRepeats(violations).flatMap(({ check, path, probe, remedy = '' }) => {
    const at = path.findIndex((step) => step === 'containers' || step === 'initContainers');
    const place = formatPath(path.slice(0, at + 2));
    return advisedNumbers(remedy, probe).map((each): [string, string] => [`${place} ${each}`, `${check}: ${remedy}`]);
  });
  const explained = explainManifest(object, 'web.json:1:1', SETTINGS)?.containers ?? [];
  const caveats = explained.flatMap(({ path, caveats: texts }) =>
    texts.flatMap((text) => {
      const [, advice = ''] = /\bwrite (.*)/.exec(text) ?? [];
      const numbers = advisedNumbers(advice, /^\w+Probe/.exec(text)?.[0]);
      return numbers.map((each): [string, string] => [`${path} ${each}`, `explain: ${text}`]);
    }),
  );
  return [...found, ...caveats];
}

it('one output of check, and explain beside it, propose one number for one field of a container', () => {
  let most = 0;
  const check = fc.property(anyWorkload, (object) => {
    const byField = Map.groupBy(advised(object), ([field]) => field.replace(/: \d+$/, ''));
    for (const [field, given] of byField) {
      most = Math.max(most, given.length);
      const numbers = new Set(given.map(([each]) => each));
      expect([...numbers], `${field}\n${given.map(([, text]) => text).join('\n')}`).toHaveLength(1);
    }
  });
  fc.assert(check, { numRuns: runs(300) });
  expect(most).toBeGreaterThan(1);
});
