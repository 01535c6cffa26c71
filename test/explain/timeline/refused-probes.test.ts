import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { KNOWN_KINDS, POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { explainManifest } from '../../../src/explain/timeline/explain-manifest.ts';
import { refusedProbes } from '../../../src/explain/timeline/refused-probes.ts';
import { checkTexts } from '../../support/check-texts.ts';
import { NOW } from '../../support/now.ts';
import { appContainer, pod, policySet } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const get = (port: unknown, more: JsonObject = {}): JsonObject => ({ httpGet: { path: '/', port }, ...more });

const live = (port: unknown, more: JsonObject = {}): JsonObject => ({ livenessProbe: get(port, more) });
it.each([
  [live('8080'), ['livenessProbe write port: 8080, without quotes']],
  [live(8080, { periodSeconds: '10' }), ['livenessProbe write periodSeconds: 10, without quotes']],
  [live(8080, { timeoutSeconds: '5s' }), ['livenessProbe write timeoutSeconds: 5']],
  [live('http', { periodSeconds: 10 }), []],
])('a probe that the API server refuses has one remedy on every path: %j', (container, texts) => {
  const object = pod([appContainer(container)]);
  const model = readPod(object, POD_KIND);
  const refused = refusedProbes(model, policySet().policyFor('apps', model.labels));
  expect(refused.map(({ probe, text }) => `${probe} ${text}`)).toEqual(texts);
  const explained = explainManifest(object, 'pod.yaml', {
    snapshot: policySet(),
    namespace: 'apps',
    kinds: KNOWN_KINDS,
    now: NOW,
  });
  const caveats = explained?.containers.flatMap((one) => one.caveats) ?? [];
  expect(caveats).toEqual(texts.map((text) => text.replace(' ', ': the API server refuses it (valid-probe): ') + '.'));
  const { violations } = checkTexts([{ file: 'pod.yaml', text: stringify(object) }], []);
  const remedies = violations.filter(({ check }) => check === 'valid-probe').map(({ remedy = '' }) => remedy);
  // The command also says what the mended probe needs.
  expect(
    remedies.map((remedy, index) => remedy.startsWith(texts[index]?.slice('livenessProbe '.length) ?? '?')),
  ).toEqual(texts.map(() => true));
});

it('all quoted numbers of a Pod are mended by one remedy', () => {
  const numbers = { periodSeconds: '10', timeoutSeconds: '3', failureThreshold: '3', initialDelaySeconds: '1' };
  const probes = { livenessProbe: get('8080', numbers), readinessProbe: get('8080', numbers) };
  const { violations } = checkTexts([{ file: 'pod.yaml', text: stringify(pod([appContainer(probes)])) }], []);
  const paths = violations
    .find(({ check }) => check === 'valid-probe')
    ?.edits?.map(({ path }) => path.slice(-2).join('.'));
  const kinds = Object.keys(probes);
  const all = kinds.flatMap((kind) => Object.keys(numbers).map((field) => `${kind}.${field}`));
  expect(paths).toEqual(expect.arrayContaining([...all, 'httpGet.port']));
});
