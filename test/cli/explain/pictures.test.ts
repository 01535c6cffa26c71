import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { pictureNames, writePictures } from '../../../src/cli/explain/pictures.ts';
import { explainManifest } from '../../../src/explain/timeline/explain-manifest.ts';
import { worldOf } from '../../../src/cli/input/world.ts';
import { flatGiven } from '../../support/flat-given.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { deploymentWith, httpProbe } from '../../engine/checks/workload.ts';
import { NOW } from '../../support/now.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { CommandIo } from '../../../src/cli/io.ts';
import type { WorkloadExplanation } from '../../../src/explain/timeline/explanation.ts';

const workload = (kind: string, namespace: string, name: string) => ({ kind, namespace, name });
const nameOf = (kind: string, namespace: string, name: string): string | undefined =>
  pictureNames([workload(kind, namespace, name)])[0];

describe('the name of a picture', () => {
  it('has kind, namespace and name in lower case', () => {
    expect(nameOf('Deployment', 'apps', 'web')).toBe('deployment-apps-web.svg');
  });

  it('has a number if it is taken, from 2 on', () => {
    const web = workload('Deployment', 'apps', 'web');
    const other = workload('Deployment', 'apps', 'web-2');
    expect(pictureNames([web, web, other, web, workload('Pod', 'apps', 'web')])).toEqual([
      'deployment-apps-web.svg',
      'deployment-apps-web-2.svg',
      'deployment-apps-web-2-2.svg',
      'deployment-apps-web-3.svg',
      'pod-apps-web.svg',
    ]);
    expect(pictureNames([])).toEqual([]);
  });

  it('is never that of the overview', () => {
    expect(nameOf('', '', 'overview')).toBe('overview-2.svg');
  });

  it.each<[[string, string, string], string]>([
    [['Pod', '../..', 'etc/passwd'], 'pod-etc-passwd.svg'],
    [['Pod', 'apps', 'a..b'], 'pod-apps-a-b.svg'],
    [['Pod', 'apps', 'a.b'], 'pod-apps-a.b.svg'],
    [['Pod', 'apps', '$(rm) *'], 'pod-apps-rm.svg'],
    [['Pod', 'apps', 'web.'], 'pod-apps-web.svg'],
    [['.Pod', 'apps', 'web'], 'pod-apps-web.svg'],
    [['', '', ''], 'workload.svg'],
    [['Ä', '', 'ö'], 'workload.svg'],
  ])('has nothing that a path or a shell interprets: %j', (names, expected) => {
    expect(nameOf(...names)).toBe(expected);
  });

  it('has at most 200 characters before its ending, without a sign at the end', () => {
    expect(nameOf('Pod', 'n', 'a'.repeat(194))).toBe(`pod-n-${'a'.repeat(194)}.svg`);
    expect(nameOf('Pod', 'n', 'a'.repeat(195))).toBe(`pod-n-${'a'.repeat(194)}.svg`);
    expect(nameOf('Pod', 'n', `${'a'.repeat(193)}-b`)).toBe(`pod-n-${'a'.repeat(193)}.svg`);
  });
});

describe('pictures', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });

  const explained = (name: string): WorkloadExplanation => {
    const inputs = flatGiven(
      worldOf(
        { texts: [], problems: [] },
        { texts: [], problems: [] },
        { namespace: 'apps', kinds: KNOWN_KINDS, now: NOW },
      ),
    );
    const object = { ...deploymentWith({ livenessProbe: httpProbe({}) }), metadata: { name, namespace: 'apps' } };
    const explanation = explainManifest(object, 'web.yaml:1:1', inputs, {
      ofManifest: () => 'web.yaml:1:1',
      ofPolicy: () => undefined,
    });
    if (explanation === undefined) throw new Error('no explanation');
    return explanation;
  };

  async function written(
    into: string,
    ...names: string[]
  ): Promise<{ areAllWritten: boolean; stdout: string; stderr: string }> {
    const said = { stdout: '', stderr: '' };
    const stream = (name: 'stdout' | 'stderr') => ({
      write: (text: string) => (said[name] += text.replaceAll(directory, 'DIR')),
    });
    const io = { stdout: stream('stdout'), stderr: stream('stderr') } as unknown as CommandIo;
    const areAllWritten = await writePictures(names.map(explained), join(directory, into), io);
    return { areAllWritten, ...said };
  }

  it('are one of a workload, in a directory that is made', async () => {
    expect(await written('new/out', 'web')).toEqual({
      areAllWritten: true,
      stdout: 'DIR/new/out/deployment-apps-web.svg\n',
      stderr: '',
    });
    expect(await readFile(join(directory, 'new/out/deployment-apps-web.svg'), 'utf8')).toMatch(/^<svg [^]*apps\/web/);
  });

  it('of several workloads begin with an overview', async () => {
    const { stdout } = await written('', 'web', 'api');
    const names = ['overview.svg', 'deployment-apps-web.svg', 'deployment-apps-api.svg'];
    expect(stdout).toBe(names.map((name) => `DIR/${name}\n`).join(''));
    expect((await readdir(directory)).sort()).toEqual(names.toSorted());
    const overview = await readFile(join(directory, 'overview.svg'), 'utf8');
    for (const name of ['web', 'api']) expect(overview).toContain(`${name} (Deployment in namespace apps)`);
    expect(await readFile(join(directory, 'deployment-apps-web.svg'), 'utf8')).not.toContain('api');
  });

  it('are none without a workload', async () => {
    expect(await written('out')).toEqual({ areAllWritten: true, stdout: '', stderr: '' });
    expect(await readdir(directory)).toEqual([]);
  });

  it('that cannot be written are named, and the others are written', async () => {
    await mkdir(join(directory, 'deployment-apps-web.svg'));
    const { areAllWritten, stdout, stderr } = await written('', 'web', 'api');
    expect(areAllWritten).toBe(false);
    expect(stdout).toBe('DIR/overview.svg\nDIR/deployment-apps-api.svg\n');
    expect(stderr).toMatch(/^probewright explain: DIR\/deployment-apps-web\.svg cannot be written: .*\n$/);
    await writeFile(join(directory, 'file'), '');
    expect((await written('file', 'web')).areAllWritten).toBe(false);
  });
});
