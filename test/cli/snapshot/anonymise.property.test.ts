import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anonymousReport, reportPart } from '../../../src/cli/snapshot-reports.ts';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { formatPath } from '../../../src/base/json/field-path.ts';
import { anonymise } from '../../../src/cli/snapshot/anonymise.ts';
import { snapshotItems } from '../../../src/cli/snapshot/snapshot-items.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/custom-kinds.ts';
import { anyWorkload } from '../../support/arbitrary-workloads.ts';
import { checkTexts } from '../../support/check-texts.ts';
import { clusterPolicyDocument, policyDocument } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const SETTINGS = { kinds: KNOWN_KINDS, namespace: 'default', reportPart };
const hashOf = (text: string): string => createHmac('sha256', 'secret').update(text).digest('hex');

/** Names that stand nowhere else. */
const NAMES = {
  namespace: 'payments-prod',
  workload: 'ledger-core',
  container: 'ledger-app',
  label: 'ledger-team',
  policy: 'ledger-policy',
  service: 'ledger-front',
  uid: '3f0c9c1e-aaaa-4bbb-8ccc-ledger000001',
  gone: 'ledger-former',
  secret: 'ledger-password',
};

/** The workload with names to hide, with policies that select it, an exception and a Service. */
function world(object: JsonObject): JsonObject[] {
  const text = JSON.stringify(object)
    .replaceAll('"name":"app-0"', `"name":"${NAMES.container}"`)
    .replaceAll('"app":"web"', `"acme.test/team":"${NAMES.label}"`)
    .replaceAll('"/livez"', `"/${NAMES.container}/livez"`);
  const named = JSON.parse(text) as JsonObject;
  const metadata = { ...(named['metadata'] as JsonObject), name: NAMES.workload, namespace: NAMES.namespace };
  const selector = { matchLabels: { 'acme.test/team': NAMES.label } };
  const everyCheck = Object.fromEntries(
    Object.values(CHECK_CATALOGUE).map(({ id, action }) => [id, action === 'Off' ? { action: 'Audit' } : {}]),
  );
  return [
    { ...named, metadata: { ...metadata, ...(named['kind'] === 'Pod' && { labels: selector.matchLabels }) } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMES.namespace, labels: { team: NAMES.label } } },
    clusterPolicyDocument({
      namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'In', values: [NAMES.label] }] },
      checks: everyCheck,
    }),
    clusterPolicyDocument(
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': NAMES.namespace } }, priority: 1 },
      NAMES.policy,
    ),
    policyDocument(
      {
        workloadSelector: selector,
        containers: [NAMES.container],
        kubernetesProbeEndpoints: { readinessProbe: `/${NAMES.container}/ready` },
      },
      NAMES.policy,
      NAMES.namespace,
    ),
    policyDocument({ probes: { readinessProbe: { periodSeconds: 7 } } }, 'a-first', NAMES.namespace),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: NAMES.service, namespace: NAMES.namespace },
      spec: { selector: selector.matchLabels, ports: [{ port: 80, targetPort: 'http' }, { port: 8080 }] },
    },
    reportOn(String(named['apiVersion']), String(named['kind'])),
  ];
}

/** A report with names in each of its texts. One container and one policy are gone, and a forged text has a secret. */
function reportOn(apiVersion: string, kind: string): JsonObject {
  const { namespace, workload, policy, gone, secret, uid } = NAMES;
  const result = (rule: string, properties: JsonObject): JsonObject => ({
    source: 'probewright',
    rule,
    message: `${secret} of ${workload}`,
    properties: { ...properties, note: secret },
  });
  return {
    apiVersion: 'openreports.io/v1alpha1',
    kind: 'Report',
    metadata: { name: `probewright-${uid}`, namespace, labels: { a: secret }, annotations: { b: secret } },
    scope: { apiVersion, kind, namespace, name: workload, uid },
    results: [
      result('missed-pods', {
        cause: 'outdated',
        pods: '3',
        fix: secret,
        sources: `ProbePolicy/${namespace}/${policy}`,
      }),
      result('probe-failing', { cause: 'http-404', container: gone, probe: 'livenessProbe', fix: secret }),
      result('probe-failing', {
        cause: 'shared-dependency',
        workloads: `${kind} ${namespace}/${gone} and 2 more`,
        since: secret,
      }),
      result('probe-failing', { cause: secret, container: gone, probe: 'livenessProbe' }),
    ],
  };
}

