import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isJsonObject, type JsonObject } from '../../../../src/base/json/json-value.ts';
import { snapshotItems } from '../../../../src/cli/snapshot/items/snapshot-items.ts';
import { KNOWN_KINDS } from '../../../../src/engine/workload/kinds.ts';
import { checkTexts } from '../../../support/check-texts.ts';
import { clusterPolicyDocument, policyDocument } from '../../../support/worlds.ts';

const SETTINGS = { kinds: KNOWN_KINDS, namespace: 'default' };

/** Fixtures whose advice has a value that does not leave: of a header, or of a variable. */
const VALUES = [
  'header-value/fail/a-block-scalar-ends-in-a-line-break.yaml',
  'http-variable/fail/a-variable-in-the-path.yaml',
  'variable-in-a-path/bad.yaml',
];

function manifestsBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml') && !VALUES.includes(name))
    .map((name) => join(directory, name));
}

function documentsIn(text: string): unknown[] {
  return parseAllDocuments(text, { version: '1.1', merge: true }).map((document) => document.toJS() as unknown);
}

/** What check says about objects, without the places. */
function verdictOn(objects: readonly JsonObject[]): unknown {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  const { violations, warnings, problems } = checkTexts([{ file: 'list.json', text }], []);
  const plain = violations.map((violation) => ({ ...violation, line: 0, column: 0, object: undefined }));
  return { violations: plain, warnings: warnings.map(({ message }) => message), problems };
}

