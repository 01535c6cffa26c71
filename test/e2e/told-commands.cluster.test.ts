import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { rolloutState } from '../../src/cli/explain/rollout-state.ts';
import { ApiError, type ApiClient } from '../../src/cluster/client/api-client.ts';
import { LIST_WORKLOADS } from '../../src/explain/fleet-page/report.ts';
import { restartLine, rolloutHold } from '../../src/explain/fleet-page/restart-line.ts';
import { CAUSE_TEXTS } from '../../src/observer/failing/causes.ts';
import { lookOnce } from '../../src/observer/one-look.ts';
import { NOW } from '../support/now.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { policySet } from '../support/worlds.ts';
import { controlPlaneProblem, startControlPlane, type ControlPlane } from './control-plane.ts';
import { run, waitUntil, type CommandResult } from './processes.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'r/app:1' }] } };
const RESOURCES = { Deployment: 'deployments', StatefulSet: 'statefulsets' } as const;
type Kind = keyof typeof RESOURCES;

interface Stored {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: { readonly template?: { readonly metadata: { readonly annotations?: Record<string, string> } } };
}

describeUnless(controlPlaneProblem({ controllers: true }), 'the kubectl commands that outputs tell to type', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    cluster = await keep(startControlPlane({ controllers: true }));
    await cluster.kubectl(['create', 'namespace', 'shop']);
    const directory = await keep(temporaryDirectory('told-commands'));
    const bin = join(directory.path, 'bin');
    await mkdir(bin);
    const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';
    await writeFile(join(bin, 'kubectl'), `#!/bin/sh\nexec ${assets}/kubectl "$@"\n`);
    await chmod(join(bin, 'kubectl'), 0o755);
    env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: directory.path, KUBECONFIG: cluster.kubeconfig };
  }, 180_000);

  /** Types the command at the end of a text, as it stands there. */
  async function type(text: string, pod = ''): Promise<CommandResult> {
    const command = text.slice(text.indexOf('kubectl ')).replace('POD', pod);
    const typed = await run('sh', ['-c', command], { env });
    expect(typed, `${command}: ${typed.stderr}`).toMatchObject({ code: 0 });
    return typed;
  }

  async function create(kind: Kind, name: string, spec: JsonObject): Promise<JsonObject & Stored> {
    const path = `/apis/apps/v1/namespaces/shop/${RESOURCES[kind]}`;
    const object = { apiVersion: 'apps/v1', kind, metadata: { name } };
    const own = { matchLabels: { ...labels, name } };
    const pods = { ...template, metadata: { labels: own.matchLabels } };
    await cluster.create(path, { ...object, spec: { selector: own, template: pods, ...spec } });
    return await cluster.read(`${path}/${name}`);
  }
  const isRestarted = async (kind: Kind, name: string): Promise<boolean> => {
    const { spec } = await cluster.read<Stored>(`/apis/apps/v1/namespaces/shop/${RESOURCES[kind]}/${name}`);
    return 'kubectl.kubernetes.io/restartedAt' in (spec.template?.metadata.annotations ?? {});
  };
  const step = (kind: Kind, name: string, object: JsonObject): string =>
    restartLine({ namespace: 'shop', group: 'apps', kind, name, hold: rolloutHold(object) });

  it.each([
    ['Deployment', 'plain', {}],
    ['Deployment', 'paused', { paused: true }],
    ['StatefulSet', 'plain', { serviceName: 'x' }],
  ] as const)('restart a %s that is %s', async (kind, name, spec) => {
    const object = await create(kind, name, { replicas: 0, ...spec });
    await type(step(kind, name, object));
    expect(await isRestarted(kind, name)).toBe(true);
  });

  it('continue a Deployment that is paused, as explain --wait says', async () => {
    const object = await create('Deployment', 'waiting', { replicas: 0, paused: true });
    await type(rolloutState({ kind: 'Deployment', ...object }).obstacle ?? '');
    const { spec } = await cluster.read<{ spec: JsonObject }>('/apis/apps/v1/namespaces/shop/deployments/waiting');
    expect(spec['paused']).toBeUndefined();
  });

  it.each([
    ['OnDelete', 'on-delete', { type: 'OnDelete' }],
    ['a partition', 'partition', { rollingUpdate: { partition: 1 } }],
  ])('replace a Pod of a StatefulSet with %s', async (_, name, updateStrategy) => {
    const object = await create('StatefulSet', name, { replicas: 1, serviceName: 'x', updateStrategy });
    const path = `/api/v1/namespaces/shop/pods/${name}-0`;
    const uidOf = async (): Promise<string | undefined> => {
      const { status, body } = await cluster.request('GET', path);
      return status === 200 ? (JSON.parse(body) as Stored).metadata.uid : undefined;
    };
    const first = await waitUntil('the Pod', uidOf);
    await type(step('StatefulSet', name, object), `${name}-0`);
    expect(await waitUntil('another Pod', async () => (await uidOf()) !== first && uidOf())).not.toBe(first);
  });

  it('list what a page shows, and ask for a right that is missing', async () => {
    expect((await type(LIST_WORKLOADS)).stdout).toContain('deployment.apps/plain');
    const refuse = (): Promise<never> => Promise.reject(new ApiError(403, 'Forbidden', 'no'));
    const look = await lookOnce({ request: refuse, measured: refuse } as unknown as ApiClient, {
      ...{ namespace: 'shop', named: undefined, states: [], readsEvents: true, now: NOW, snapshot: policySet() },
      webhook: { tier: 'webhook', scope: undefined, unread: [], stepOf: (fix) => fix },
    });
    const rights = look.problems.filter((problem) => problem.includes('kubectl auth'));
    expect(rights).toHaveLength(2);
    for (const right of rights) expect((await type(right)).stdout.trim()).toBe('yes');
  });

  const COMMAND = /kubectl ([a-z]+)((?: -{1,2}[a-z]+)*)/g;
  const told = Object.values(CAUSE_TEXTS).flatMap(({ remedy }) =>
    Array.from(remedy.matchAll(COMMAND), ([text]) => text),
  );
  it.each([...new Set(told)])('are ones that kubectl knows: %s', async (command) => {
    const [, verb = '', ...flags] = command.split(' ');
    const { stdout } = await cluster.kubectl([verb, '--help']);
    for (const flag of flags) expect(stdout).toMatch(new RegExp(`^ +(?:-\\w, )?${flag}[,=]`, 'm'));
  });
});
