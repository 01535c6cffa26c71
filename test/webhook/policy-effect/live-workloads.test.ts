import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ApiError, type ApiRequest } from '../../../src/cluster/client/api-client.ts';
import { BUILT_IN_KINDS, KNOWN_KINDS, type WorkloadKind } from '../../../src/engine/workload/kinds.ts';
import { builtInKinds, listWorkloads } from '../../../src/webhook/policy-effect/live-workloads.ts';
import { AnsweringClient } from '../../cluster/client/answering-client.ts';

const BUILT_IN = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicationController', 'CronJob'];
const CONFIGURED: WorkloadKind = { group: 'example.com', kind: 'App', templatePaths: [], runsToCompletion: false };
const DISCOVERY: Readonly<Record<string, unknown>> = {
  '/apis': {
    groups: ['argoproj.io', 'example.com'].map((name) => ({ name, versions: [{ groupVersion: `${name}/v1` }] })),
  },
  '/api/v1': {},
  '/apis/argoproj.io/v1': { resources: [{ name: 'rollouts', kind: 'Rollout', namespaced: true }] },
  '/apis/example.com/v1': { resources: [{ name: 'apps', kind: 'App', namespaced: true }] },
};
const object = (name: string): object => ({ metadata: { name } });

interface Given {
  readonly kinds?: readonly WorkloadKind[];
  readonly namespace?: string;
  /** Answers by path; a thrown error is a refusal. */
  readonly answer?: ((request: ApiRequest) => unknown) | undefined;
  readonly take?: (name: string, end: AbortController) => void;
  readonly end?: AbortController;
}

/** What is listed, what fails, and what is left out. */
async function listed({ kinds = BUILT_IN_KINDS, namespace, answer, take, end = new AbortController() }: Given) {
  const seen: string[] = [];
  const leftOut: string[] = [];
  const client = new AnsweringClient(
    (request) =>
      answer?.(request) ?? DISCOVERY[request.path] ?? { metadata: { resourceVersion: '1' }, items: [object('web')] },
  );
  const failures = await listWorkloads(
    { client, kinds, leftOut: (resource) => leftOut.push(resource) },
    {
      namespace,
      signal: end.signal,
      take: (kind, items) => {
        for (const { metadata } of items) seen.push(`${kind.kind} ${metadata.name}`);
        take?.(seen.at(-1) ?? '', end);
        return Promise.resolve();
      },
    },
  );
  return { seen, leftOut, failures, requests: client.requests };
}
const refuse = (path: string, error: Error): Given['answer'] => {
  return (request) => {
    if (request.path.endsWith(path)) throw error;
    return undefined;
  };
};
const forbidden = new ApiError(403, '', 'user "system:serviceaccount:x" cannot list');

it('the built-in kinds that a policy may concern are those of which a rollout makes Pods', () => {
  expect(builtInKinds(KNOWN_KINDS).map(({ kind }) => kind)).toEqual(BUILT_IN);
  expect(builtInKinds(BUILT_IN_KINDS.slice(0, 2)).map(({ kind }) => kind)).toEqual(['Deployment']);
});

describe('the workloads of a cluster', () => {
  it('are listed of each built-in kind, without discovery where no custom kind is known', async () => {
    const { seen, failures, requests } = await listed({});
    expect([seen, failures]).toEqual([BUILT_IN.map((kind) => `${kind} web`), []]);
    expect(requests.map(({ path }) => path)).toEqual([
      '/apis/apps/v1/deployments',
      '/apis/apps/v1/statefulsets',
      '/apis/apps/v1/daemonsets',
      '/api/v1/replicationcontrollers',
      '/apis/batch/v1/cronjobs',
    ]);
    expect(requests.every(({ mostBytes }) => mostBytes === 2 * 1024 * 1024)).toBe(true);
    expect(requests.some(({ query }) => query?.['resourceVersion'] !== undefined)).toBe(false);
  });

  it('are listed of custom kinds, too, after the built-in ones', async () => {
    const { seen, failures } = await listed({ kinds: [...KNOWN_KINDS, CONFIGURED] });
    expect(seen).toEqual([...BUILT_IN, 'Rollout', 'App'].map((kind) => `${kind} web`));
    expect(failures).toEqual([]);
  });

  it('of one namespace are asked of the watch cache first', async () => {
    const { requests } = await listed({ namespace: 'a/b' });
    expect(requests[0]).toMatchObject({
      path: '/apis/apps/v1/namespaces/a%2Fb/deployments',
      query: { resourceVersion: '0' },
    });
  });

  it('are read page by page', async () => {
    const { seen } = await listed({
      answer: ({ path, query = {} }) => {
        if (!path.endsWith('/deployments')) return undefined;
        const isFirst = query['continue'] === undefined;
        const metadata = { resourceVersion: '1', ...(isFirst && { continue: 'next' }) };
        return { metadata, items: [object(isFirst ? 'a' : 'b')] };
      },
    });
    expect(seen.filter((each) => each.startsWith('Deployment'))).toEqual(['Deployment a', 'Deployment b']);
  });

  it('are read in at most three lists at once', async () => {
    let [running, most] = [0, 0];
    await listed({
      answer: async () => {
        running += 1;
        most = Math.max(most, running);
        await setImmediate();
        running -= 1;
        return { metadata: { resourceVersion: '1' }, items: [] };
      },
    });
    expect(most).toBe(3);
  });
});

