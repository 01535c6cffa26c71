import { afterAll, beforeAll, expect, it } from 'vitest';
import { helmProblem, MONITORING_API, render, valuesFiles } from '../chart/helm.ts';
import { type ControlPlane, controlPlaneProblem, startControlPlane } from './control-plane.ts';
import { forServer } from './chart-newer-face.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';

/** The release's, and those that values files name for tests. */
const namespaces = ['probewright', 'shop'];

describeUnless(controlPlaneProblem() ?? helmProblem(), 'the manifests of the chart', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  const omitted = new Set<string>();

  beforeAll(async () => {
    cluster = await keep(startControlPlane());
    for (const namespace of namespaces) await cluster.kubectl(['create', 'namespace', namespace]);
  });

  afterAll(() => {
    const list = [...omitted].sort().map((omission) => `\n  ${omission}`);
    if (list.length > 0)
      console.warn(`chart-manifests.cluster.test.ts: not tried on ${cluster.version}:${list.join('')}`);
  });

  it.each(valuesFiles())('with %s are accepted by the API server', async (file) => {
    const rendered = render({ values: [file], apiVersions: [MONITORING_API], crds: true });
    const { manifests, omissions } = await forServer(cluster, rendered);
    for (const omission of omissions) omitted.add(omission);
    const input = manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
    const { stdout } = await cluster.kubectl(['apply', '--server-side', '--dry-run=server', '--filename=-'], { input });
    expect(stdout.trim().split('\n')).toHaveLength(manifests.length);
    expect(manifests.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining([
        'Deployment',
        'Service',
        'MutatingWebhookConfiguration',
        'ValidatingWebhookConfiguration',
      ]),
    );
  });
});
