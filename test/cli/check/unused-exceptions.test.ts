import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { BUILT_INS, discovery, POLICIES, writeKubeconfig } from '../input/discovery.ts';
import { runProbewright } from '../run-probewright.ts';

const WORKLOAD = `apiVersion: apps/v1
kind: Deployment
metadata: { name: legacy, namespace: apps }
spec:
  template:
    metadata: { labels: { app: legacy } }
    spec:
      containers:
        - name: worker
          image: a
          ports: [{ name: http, containerPort: 8080 }]
          readinessProbe: { httpGet: { path: /r, port: htpp } }
`;

const exception = (
  more: string,
  checks = 'named-port',
  namespace = 'apps',
): string => `apiVersion: probewright.dev/v1alpha1
kind: ProbeException
metadata: { name: known, namespace: ${namespace} }
spec:
  checks: [${checks}]
  ${more}
  owner: team-a
  reason: the vendor will correct it
  expires: "2027-01-31T00:00:00Z"
`;

async function notes(...documents: string[]): Promise<string> {
  const args = ['check', '-', '--now', '2026-11-01T00:00:00Z'];
  return (await runProbewright(args, { stdin: documents.join('---\n') })).stderr;
}

const OF_LEGACY = 'workloads: [{ kind: Deployment, name: legacy }]';
const SAYS = 'note: ProbeException apps/known excepts nothing: ';

describe('an exception in files', () => {
  it.each([
    ['allows a violation', exception(OF_LEGACY)],
    ['has ended, but would allow one', exception(OF_LEGACY).replace('2027', '2026')],
    ['is for a namespace of which the inputs have no workload', exception(OF_LEGACY, 'named-port', 'other')],
  ])('is not told about where it %s', async (_what, text) => expect(await notes(WORKLOAD, text)).toBe(''));

  it('is not told about without any workload', async () => expect(await notes(exception(OF_LEGACY))).toBe(''));

  it.each([
    [
      'workload',
      exception('workloads: [{ kind: Deployment, name: legcy }]'),
      `<stdin>:19:15: ${SAYS}the inputs have no "Deployment/legcy" in its namespace; did you mean "Deployment/legacy"?`,
    ],
    [
      'kind',
      exception('workloads: [{ kind: StatefulSet, name: legacy }]'),
      `${SAYS}the inputs have no "StatefulSet/legacy" in its namespace`,
    ],
    [
      'container',
      exception(`${OF_LEGACY}\n  containers: [wroker]`),
      `${SAYS}there is no container "wroker"; did you mean "worker"?`,
    ],
    [
      'label',
      exception('workloadSelector: { matchLabels: { app: x } }'),
      `${SAYS}it selects no workload of the inputs`,
    ],
    ['check', exception(OF_LEGACY, 'exec-cost'), `${SAYS}the inputs do not violate exec-cost; delete it`],
  ])('that matches no %s is a note with what was meant', async (_what, text, note) => {
    expect(await notes(WORKLOAD, text)).toContain(note);
  });

  it('that a policy does not honour says so', async () => {
    const policy = `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: strict }
spec: { exceptions: { action: Ignore } }
`;
    expect(await notes(WORKLOAD, exception(OF_LEGACY), policy)).toContain(
      `${SAYS}a policy honours no exception from these checks`,
    );
  });

  it('changes no exit code', async () => {
    const stdin = `${WORKLOAD.replace('htpp', 'http')}---\n${exception(OF_LEGACY)}`;
    const { code, stderr } = await runProbewright(['check', '-', '--strict', '--now', '2026-11-01T00:00:00Z'], {
      stdin,
    });
    expect(code).toBe(0);
    expect(stderr).toContain('the inputs do not violate named-port');
  });
});

describe('an exception of a cluster', () => {
  let api: FakeApiServer;
  let kubeconfig: string;
  beforeEach(async () => {
    api = await startFakeApiServer();
    api.intercept(discovery([...BUILT_INS, ...POLICIES]));
    kubeconfig = await writeKubeconfig(await temporaryDirectory(), api, 'apps');
    const readinessProbe = { httpGet: { path: '/r', port: 'htpp' } };
    const containers = [{ name: 'worker', image: 'a', ports: [{ name: 'http', containerPort: 1 }], readinessProbe }];
    const template = { metadata: { labels: { app: 'legacy' } }, spec: { containers } };
    api.put('/apis/apps/v1/namespaces/apps/deployments', { metadata: { name: 'legacy' }, spec: { template } });
    api.put('/apis/apps/v1/namespaces/apps/deployments', { metadata: { name: 'web' }, spec: { template } });
    except('used', {});
    except('misspelt', { workloads: [{ kind: 'Deployment', name: 'legcy' }] });
    except('over', { checks: ['exec-cost'] });
    except('of-a-pod', { workloads: [{ kind: 'Pod', name: 'legacy-7d4b9c6f5-x2x4q' }] });
  });
  afterEach(async () => {
    await api.stop();
  });

  function except(name: string, spec: object): void {
    const workloads = [{ kind: 'Deployment', name: 'legacy' }];
    const rest = { owner: 'a', reason: 'the vendor will correct it', expires: '2027-01-31T00:00:00Z' };
    api.put('/apis/probewright.dev/v1alpha1/namespaces/apps/probeexceptions', {
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'ProbeException',
      metadata: { name },
      spec: { checks: ['named-port'], workloads, ...rest, ...spec },
    });
  }

  const OVER =
    'cluster:apps/probeexception/over: note: ProbeException apps/over excepts nothing: the inputs do not violate exec-cost; delete it\n';
  const MISSPELT =
    'cluster:apps/probeexception/misspelt: note: ProbeException apps/misspelt excepts nothing: ' +
    'the inputs have no "Deployment/legcy" in its namespace; did you mean "Deployment/legacy"?\n';
  const stderrOf = async (...args: string[]): Promise<string> =>
    (await runProbewright([...args, '--kubeconfig', kubeconfig, '--now', '2026-11-01T00:00:00Z'])).stderr;

  it.each([
    ['check', ['-n', 'apps']],
    ['check', ['-A']],
    ['plan', ['-A', '--policies', 'examples/policies']],
    ['report', ['-A']],
    ['explain', ['-n', 'apps']],
  ])('that matches nothing is told by %s %j, with what was meant', async (command, args) => {
    const stderr = await stderrOf(command, ...args);
    for (const note of [MISSPELT, OVER]) expect(stderr).toContain(note);
    expect(stderr).not.toMatch(/used|of-a-pod/);
  });

  it('is told about only if its workloads were read, where some were asked for', async () => {
    expect(await stderrOf('check', 'deploy/legacy')).toBe(OVER);
    expect(await stderrOf('explain', 'deploy/legacy')).toBe(OVER);
    expect(await stderrOf('check', 'deploy/web')).toBe('');
  });

  it('is not told about as misspelt, where a kind of workloads may not be read', async () => {
    const known = discovery([...BUILT_INS, ...POLICIES]);
    api.intercept((request) => (request.path.endsWith('/statefulsets') ? { status: 403 } : known(request)));
    const stderr = await stderrOf('check', '-n', 'apps');
    expect(stderr).toContain(OVER);
    expect(stderr).not.toContain('misspelt');
  });
});
