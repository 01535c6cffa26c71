import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { checkTexts } from '../../support/check-texts.ts';
import { clusterPolicyDocument, pod, policyDocument } from '../../support/worlds.ts';
import { findings } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const SELECTOR = { app: 'web' };

function service(port: JsonObject, spec: JsonObject = {}, name = 'web', namespace = 'apps'): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: SELECTOR, ports: [port], ...spec },
  };
}

function podOf(
  containers: readonly JsonObject[],
  spec: JsonObject = {},
  labels: JsonObject = { app: 'web', tier: 'x' },
): JsonObject {
  return pod(containers, { metadata: { labels }, spec });
}

const app = (ports: readonly JsonObject[], members: JsonObject = {}): JsonObject => ({
  name: 'app',
  image: 'example.test/app:1',
  ports,
  ...members,
});

/** The containers with a finding. */
function found(object: JsonObject, services?: readonly JsonObject[]): string[] {
  return findings('service-readiness', object, {}, services).map(({ message }) => message);
}

describe('service-readiness', () => {
  const http = [{ name: 'http', containerPort: 8080 }];

  it('judges after defaulting, with the Services among the files', () => {
    const text = (...items: JsonObject[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const metadata = { name: 'web', labels: { app: 'web' }, ownerReferences: [{ controller: true }] };
    const rest = { apiVersion: 'v1', kind: 'Service', spec: service({ port: 8080 })['spec'] };
    const files = [
      { file: 'a.json', text: text({ ...podOf([app(http)]), metadata }) },
      { file: 'b.json', text: text({ ...rest, metadata: { name: 'web' } }, { ...rest, metadata: { name: 'web' } }) },
    ];
    const ids = (policies: JsonObject[]): string[] => {
      const { violations, problems } = checkTexts(files, [{ file: 'p.json', text: text(...policies) }], {
        namespace: 'shop',
      });
      expect(problems).toEqual([]);
      return violations.map(({ check, action }) => `${check} ${action}`);
    };
    expect(ids([])).toEqual(['service-readiness Warn']);
    expect(ids([clusterPolicyDocument({ checks: { 'service-readiness': { action: 'Deny' } } })])).toEqual([
      'service-readiness Deny',
    ]);
    expect(ids([policyDocument({ kubernetesProbeEndpoints: { readinessProbe: '/ready' } }, 'p', 'shop')])).toEqual([]);
  });

  it('needs one pass over the Services for a workload of any size', () => {
    const containers = Array.from({ length: 2000 }, (_, index) => app([{ containerPort: (index % 60_000) + 1 }]));
    const services = Array.from({ length: 2000 }, (_, index) => service({ port: index + 1 }, {}, `s-${index}`));
    expect(found(podOf(containers), services)).toHaveLength(2000);
    expect(CHECK_CATALOGUE['service-readiness']?.action).toBe('Warn');
  });
});