describe('a list that fails', () => {
  it.each<[string, Error, readonly unknown[]]>([
    ['is forbidden', forbidden, [{ resource: 'cronjobs.batch', failure: 'forbidden' }]],
    ['is refused', new ApiError(500, '', 'user "x" and more'), [{ resource: 'cronjobs.batch', failure: 'HTTP 500' }]],
    ['is cut off', new Error('x'.repeat(200)), [{ resource: 'cronjobs.batch', failure: `${'x'.repeat(97)}...` }]],
    ['does not exist', new ApiError(404, '', 'not found'), []],
  ])(
    'because it %s is reported without the words of the API server, unless the kind is gone',
    async (_, error, expected) => {
      const { failures, seen, leftOut } = await listed({ answer: refuse('/cronjobs', error) });
      expect([failures, seen.length, leftOut]).toEqual([expected, 4, []]);
    },
  );

  it('of a ready-made kind without the right is left out, and of a configured kind is a failure', async () => {
    const ready = await listed({ kinds: KNOWN_KINDS, answer: refuse('/rollouts', forbidden) });
    expect([ready.leftOut, ready.failures]).toEqual([['rollouts.argoproj.io'], []]);
    const configured = await listed({ kinds: [...KNOWN_KINDS, CONFIGURED], answer: refuse('/apps', forbidden) });
    expect([configured.leftOut, configured.failures]).toEqual([
      [],
      [{ resource: 'apps.example.com', failure: 'forbidden' }],
    ]);
    const refused = await listed({ kinds: KNOWN_KINDS, answer: refuse('/rollouts', new ApiError(500, '', '')) });
    expect([refused.leftOut, refused.failures]).toEqual([
      [],
      [{ resource: 'rollouts.argoproj.io', failure: 'HTTP 500' }],
    ]);
  });

  it.each<[string, string, Error, string]>([
    ['the groups', '/apis', new ApiError(403, '', 'no'), 'cannot list the API groups: forbidden'],
    ['the groups, for lack of credentials', '/apis', new ApiError(401, '', 'no'), 'HTTP 401'],
    [
      'a version',
      '/apis/argoproj.io/v1',
      new ApiError(403, '', 'no'),
      'cannot list the resources of argoproj.io/v1: forbidden',
    ],
  ])('of %s is a failure of the custom kinds', async (_, path, error, failure) => {
    const { failures, seen } = await listed({
      kinds: KNOWN_KINDS,
      answer: (request) => {
        if (request.path === path) throw error;
        return undefined;
      },
    });
    expect([failures, seen.length]).toEqual([[{ resource: 'custom kinds', failure }], 5]);
  });
});

describe('once the time is over', () => {
  it('nothing more is requested, and no failure is reported', async () => {
    const end = new AbortController();
    end.abort();
    const { failures, requests } = await listed({ kinds: BUILT_IN_KINDS, end });
    expect([failures, requests]).toEqual([[], []]);
  });

  it('no next page is read, and a request that was given up is no failure', async () => {
    const { seen, failures, requests } = await listed({
      kinds: KNOWN_KINDS,
      answer: ({ path, signal }) => {
        if (signal?.aborted === true || path === '/apis') throw new Error('given up');
        if (path.endsWith('/deployments'))
          return { metadata: { resourceVersion: '1', continue: 'next' }, items: [object('a')] };
        return setImmediate().then(() => {
          throw new Error('given up');
        });
      },
      take: (_, end) => end.abort(),
    });
    expect([seen, failures]).toEqual([['Deployment a'], []]);
    expect(requests.filter(({ query }) => query?.['continue'] !== undefined)).toEqual([]);
  });

  it('failures from before stay reported', async () => {
    const { failures } = await listed({
      answer: ({ path }) => {
        if (path.endsWith('/deployments')) throw new ApiError(500, '', '');
        return undefined;
      },
      take: (name, end) => {
        if (name.startsWith('CronJob')) end.abort();
      },
    });
    expect(failures).toEqual([{ resource: 'deployments.apps', failure: 'HTTP 500' }]);
  });
});
