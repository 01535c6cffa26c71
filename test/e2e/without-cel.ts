import { policyDocument } from '../support/worlds.ts';
import { type Cluster } from './cluster.ts';
import { waitUntil } from './processes.ts';

/** What the schema lets through where it has no CEL rules, and the parser does not: a path beside another handler. */
export const contradiction = {
  containers: ['app'],
  kubernetesProbeEndpoints: { livenessProbe: '/broken' },
  probes: { livenessProbe: { tcpSocket: { port: 8080 } } },
};
export const contradictionPath = 'spec.kubernetesProbeEndpoints.livenessProbe';

/**
 * Runs with the CRDs' CEL rules taken out, as a server that knows none has them: it is the only way for some broken
 * policies to get in. On such a server this changes nothing.
 */
export async function withoutCel(cluster: Cluster, run: () => Promise<void>): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/probepolicies.probewright.dev';
  const original = await cluster.read<object>(path);
  const spec = (definition: object): object => (definition as { spec: object }).spec;
  const stripped = JSON.parse(
    JSON.stringify(original, (key, value: unknown) => (key === 'x-kubernetes-validations' ? undefined : value)),
  ) as object;
  await replaceSpec(cluster, path, spec(stripped));
  const trial = policyDocument(contradiction, 'never-good');
  await waitUntil('the server takes what only CEL refuses', async () => {
    const { code } = await cluster.kubectl(['apply', '--dry-run=server', '--filename=-'], {
      input: JSON.stringify(trial),
      allowFailure: true,
    });
    return code === 0;
  });
  try {
    await run();
  } finally {
    await replaceSpec(cluster, path, spec(original));
  }
}

async function replaceSpec(cluster: Cluster, path: string, spec: object): Promise<void> {
  const headers = { 'content-type': 'application/json-patch+json' };
  const patch = [{ op: 'replace', path: '/spec', value: spec }];
  const { status, body } = await cluster.request('PATCH', path, JSON.stringify(patch), headers);
  if (status !== 200) throw new Error(`PATCH ${path}: ${status} ${body}`);
}
