import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { pictureNames } from '../../../src/cli/explain/pictures.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

const explain = (args: readonly string[], stdin = ''): Promise<Ran> =>
  runProbewright(['explain', ...args], { stdin, directory });
const details = (args: readonly string[], stdin = ''): Promise<Ran> => explain(['--details', ...args], stdin);

/** A Pod with one container `app` that has these fields, as JSON, which is YAML. */
const pod = (fields: object, spec: object = {}, metadata: object = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'apps', ...metadata },
    spec: { ...spec, containers: [{ name: 'app', ...fields }] },
  });

const tcp = { tcpSocket: { port: 80 } };

/** The picture of the only workload. */
async function svgOf(text: string): Promise<string> {
  const out = join(directory, 'out');
  const { stdout } = await explain(['-', '--output', 'svg', '--output-dir', out], text);
  return readFile(stdout.trim().replace('DIR', directory), 'utf8');
}

describe('probewright explain', () => {
  it('prints tables and timelines for the effective probes, with who provided them and why some are missing', async () => {
    const { code, stdout, stderr } = await details(['examples/manifests', '--policies', 'examples/policies']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(stdout).toMatchFileSnapshot('../../golden/explain/static.txt');
  });

  it('draws the same as a picture', async () => {
    const args = ['examples/manifests', '--policies', 'examples/policies', '--output', 'svg'];
    const { stdout } = await explain([...args, '--output-dir', directory]);
    expect(stdout).toBe('DIR/deployment-apps-static.svg\n');
    const svg = await readFile(join(directory, 'deployment-apps-static.svg'), 'utf8');
    await expect(svg).toMatchFileSnapshot('../../golden/explain/deployment-apps-static.svg');
  });

  it.each<[string, object]>([
    ['no-probes', {}],
    ['readiness-only', { readinessProbe: { ...tcp, initialDelaySeconds: 20 } }],
    ['short-budget', { livenessProbe: { ...tcp, periodSeconds: 1 } }],
    [
      'long-budget',
      { startupProbe: { ...tcp, periodSeconds: 5, failureThreshold: 121 }, livenessProbe: tcp, readinessProbe: tcp },
    ],
    [
      'open-gate',
      {
        startupProbe: { ...tcp, failureThreshold: 5 },
        livenessProbe: { ...tcp, periodSeconds: 1, failureThreshold: 2 },
        lifecycle: { preStop: { sleep: { seconds: 5 } } },
      },
    ],
  ])('tells of a container with %s', async (name, fields) => {
    const { code, stdout } = await details(['-'], pod(fields, { terminationGracePeriodSeconds: 60 }));
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot(`../../golden/explain/${name}.txt`);
    const summary = await explain(['-'], pod(fields, { terminationGracePeriodSeconds: 60 }));
    await expect(summary.stdout).toMatchFileSnapshot(`../../golden/explain/${name}-summary.txt`);
  });

  it('prints a summary without a flag', async () => {
    const { code, stdout, stderr } = await explain(['examples/manifests', '--policies', 'examples/policies']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(stdout).toMatchFileSnapshot('../../golden/explain/static-summary.txt');
  });
});

describe('a container in JSON', () => {
  interface Listed {
    readonly cannotWork?: readonly { readonly probe: string; readonly check: string; readonly message: string }[];
    readonly figures: readonly {
      readonly id: string;
      readonly earliestSeconds: number;
      readonly latestSeconds: number;
    }[];
    readonly probes: readonly { readonly kind: string }[];
  }
  const containerOf = async (fields: object): Promise<Listed> => {
    const { stdout } = await explain(['-', '--output', 'json'], pod(fields));
    const { workloads } = JSON.parse(stdout) as { workloads: { containers: [Listed] }[] };
    const [container] = workloads[0]?.containers ?? [];
    if (container === undefined) throw new Error('no container');
    return container;
  };
  const unnamed = { httpGet: { path: '/', port: 'http' } };

  it('has the findings by which a probe cannot work, be it one or two', async () => {
    const finding = (probe: string) => ({
      probe,
      check: 'named-port',
      message: expect.stringContaining('"http"') as string,
    });
    expect((await containerOf({ livenessProbe: unnamed })).cannotWork).toEqual([finding('livenessProbe')]);
    const both = await containerOf({ livenessProbe: unnamed, readinessProbe: unnamed });
    expect(both.cannotWork).toEqual([finding('livenessProbe'), finding('readinessProbe')]);
  });

  it('has no such member where all probes can work, and its figures have seconds', async () => {
    const container = await containerOf({ livenessProbe: tcp });
    expect('cannotWork' in container).toBe(false);
    expect(container.probes.map(({ kind }) => kind)).toEqual(['livenessProbe']);
    expect(container.figures.find(({ id }) => id === 'time-to-start')).toMatchObject({ earliestSeconds: 20 });
    for (const { earliestSeconds, latestSeconds } of container.figures)
      expect(latestSeconds).toBeGreaterThanOrEqual(earliestSeconds);
  });
});

describe('hostile manifests', () => {
  const name = '</text><script>alert(1)</script>&"\'\u001b[31m\u202e\ufffe]]>';
  const hostile = pod({ name, livenessProbe: { exec: { command: [name] } } }, {}, { name, namespace: '../../etc' });

  it('come out escaped in pictures, with nothing active and nothing from elsewhere', async () => {
    const svg = await svgOf(hostile);
    expect(svg).toContain('&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&apos;\\u001b[31m');
    expect(svg.match(/<style>/g)).toHaveLength(1);
    expect(svg).not.toMatch(/<(?:script|image|use|foreignObject|a)\b|\son\w+=|href|@import|[^\P{C}\n]/u);
    expect(new Set(svg.match(/https?:[^"]*/g))).toEqual(new Set(['http://www.w3.org/2000/svg']));
  });
});

describe('the numbers over a bar', () => {
  /** Boxes of the texts over a bar, from their middle and their length as the drawing reckons it. */
  const boxesOf = (svg: string): { y: number; left: number; right: number }[] =>
    [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" text-anchor="middle" font-size="12"[^>]*>([^<]*)<\/text>/g)].map(
      ([, x, y, text = '']) => {
        const half = (text.length * 12 * 0.61) / 2;
        return { y: Number(y), left: Number(x) - half, right: Number(x) + half };
      },
    );

  it.each<[string, object]>([
    ['a 600 s budget', { startupProbe: { ...tcp, periodSeconds: 1, failureThreshold: 601 }, livenessProbe: tcp }],
    ['a 2 s budget', { livenessProbe: { ...tcp, periodSeconds: 1 }, readinessProbe: tcp }],
    ['a long delay', { livenessProbe: { ...tcp, initialDelaySeconds: 3000, periodSeconds: 1, failureThreshold: 1 } }],
    ['a readiness probe that waits', { livenessProbe: tcp, readinessProbe: { ...tcp, initialDelaySeconds: 9000 } }],
  ])('do not overlap with %s', async (_name, fields) => {
    for (const grace of [0, 30, 3600]) {
      const boxes = boxesOf(await svgOf(pod(fields, { terminationGracePeriodSeconds: grace })));
      expect(boxes.length).toBeGreaterThan(4);
      for (const [index, box] of boxes.entries()) {
        expect(box.right).toBeLessThanOrEqual(960);
        const touching = boxes
          .slice(index + 1)
          .filter((other) => other.y === box.y && other.left < box.right && box.left < other.right);
        expect(touching).toEqual([]);
      }
    }
  });
});

describe('the command line', () =>
  it('adds an overview of several workloads, whose name no workload can take', async () => {
    const out = join(directory, 'out');
    const texts = [pod({}), pod({}, {}, { name: 'overview', namespace: '' })].join('\n---\n');
    const { stdout } = await explain(['-', '--output', 'svg', '--output-dir', out], texts);
    expect(stdout.split('\n').slice(0, 2)).toEqual(['DIR/out/overview.svg', 'DIR/out/pod-apps-web.svg']);
    expect(await readFile(join(out, 'overview.svg'), 'utf8')).toContain('2 workloads, 2 containers');
    expect(pictureNames([{ kind: 'Overview', namespace: '', name: '' }])).toEqual(['overview-2.svg']);
  }));

describe('file names', () =>
  it('are lower case and safe, and different for every workload', () => {
    const workload = (kind: string, namespace: string, name: string) => ({ kind, namespace, name });
    const names = pictureNames([
      workload('Deployment', 'apps', 'Web.v1'),
      workload('Deployment', 'apps', 'web.v1'),
      workload('Pod', '..', 'a/../b\u0000*'),
      workload('..', '', ''),
      workload('Pod', 'a', 'x'.repeat(1000)),
    ]);
    expect(names.slice(0, 4)).toEqual([
      'deployment-apps-web.v1.svg',
      'deployment-apps-web.v1-2.svg',
      'pod-a-b.svg',
      'workload.svg',
    ]);
    expect(names[4]?.length).toBeLessThan(250);
  }));
