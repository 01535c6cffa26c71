import { describe, expect, it } from 'vitest';
import { checkedWorkload } from '../../../src/engine/checks/checked-workload.ts';
import { validProbe } from '../../../src/engine/checks/valid-probe.ts';
import { BUILT_IN_KINDS, podTemplatesOf, workloadKindOfManifest } from '../../../src/engine/workload/kinds.ts';
import { pod } from '../../support/worlds.ts';
import { printed, type PrintedFinding } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { WorkloadKind } from '../../../src/engine/workload/kinds.ts';

const ROLLOUT: WorkloadKind = {
  group: 'argoproj.io',
  kind: 'Rollout',
  templatePaths: [['spec', 'template']],
  runsToCompletion: false,
};

/** What valid-probe says about the containers of an object, by their names. */
function findingsOf(object: JsonObject): Record<string, readonly PrintedFinding[]> {
  const kind = workloadKindOfManifest(object, [...BUILT_IN_KINDS, ROLLOUT]);
  const template = kind && podTemplatesOf(object, kind)[0];
  if (kind === undefined || template === undefined) throw new Error('not a workload');
  const workload = checkedWorkload(object, kind, template);
  const entries = workload.containers.map(
    (container) => [container.name, validProbe.run(container, {}).map(printed)] as const,
  );
  return Object.fromEntries(entries.filter(([, findings]) => findings.length > 0));
}

function workloadOf(apiVersion: string, kind: string, podSpec: JsonObject, spec: JsonObject = {}): JsonObject {
  return { apiVersion, kind, metadata: { name: 'web' }, spec: { ...spec, template: { spec: podSpec } } };
}

describe('valid-probe', () => {
  it('says what the API server would say, with path, reason and probe, to the container it is about', () => {
    const broken = { name: 'db', readinessProbe: { tcpSocket: { port: 0 }, periodSeconds: -5 } };
    expect(findingsOf(pod([{ name: 'web' }, broken]))).toEqual({
      db: [
        {
          probe: 'readinessProbe',
          path: 'spec.containers[1].readinessProbe.tcpSocket.port',
          reason: 'FieldValueInvalid',
          message: 'Invalid value: 0: must be between 1 and 65535, inclusive',
        },
        {
          probe: 'readinessProbe',
          path: 'spec.containers[1].readinessProbe.periodSeconds',
          reason: 'FieldValueInvalid',
          message: 'Invalid value: -5: must be greater than or equal to 0',
        },
      ],
    });
  });

  it('has nothing to say about a workload that is right', () =>
    expect(findingsOf(pod([{ name: 'web', livenessProbe: { httpGet: { port: 'undeclared' } } }]))).toEqual({}));

  it('looks at init and ephemeral containers too', () => {
    const podSpec = {
      containers: [{ name: 'web' }],
      initContainers: [{ name: 'migrate', startupProbe: {} }],
      ephemeralContainers: [{ name: 'shell', livenessProbe: {} }],
    };
    const findings = findingsOf(workloadOf('apps/v1', 'Deployment', podSpec));
    expect(Object.keys(findings)).toEqual(['migrate', 'shell']);
    expect(findings['shell']?.map(({ path }) => path)).toEqual([
      'spec.template.spec.ephemeralContainers[0].livenessProbe',
      'spec.template.spec.ephemeralContainers',
    ]);
  });

  it('leaves the probe out where the finding is about something else of the container', () => {
    const findings = findingsOf(pod([{ name: 'web', ports: [{ name: 'web' }] }]));
    expect(findings['web']?.[0]).not.toHaveProperty('probe');
  });

  it('gives what is about the Pod to its first container', () => {
    const podSpec = { restartPolicy: 'Never', containers: [{ name: 'web' }, { name: 'proxy' }] };
    expect(findingsOf(workloadOf('apps/v1', 'StatefulSet', podSpec))).toEqual({
      web: [
        {
          path: 'spec.template.spec.restartPolicy',
          reason: 'FieldValueNotSupported',
          message: 'Unsupported value: "Never": supported values: "Always"',
        },
      ],
    });
    expect(findingsOf(workloadOf('batch/v1', 'Job', podSpec))).toEqual({});
    expect(findingsOf(workloadOf('argoproj.io/v1alpha1', 'Rollout', podSpec))).toEqual({});
  });

  it('takes any restartPolicy in a PodTemplate, and no ephemeral containers', () => {
    const spec = {
      restartPolicy: 'OnFailure',
      containers: [{ name: 'web', livenessProbe: {} }],
      ephemeralContainers: [{}],
    };
    const template = { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'web' }, template: { spec } };
    expect(findingsOf(template)['web']?.map(({ path }) => path)).toEqual(['template.spec.containers[0].livenessProbe']);
    expect(findingsOf(template)['']?.map(({ path }) => path)).toEqual(['template.spec.ephemeralContainers']);
  });

  it('finds what is wrong in a container without a name', () => {
    const paths = Object.values(findingsOf(pod([{ livenessProbe: {} }, { name: 'web' }]))).flatMap((found) =>
      found.map(({ path }) => path),
    );
    expect(paths).toEqual(['spec.containers[0].livenessProbe']);
  });

  it('knows the one rule of a Deployment that waits for readiness', () => {
    const deployment = workloadOf('apps/v1', 'Deployment', { containers: [{ name: 'web' }] }, { minReadySeconds: 900 });
    expect(findingsOf(deployment)).toHaveProperty('web.0.path', 'spec.progressDeadlineSeconds');
  });

  it('says only that a value cannot be decoded where one cannot', () => {
    const containers = [
      { name: 'web', livenessProbe: {} },
      { name: 'db', readinessProbe: { tcpSocket: 5432 } },
    ];
    expect(findingsOf(workloadOf('apps/v1', 'DaemonSet', { containers }))).toEqual({
      db: [
        {
          probe: 'readinessProbe',
          path: 'spec.template.spec.containers[1].readinessProbe.tcpSocket',
          message:
            'json: cannot unmarshal number into Go struct field Probe.spec.template.spec.containers.readinessProbe.ProbeHandler.tcpSocket of type v1.TCPSocketAction',
        },
      ],
    });
  });

  it('works the answer out once for a workload, however many containers it has', () => {
    const object = pod([{ name: 'web', livenessProbe: {} }, { name: 'log' }]);
    const [kind] = BUILT_IN_KINDS;
    const template = kind && podTemplatesOf(object, kind)[0];
    const workload = kind && template && checkedWorkload(object, kind, template);
    const [container] = workload?.containers ?? [];
    if (workload === undefined || container === undefined) throw new Error('not a workload');
    const findings = validProbe.run(container, {});
    expect(validProbe.run(container, {})).toBe(findings);
  });
});

