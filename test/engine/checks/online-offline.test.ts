import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validate } from '../../support/decisions.ts';
import { withoutRepeats } from '../../../src/engine/verdict/repeated-advice.ts';
import { checkTexts } from '../../support/check-texts.ts';
import { withEdits } from '../../../src/base/json/field-path.ts';
import { manifestsOf } from '../../../src/cli/input/manifests.ts';
import { defaultedPodSpec } from '../../../src/engine/probe/api-defaults.ts';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { KNOWN_KINDS, podTemplatesOf, workloadKindOfManifest } from '../../../src/engine/workload/kinds.ts';
import { expectValidReply } from '../../support/protocol.ts';
import { VALIDATE_SETTINGS, clusterPolicyDocument, policySet, requestOf, reviewOf } from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import { factsOf } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';

const FIXTURES = 'test/fixtures/checks';
const files = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));

/** Every check on, so that none is compared by its silence. */
const policy = clusterPolicyDocument({
  checks: Object.fromEntries(Object.keys(CHECK_CATALOGUE).map((id) => [id, { action: 'Warn' }])),
});

/** The object as an API server hands it to webhooks: defaulted. */
function defaulted(object: JsonObject): JsonObject {
  const kind = workloadKindOfManifest(object, KNOWN_KINDS);
  if (kind === undefined) return object;
  return podTemplatesOf(object, kind).reduce((changed, { template, path }) => {
    const spec = defaultedPodSpec(template['spec'] as JsonObject);
    return withEdits(changed, [{ path, value: { ...template, spec } }]);
  }, object);
}

const verdict = (violations: readonly Violation[]): unknown[] =>
  violations.map(({ check, action, container, probe, path, message }) => ({
    check,
    action,
    container,
    probe,
    path,
    message,
  }));

describe('the same object gets the same verdict online and offline', () =>
  it.each(files)('%s', (name) => {
    const text = readFileSync(join(FIXTURES, name), 'utf8');
    const policyText = { file: 'policy.json', text: JSON.stringify(policy) };
    const offline = checkTexts([{ file: name, text }], [policyText]).violations;
    const { manifests } = manifestsOf({ file: name, text });
    const facts = factsOf(manifests.slice(1).map(({ object }) => object));
    const online = manifests.flatMap(({ object }) => {
      const { namespace = 'default' } = object['metadata'] as { readonly namespace?: string };
      const request = requestOf(reviewOf(defaulted(object), { namespace }));
      const decision = validate(request, policySet(policy).withFacts(facts), VALIDATE_SETTINGS, NOW);
      expectValidReply('validate', request.uid, decision.reply);
      return decision.violations ?? [];
    });
    expect(verdict(withoutRepeats(offline))).toEqual(verdict(online));
  }));
