import { expect, it } from 'vitest';
import { coverageIn, mayGiveProbes } from '../../../src/cli/check/coverage.ts';
import { worldOf } from '../../../src/cli/input/world.ts';
import { KNOWN_KINDS, POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { NOW } from '../../support/now.ts';

const POD = 'apiVersion: v1\nkind: Pod\nmetadata: { name: web, namespace: apps }\n';
const coverage = (containers: string) => {
  const texts = [{ file: 'a.yaml', text: `${POD}spec: { containers: [${containers}] }\n` }];
  const settings = { kinds: KNOWN_KINDS, namespace: 'apps', now: NOW };
  const { manifests, world } = worldOf({ texts, problems: [] }, { texts: [], problems: [] }, settings);
  return coverageIn(manifests, world);
};

it('the coverage counts the containers that have a probe, and why the others lack one', () => {
  const counted = coverage('{ name: a, livenessProbe: { tcpSocket: { port: 80 } } }, { name: b }');
  expect(counted).toMatchObject({ containers: 2, livenessProbe: { have: 1, get: 0, lack: 1 } });
  expect(counted.readinessProbe).toEqual({ have: 0, get: 0, lack: 2, reasons: { 'no-policy': 2 } });
});

const NAME = 'kubernetes.io/metadata.name';
const TEAM = '{ matchLabels: { team: a } }';
const GIVES = 'kubernetesProbeEndpoints: { livenessProbe: /live }';

it('a policy may give probes where it asks for them, selects the Pod, and cannot be asked', () => {
  const pod = readPod({ metadata: { labels: { app: 'web' } }, spec: { containers: [] } }, POD_KIND);
  const may = (selector: string, spec = GIVES): boolean => {
    const text = `apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: x }\nspec:\n  namespaceSelector: ${selector}\n  ${spec}\n`;
    const settings = { kinds: KNOWN_KINDS, namespace: 'default', now: NOW };
    const policies = { texts: [{ file: 'p.yaml', text }], problems: [] };
    return mayGiveProbes(pod, 'shop', worldOf({ texts: [], problems: [] }, policies, settings).world);
  };
  const of = (app: string): string => `${GIVES}\n  workloadSelector: { matchLabels: { app: ${app} } }`;
  expect([may(TEAM), may(TEAM, of('web')), may(TEAM, of('db'))]).toEqual([true, true, false]);
  expect([may(TEAM, 'checks: { exec-cost: { action: Off } }'), may(`{ matchLabels: { ${NAME}: shop } }`)]).toEqual([
    false,
    false,
  ]);
});