function verdictsOn(items: readonly JsonObject[]): unknown {
  const { violations, problems } = checkTexts(
    [{ file: 'list.json', text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) }],
    [],
  );
  expect(problems).toEqual([]);
  return violations.map(({ check, action, probe, path, policy, kind }) => {
    return { check, action, probe, path: policy === undefined ? formatPath(path) : '', kind };
  });
}

describe('a snapshot with pseudonyms', () => {
  it('gets the same verdicts', () => {
    fc.assert(
      fc.property(anyWorkload, (object) => {
        const items = snapshotItems(world(object), SETTINGS);
        expect(verdictsOn(anonymise(items, hashOf, anonymousReport))).toEqual(verdictsOn(items));
      }),
      { numRuns: 200 },
    );
  });

  it('has none of the names', () => {
    fc.assert(
      fc.property(anyWorkload, (object) => {
        const text = JSON.stringify(anonymise(snapshotItems(world(object), SETTINGS), hashOf, anonymousReport));
        for (const name of [...Object.values(NAMES), 'acme.test', 'example.test/app']) expect(text).not.toContain(name);
      }),
      { numRuns: 100 },
    );
  });

  it('depends on nothing but the names and the secret', () => {
    const items = snapshotItems(
      world({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers: [{ name: 'app-0' }] } }),
      SETTINGS,
    );
    expect(anonymise(items, hashOf)).toEqual(anonymise(items, hashOf));
    expect(anonymise(items, hashOf)).not.toEqual(anonymise(items, (text) => hashOf(`${text}!`)));
  });

  it('keeps words with a meaning, and hides hosts, headers, images, reasons and origins', () => {
    const container = {
      name: 'istio-proxy',
      image: 'registry.acme.test/distroless/ledger:1',
      ports: [
        { name: 'http-ledger', containerPort: 8080 },
        { name: 'metrics', containerPort: 9090 },
      ],
      livenessProbe: {
        httpGet: {
          path: '/ready/ledger-core',
          port: 'http-ledger',
          host: 'shop.acme.test',
          httpHeaders: [{ name: 'Host', value: 'shop.acme.test\n' }],
        },
      },
    };
    const [exception, pod] = anonymise(
      snapshotItems(
        [
          {
            apiVersion: 'probewright.dev/v1alpha1',
            kind: 'ProbeException',
            metadata: { name: 'ledger', namespace: 'payments' },
            spec: {
              checks: ['named-port'],
              workloads: [{ kind: 'Pod', name: 'ledger-core' }],
              containers: ['istio-proxy', 'ledger'],
              owner: 'team-ledger',
              reason: 'The ledger answers on one port.',
              expires: '2027-01-31T00:00:00Z',
            },
          },
          {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: {
              name: 'ledger-core',
              namespace: 'payments',
              annotations: {
                'probewright.dev/containers': 'istio-proxy, ledger',
                'probewright.dev/skip': 'startup',
                'probewright.dev/other': 'ledger',
                'probewright.dev/injected': '{"ledger":{"livenessProbe":"ProbePolicy/payments/ledger"}}',
              },
            },
            spec: { containers: [container] },
          },
        ],
        SETTINGS,
      ),
      (text) => `${'0'.repeat(6)}${String(text.length).padStart(4, '0')}${'f'.repeat(12)}`,
    );
    expect(JSON.stringify([exception, pod])).not.toMatch(/acme|payments/);
    expect(exception).toMatchObject({
      metadata: { name: 'n0000000006', namespace: 'n0000000008' },
      spec: {
        checks: ['named-port'],
        workloads: [{ kind: 'Pod', name: 'n0000000011' }],
        containers: ['istio-proxy', 'n0000000006'],
        owner: 'anonymous n0000000011',
        reason: 'anonymous n0000000031',
        expires: '2027-01-31T00:00:00Z',
      },
    });
    expect(pod).toMatchObject({
      metadata: {
        annotations: {
          'probewright.dev/containers': 'istio-proxy, n0000000006',
          'probewright.dev/skip': 'startup',
          'probewright.dev/other': '',
          'probewright.dev/injected': '{"n0000000006":{"livenessProbe":"ProbePolicy/n0000000008/p00000-n0000000006"}}',
        },
      },
      spec: {
        containers: [
          {
            name: 'istio-proxy',
            image: 'distroless',
            ports: [{ name: 'http-x00000' }, { name: 'metrics' }],
            livenessProbe: {
              httpGet: {
                path: '/ready/n0000000011',
                port: 'http-x00000',
                host: 'n0000000014',
                httpHeaders: [{ name: 'Host', value: 'n0000000014\n' }],
              },
            },
          },
        ],
      },
    });
  });
});
