import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHECK } from '../../../src/cli/check/definition.ts';
import { parseCommandLine } from '../../../src/cli/flags/parse-command-line.ts';
import { readCluster, type ReadingWishes } from '../../../src/cli/input/cluster-inputs.ts';
import { readClusterNames } from '../../../src/cli/input/cluster-choice.ts';
import { Progress } from '../../../src/cli/output/messages.ts';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { BUILT_INS, discovery, writeKubeconfig } from './discovery.ts';
import { flatGiven, type FlatGiven } from '../../support/flat-given.ts';
import type { CommandIo } from '../../../src/cli/io.ts';

let api: FakeApiServer;
let directory: string;
beforeEach(async () => {
  api = await startFakeApiServer();
  api.intercept(discovery(BUILT_INS));
  for (const name of ['shop', 'infra', 'default']) api.put('/api/v1/namespaces', { metadata: { name } });
  for (const namespace of ['shop', 'infra'])
    api.put(`/apis/apps/v1/namespaces/${namespace}/deployments`, { metadata: { name: 'web', namespace } });
  directory = await temporaryDirectory();
});
afterEach(() => api.stop());

/** Reads the cluster by these flags, with the namespace of the context. */
async function read(
  flags: readonly string[],
  {
    context = 'shop',
    names = [],
    wishes = {},
  }: { context?: string; names?: readonly string[]; wishes?: ReadingWishes } = {},
): Promise<FlatGiven> {
  const kubeconfig = await writeKubeconfig(directory, api, context);
  const line = parseCommandLine(CHECK, ['--kubeconfig', kubeconfig, ...flags, ...names], {});
  const named = readClusterNames(names);
  if (line.kind !== 'command' || named.kind === 'problem') throw new Error(JSON.stringify(line));
  const io: CommandIo = {
    env: {},
    stdout: { write: () => undefined },
    stderr: { write: () => undefined },
    stdoutColumns: undefined,
    stderrColumns: undefined,
    readStdin: () => Promise.resolve(''),
    now: () => 7,
    monotonic: () => 0,
    untilSignal: () => Promise.resolve('SIGINT'),
  };
  return flatGiven(await readCluster(line, named.names, io, new Progress(io), wishes));
}
const filesOf = ({ texts }: FlatGiven): readonly string[] => texts.map(({ file }) => file);
const SHOP = 'cluster:shop/deployment/web';
const INFRA = 'cluster:infra/deployment/web';

describe('the cluster of a command line', () => {
  it('is read in the namespace of the flag, else of the context, else in default', async () => {
    expect(filesOf(await read(['-n', 'infra']))).toEqual([INFRA]);
    expect(filesOf(await read([]))).toEqual([SHOP]);
    expect(await read([], { context: '' })).toMatchObject({ texts: [], namespace: 'default', now: 7 });
    expect(filesOf(await read(['-A'])).toSorted()).toEqual([INFRA, SHOP]);
  });

  it('is read at the instant of --now', async () => {
    expect((await read(['--now', '1970-01-01T00:00:01Z'])).now).toBe(1000);
  });

  it('is never read in a namespace that is a part of another path', async () => {
    await expect(read(['-n', '..'])).rejects.toThrow('--namespace: must be the name of a Kubernetes object, not ".."');
    expect(api.requests).toEqual([]);
  });

  it('is partial when workloads are named, or cannot all be read', async () => {
    expect((await read([])).isPartial).toBe(false);
    expect((await read([], { names: ['deploy/web'] })).isPartial).toBe(true);
    const discover = discovery(BUILT_INS);
    api.intercept((request) => (request.path.endsWith('/jobs') ? { status: 403, body: {} } : discover(request)));
    expect((await read([])).isPartial).toBe(true);
  });

  it('has the named workloads only', async () => {
    api.put('/apis/apps/v1/namespaces/shop/deployments', { metadata: { name: 'api', namespace: 'shop' } });
    expect(filesOf(await read([], { names: ['deploy/web'] }))).toEqual([SHOP]);
  });

  it('has no namespace that does not exist, and an empty one is no problem', async () => {
    await expect(read(['-n', 'shp'])).rejects.toThrow(
      'namespace "shp" does not exist in the cluster; did you mean "shop"?',
    );
    await expect(read(['-n', 'quite-another'])).rejects.toThrow('; kubectl get namespaces lists those that do');
    expect(filesOf(await read(['-n', 'default']))).toEqual([]);
  });

  it('that cannot be reached leads to a hint for who may have meant files', async () => {
    await api.stop();
    const failure = async (flags: readonly string[], names: readonly string[] = []): Promise<string> =>
      await read(flags, { names }).then(
        () => '',
        (error: unknown) => (error as Error).message,
      );
    expect(await failure(['-n', 'shop'])).toMatch(/^the cluster cannot be read: .*; to read files, name them$/);
    expect(await failure([])).toMatch(/^the cluster cannot be read: (?!.*name them)/);
    expect(await failure(['-n', 'shop'], ['deploy/web'])).toMatch(/^the cluster cannot be read: (?!.*name them)/);
  });
});

describe('the webhook of the cluster', () => {
  beforeEach(() => {
    const namespaceSelector = {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['infra'] }],
    };
    api.put('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
      metadata: { name: '00-probewright' },
      webhooks: [{ name: 'mutate.probewright.dev', namespaceSelector, clientConfig: {} }],
    });
  });

  it('is read only where a command asks for it', async () => {
    const { webhook, live } = await read(['-A']);
    expect([webhook, live?.webhook]).toEqual([undefined, undefined]);
  });

  it('leaves out the workloads that it never sees, if that is asked', async () => {
    const whole = await read(['-A'], { wishes: { webhook: 'is-read' } });
    expect([filesOf(whole).length, whole.exempt, whole.webhook?.scope !== undefined]).toEqual([2, undefined, true]);
    const seen = await read(['-A'], { wishes: { webhook: 'exempts' } });
    expect([filesOf(seen), seen.exempt?.map(({ namespace }) => namespace)]).toEqual([[SHOP], ['infra']]);
  });

  it('comes with the cluster for a look at its Pods, by the namespace and the names', async () => {
    const wishes = { webhook: 'is-read' } as const;
    expect((await read([], { wishes })).live).toMatchObject({ namespace: 'shop', isNamed: false });
    expect((await read(['-A'], { wishes })).live).toMatchObject({ namespace: undefined, isNamed: false });
    expect((await read([], { wishes, names: ['deploy'] })).live?.isNamed).toBe(false);
    expect((await read([], { wishes, names: ['deploy/web'] })).live?.isNamed).toBe(true);
  });

  it('comes with the labels of the namespaces, without a problem where they may not be read', async () => {
    api.put('/api/v1/namespaces', { metadata: { name: 'shop', labels: { tier: 'a' } } });
    const wishes = { webhook: 'is-read' } as const;
    const { snapshot } = await read([], { wishes });
    expect(snapshot.facts.namespaceLabels.has('shop')).toBe(true);
    const discover = discovery(BUILT_INS);
    api.intercept((request) =>
      /\/namespaces(\/shop)?$/.test(request.path) ? { status: 403, body: {} } : discover(request),
    );
    const unread = await read([], { wishes });
    expect([unread.problems, unread.snapshot.facts.namespaceLabels.size]).toEqual([[], 0]);
  });
});