describe('the items of a snapshot', () => {
  it.each(['test/fixtures/checks', 'test/fixtures/incidents', 'examples'].flatMap(manifestsBelow))(
    'get the verdict of %s',
    (file) => {
      const objects = documentsIn(readFileSync(file, 'utf8')).filter(isJsonObject);
      const items = snapshotItems(objects, SETTINGS);
      const inOrder = objects.toSorted((a, b) => orderIn(items, a) - orderIn(items, b));
      expect(verdictOn(items)).toEqual(verdictOn(inOrder));
    },
  );

  it.each([
    ['the own Service of a StatefulSet', { kind: 'StatefulSet', spec: { replicas: 3, serviceName: 'web' } }, {}],
    ['the strategy', { kind: 'Deployment', spec: { strategy: { type: 'Recreate' } } }, {}],
    [
      'the part of a program',
      { kind: 'Deployment', spec: {} },
      {
        args: ['-config.file=/etc/loki.yaml', '-target=querier'],
        livenessProbe: { httpGet: { path: '/ready', port: 80 }, timeoutSeconds: 5 },
      },
    ],
    [
      'an address of the node that the program listens on',
      { kind: 'DaemonSet', spec: {}, hostNetwork: true },
      {
        args: ['-localip', '169.254.20.10', '-secret', 'x'],
        livenessProbe: { httpGet: { path: '/health', port: 80, host: '169.254.20.10' }, timeoutSeconds: 5 },
      },
    ],
  ])('keep %s, which a check reads outside of probes', (_, { kind, spec, ...podSpec }, container) => {
    const labels = { app: 'web' };
    const containers = [{ name: 'app', image: 'example.test/app:1', ports: [{ containerPort: 80 }], ...container }];
    const template = { metadata: { labels }, spec: { ...podSpec, containers } };
    const metadata = { name: 'web', namespace: 'default' };
    const objects = [
      { apiVersion: 'apps/v1', kind, metadata, spec: { ...spec, selector: { matchLabels: labels }, template } },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata,
        spec: { clusterIP: 'None', selector: labels, ports: [{ port: 80 }] },
      },
    ];
    const items = snapshotItems(objects, SETTINGS);
    expect(verdictOn(items)).toEqual(verdictOn(objects.toSorted((a, b) => orderIn(items, a) - orderIn(items, b))));
    expect(JSON.stringify(items)).not.toContain('secret');
  });

  it('have no credentials of headers, and the verdict stays the same', () => {
    const header = (value: string): JsonObject => ({ name: 'Authorization', value });
    const probe = (value: string): JsonObject => ({
      httpGet: {
        path: '/live',
        port: 8080,
        httpHeaders: [header(value), { name: 'Host', value: 'shop.example.test' }],
      },
    });
    const pod = (liveness: string, readiness: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'apps' },
      spec: { containers: [{ name: 'app', livenessProbe: probe(liveness), readinessProbe: probe(readiness) }] },
    });
    const [different] = snapshotItems([pod('Bearer abc', 'Bearer xyz\n')], SETTINGS);
    expect(different).toEqual(pod('xxxxxxxxxx', 'xxxxxxxxxx\n'));
    expect(snapshotItems([pod('Bearer abc', 'Bearer xyz')], SETTINGS)).toEqual([pod('xxxxxxxxxx', 'yyyyyyyyyy')]);
    expect(snapshotItems([pod('Bearer abc', 'Bearer abc')], SETTINGS)).toEqual([pod('xxxxxxxxxx', 'xxxxxxxxxx')]);
  });

  it('have no value of a variable that a path names: the violation stays, and its advice has words', () => {
    const env = [{ name: 'BASE', value: 's3cret' }];
    const readinessProbe = { httpGet: { path: '$(BASE)/ready', port: 'http' } };
    const livenessProbe = { exec: { command: ['check', '$(BASE)'] }, timeoutSeconds: 5 };
    const ports = [{ name: 'http', containerPort: 8080 }];
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'apps' },
      spec: { containers: [{ name: 'app', env, ports, readinessProbe, livenessProbe }] },
    };
    const items = snapshotItems([pod], SETTINGS);
    expect(JSON.stringify(items)).not.toContain('s3cret');
    const { violations } = verdictOn(items) as { readonly violations: readonly JsonObject[] };
    const [found, ...others] = violations.filter(({ check }) => check === 'http-variable');
    expect(found).toMatchObject({ remedy: 'write the path itself' });
    expect([found?.['edits'], others]).toEqual([undefined, []]);
  });

  it('say that a Pod has a controller, which a missing readiness probe is judged by, and not which', () => {
    const labels = { app: 'web' };
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 's3cret', uid: '1', controller: true }];
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'apps', labels, ownerReferences },
      spec: { containers: [{ name: 'app', ports: [{ containerPort: 8080 }] }] },
    };
    const metadata = { name: 'web', namespace: 'apps' };
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ port: 8080 }] },
    };
    const items = snapshotItems([pod, service], SETTINGS);
    expect(JSON.stringify(items)).not.toContain('s3cret');
    expect(verdictOn(items)).toEqual(verdictOn([pod, service]));
  });

  it('have the address of an own headless Service, without its user', () => {
    const env = [{ name: 'PEERS', value: 'amqp://user:s3cret@web:7000' }];
    const readinessProbe = { tcpSocket: { port: 7000 } };
    const metadata = { name: 'web', namespace: 'apps', labels: { app: 'web' } };
    const spec = { clusterIP: 'None', selector: { app: 'web' }, ports: [{ port: 7000 }] };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { containers: [{ name: 'app', env, readinessProbe }] },
    };
    const items = snapshotItems([pod, { apiVersion: 'v1', kind: 'Service', metadata, spec }], SETTINGS);
    expect(JSON.stringify(items)).not.toContain('s3cret');
    expect(items).toMatchObject([
      { spec },
      { spec: { containers: [{ env: [{ name: 'PEERS', value: 'amqp://web:7000' }] }] } },
    ]);
    expect(snapshotItems(items, SETTINGS)).toEqual(items);
  });

  it('have no field of a port or a restart rule that the API does not have, and nothing of a value of the wrong type', () => {
    const odd = { note: 's3cret' };
    const containers = [
      {
        name: 'app',
        image: odd,
        ports: [{ containerPort: 80, protocol: ['s3cret'], ...odd }, 's3cret', null, 8080],
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42, odd], ...odd }, ...odd }],
      },
    ];
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'apps' }, spec: { containers } };
    const [item] = snapshotItems([pod], SETTINGS);
    expect((item?.['spec'] as JsonObject)['containers']).toEqual([
      {
        name: 'app',
        image: {},
        ports: [{ containerPort: 80, protocol: [] }, '', null, 0],
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42, {}] } }],
      },
    ]);
  });

  it('do not depend on the order of the objects', () => {
    const objects = [
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' }, spec: { containers: [] } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [] } },
      clusterPolicyDocument({ checks: { 'named-port': { action: 'Warn' } } }),
      policyDocument({ containers: ['app'] }),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps', labels: { team: 'a' } } },
    ];
    const items = snapshotItems(objects, SETTINGS);
    expect(items.map(({ kind, metadata }) => [kind, (metadata as JsonObject)['name']])).toEqual([
      ['Namespace', 'apps'],
      ['ClusterProbePolicy', 'cluster'],
      ['ProbePolicy', 'policy'],
      ['Pod', 'a'],
      ['Pod', 'b'],
    ]);
    expect(snapshotItems(objects.toReversed(), SETTINGS)).toEqual(items);
  });

  it('are in the order of what others depend on, and then of namespace, kind and name', () => {
    const of = (kind: string, name: string, namespace?: string, apiVersion = 'v1'): JsonObject => ({
      ...{ apiVersion, kind },
      metadata: { name, ...(namespace !== undefined && { namespace }) },
    });
    const own = 'probewright.dev/v1alpha1';
    const pod = { spec: { containers: [{ name: 'app', image: 'x' }] } };
    const generated = (generateName: string): JsonObject => ({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { generateName, namespace: 'a' }, ...pod },
    });
    const objects = [
      { ...of('Pod', 'a', 'b'), ...pod },
      generated('z-'),
      generated('c-'),
      { ...of('Pod', 'b', 'a'), ...pod },
      { ...of('Service', 's', 'a'), spec: {} },
      { ...of('StartupProfile', 'p', 'a', own), status: {} },
      { ...of('ProbePolicy', 'p', 'a', own), spec: {} },
      { ...of('ClusterProbePolicy', 'p', undefined, own), spec: {} },
      of('Namespace', 'a'),
    ];
    const shown = snapshotItems(objects, SETTINGS).map(({ kind, metadata }) => {
      const { namespace, name, generateName } = metadata as Record<string, unknown>;
      return [kind, namespace, name ?? generateName].filter((each) => typeof each === 'string').join(' ');
    });
    expect(shown).toEqual([
      'Namespace a',
      'ClusterProbePolicy p',
      'ProbePolicy a p',
      'StartupProfile a p',
      'Service a s',
      'Pod a b',
      'Pod a c-',
      'Pod a z-',
      'Pod b a',
    ]);
  });

  it('have whether fields of an ephemeral container are set, and the container that it looks at', () => {
    const ephemeral = (targetContainerName: unknown): JsonObject => ({
      ...{ name: 'debug', image: 'tools@sha256:1', targetContainerName },
      ...{ resizePolicy: [{ resourceName: 'cpu' }], resources: { limits: { cpu: 1 }, other: 's' } },
    });
    const itemOf = (target: unknown, list: string): unknown => {
      const spec = { containers: [{ name: 'app', image: 'x' }], [list]: [ephemeral(target)] };
      const [item] = snapshotItems([{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec }], SETTINGS);
      return (item?.['spec'] as Record<string, readonly unknown[]>)[list]?.[0];
    };
    const bare = { name: 'debug', image: 'tools' };
    const set = { resizePolicy: [], resources: { limits: {} } };
    expect(itemOf('app', 'ephemeralContainers')).toEqual({ ...bare, ...set, targetContainerName: 'app' });
    expect(itemOf(3, 'ephemeralContainers')).toEqual({ ...bare, ...set });
    expect(itemOf('app', 'initContainers')).toEqual(bare);
  });

  it('have samples of starts by their places, and a sample of a wrong type is empty', () => {
    const at = '2026-11-20T10:00:00Z';
    const sample = { seconds: 20, basis: 'startup', at, id: 'node-1/uid', node: 'n' };
    const status = {
      workload: { kind: 'Deployment', name: 'web' },
      containers: [{ name: 'app', samples: [sample, 'x', sample] }],
    };
    const object = {
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'StartupProfile',
      metadata: { name: 'p', namespace: 'a' },
      status,
    };
    const [item] = snapshotItems([object], SETTINGS);
    const kept = (id: string): object => ({ seconds: 20, basis: 'startup', at, id });
    expect((item?.['status'] as typeof status).containers).toEqual([
      { name: 'app', samples: [kept('0'), '', kept('2')] },
    ]);
  });

  it('have what verdicts read of each kind, and nothing else', () => {
    const metadata = { name: 'web', uid: 'u', annotations: { a: 'b' }, labels: { team: 'a' } };
    const objects = [
      { apiVersion: 'v1', kind: 'Secret', metadata, data: { password: 'c2VjcmV0' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { key: 'value' } },
      { apiVersion: 'v1', kind: 'Namespace', metadata, spec: { finalizers: ['x'] } },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata,
        spec: {
          type: 'ExternalName',
          externalName: 'db.example.test',
          clusterIP: '10.0.0.1',
          selector: { app: 'web' },
          ports: [{ name: 'http', port: 80, targetPort: 'http', nodePort: 30080, appProtocol: 'x' }],
        },
      },
      { ...policyDocument({ containers: ['app'] }), status: { conditions: [] } },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' }, annotations: { note: 'n', 'probewright.dev/skip': 'all' } },
            spec: {
              volumes: [{ name: 'v', secret: { secretName: 's' } }],
              serviceAccountName: 'robot',
              containers: [{ name: 'app', image: 'example.test/app:1@sha256:0123', args: ['--token', 'x'] }],
            },
          },
        },
      },
    ];
    expect(snapshotItems(objects, SETTINGS)).toEqual([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web', labels: { team: 'a' } } },
      policyDocument({ containers: ['app'] }),
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          type: 'ExternalName',
          selector: { app: 'web' },
          ports: [{ name: 'http', port: 80, targetPort: 'http', appProtocol: 'x' }],
        },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          replicas: 2,
          template: {
            metadata: { labels: { app: 'web' }, annotations: { 'probewright.dev/skip': 'all' } },
            spec: { containers: [{ name: 'app', image: 'example.test/app:1', args: ['--token', 'x'] }] },
          },
        },
      },
    ]);
  });
});

function orderIn(items: readonly JsonObject[], object: JsonObject): number {
  const nameOf = (each: JsonObject): string => {
    const { name, generateName, namespace = 'default' } = each['metadata'] as JsonObject;
    return JSON.stringify([each['kind'], name ?? generateName, each['kind'] === 'Namespace' ? '' : namespace]);
  };
  return items.findIndex((item) => nameOf(item) === nameOf(object));
}