describe('the advice of valid-probe', () => {
  const told = (container: JsonObject): unknown[] =>
    (findingsOf(pod([{ name: 'app', ...container }]))['app'] ?? []).map(({ remedy, edits }) => [
      remedy,
      edits?.map(({ value }) => value),
    ]);
  const http = (httpGet: JsonObject, others: JsonObject = {}): JsonObject => ({
    livenessProbe: { httpGet, ...others },
  });

  it.each<[string, JsonObject, unknown[]]>([
    ['a quoted number as a port', http({ port: '8080' }), ['write port: 8080, without quotes', [8080]]],
    ['a scheme in lower case', http({ port: 80, scheme: 'https' }), ['write scheme: HTTPS', ['HTTPS']]],
    [
      'a successThreshold of liveness',
      http({ port: 80 }, { successThreshold: 2 }),
      ['remove successThreshold', [null]],
    ],
    [
      'a grace period of readiness',
      { readinessProbe: { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 5 } },
      ['remove terminationGracePeriodSeconds', [null]],
    ],
    [
      'a quoted number of seconds',
      http({ port: 80 }, { periodSeconds: '5' }),
      ['write periodSeconds: 5, without quotes', [5]],
    ],
    [
      'a missing port with one declared port',
      { ...http({ path: '/' }), ports: [{ containerPort: 8080 }] },
      ['write port: 8080', [8080]],
    ],
    [
      'a missing port with a declared port of a database',
      { ...http({ path: '/' }), ports: [{ containerPort: 5432 }] },
      [undefined, undefined],
    ],
    ['no handler', { livenessProbe: {} }, ['write httpGet, tcpSocket, grpc or exec', undefined]],
    [
      'two handlers',
      { livenessProbe: { tcpSocket: { port: 80 }, grpc: { port: 80 } } },
      ['keep one handler', undefined],
    ],
    [
      'a word that YAML reads as a boolean',
      { image: true },
      ['quote it: y, yes, on and true are booleans in YAML 1.1', undefined],
    ],
    ['a number of seconds that is no number', http({ port: 80 }, { periodSeconds: '5s' }), [undefined, undefined]],
    ['an unknown scheme', http({ port: 80, scheme: 'ftp' }), [undefined, undefined]],
    ['a port name with a dot', http({ port: 'web.http' }), [undefined, undefined]],
  ])('%s', (_name, container, expected) => expect(told(container)).toEqual([expected]));
});
