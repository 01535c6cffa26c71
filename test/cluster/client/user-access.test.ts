import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadUserAccess } from '../../../src/cluster/client/user-access.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

/** A kubeconfig with one cluster, user and context of this name. */
function kubeconfig(name: string, more: object = {}): object {
  return {
    clusters: [{ name, cluster: { server: `https://${name}.example:6443/` } }],
    users: [{ name, user: { token: `token-${name}` } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: `${name}-ns` } }],
    'current-context': name,
    ...more,
  };
}

async function file(name: string, content: object): Promise<string> {
  const path = join(directory, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, JSON.stringify(content));
  return path;
}

type Options = Partial<Parameters<typeof loadUserAccess>[0]>;

async function serverOf(options: Options): Promise<string> {
  const env = { HOME: directory, ...options.env };
  const access = await loadUserAccess({ kubeconfig: undefined, context: undefined, ...options, env });
  return `${access.server} ${access.namespace ?? ''}`;
}

describe('the cluster of a person', () => {
  it('is that of --kubeconfig, then of KUBECONFIG, then of the home directory', async () => {
    await file('.kube/config', kubeconfig('home'));
    const listed = await file('listed', kubeconfig('listed'));
    const given = await file('given', kubeconfig('given'));
    expect(await serverOf({})).toBe('https://home.example:6443 home-ns');
    expect(await serverOf({ env: { KUBECONFIG: '' } })).toBe('https://home.example:6443 home-ns');
    expect(await serverOf({ env: { KUBECONFIG: listed } })).toBe('https://listed.example:6443 listed-ns');
    expect(await serverOf({ env: { KUBECONFIG: listed }, kubeconfig: given })).toBe(
      'https://given.example:6443 given-ns',
    );
  });

  it('is in several files of KUBECONFIG, of which some may be missing', async () => {
    const one = await file('one', kubeconfig('one'));
    const two = await file('deep/two', kubeconfig('two'));
    const env = { KUBECONFIG: [join(directory, 'missing'), one, '', two].join(delimiter) };
    expect(await serverOf({ env })).toBe('https://one.example:6443 one-ns');
    expect(await serverOf({ env, context: 'two' })).toBe('https://two.example:6443 two-ns');
  });

  it('has its credentials relative to the file that names them', async () => {
    await writeFile(join(directory, 'token'), 'first');
    const withToken = (name: string): object =>
      kubeconfig(name, { users: [{ name, user: { tokenFile: '../token' } }] });
    const one = await file('one', withToken('one'));
    const two = await file('deep/two', withToken('two'));
    const env = { KUBECONFIG: [one, two].join(delimiter) };
    const access = await loadUserAccess({ kubeconfig: undefined, context: 'two', env });
    expect((await access.requestOptions()).headers).toEqual({ Authorization: 'Bearer first' });
  });

  it('may have an exec plugin, which gets its arguments and environment', async () => {
    const script =
      'process.stdout.write(JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", ' +
      'status: { token: process.argv[1] + process.env.SUFFIX } }))';
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', script, 'from-the-'],
      env: [{ name: 'SUFFIX', value: 'plugin' }],
      interactiveMode: 'Never',
    };
    const given = await file('given', kubeconfig('given', { users: [{ name: 'given', user: { exec } }] }));
    const access = await loadUserAccess({ kubeconfig: given, context: undefined, env: {} });
    expect((await access.requestOptions()).headers).toEqual({ Authorization: 'Bearer from-the-plugin' });
  });

  it('is refused with the files and the reason', async () => {
    const one = await file('one', kubeconfig('one'));
    const bare = await file('bare', {});
    const refused = async (options: Options): Promise<string> =>
      await serverOf(options).catch((error: unknown) => String(error).replaceAll(directory, 'DIR'));
    const refusals: [Options, string][] = [
      [{ kubeconfig: one, context: 'two' }, 'DIR/one cannot be used: it has no context "two"; its contexts are one'],
      [{ kubeconfig: bare, context: 'two' }, 'DIR/bare cannot be used: it has no context "two"; it has no context'],
      [{}, 'DIR/.kube/config cannot be used: there is no such file'],
      [{ kubeconfig: bare }, 'DIR/bare cannot be used: it has no current-context'],
    ];
    for (const [options, problem] of refusals) expect(await refused(options)).toBe(`Error: kubeconfig ${problem}`);
    expect(await refused({ kubeconfig: join(directory, 'no') })).toMatch(
      /^Error: kubeconfig DIR\/no cannot be used: DIR\/no: ENOENT/,
    );
  });

  it('is merged as kubectl merges: the first entry of a name counts, and the first current-context', async () => {
    const late = { name: 'same', cluster: { server: 'https://late' } };
    const other = kubeconfig('other', {
      clusters: [late, { name: 'other', cluster: { server: 'https://other.example' } }],
      users: [
        { name: 'same', user: { token: 'late' } },
        { name: 'other', user: { token: 'token-other' } },
      ],
    });
    const files = [kubeconfig('same', { 'current-context': '' }), other, kubeconfig('same')];
    const paths = await Promise.all(files.map((content, index) => file(`part-${index}`, content)));
    const env = { KUBECONFIG: paths.join(delimiter) };
    expect(await serverOf({ env })).toBe('https://other.example other-ns');
    expect(await serverOf({ env, context: 'same' })).toBe('https://same.example:6443 same-ns');
    const access = await loadUserAccess({ kubeconfig: undefined, context: 'same', env });
    expect((await access.requestOptions()).headers).toEqual({ Authorization: 'Bearer token-same' });
    expect(await serverOf({ env, context: 'no' }).catch(String)).toMatch(/; its contexts are same, other$/);
  });
});
