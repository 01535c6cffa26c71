import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { productionPackages } from '../../scripts/dependencies/production-packages.ts';
import { IMAGE } from '../../scripts/release/chart-package.ts';
import { releaseEpoch, writeRelease } from '../../scripts/release/release-files.ts';
import { VERSION } from '../../src/base/version.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const EPOCH = 1_800_000_000;
const folders = [process.env['KUBEBUILDER_ASSETS'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter)];
const helm = folders.map((folder) => join(folder, 'helm')).find((path) => path !== 'helm' && existsSync(path));
if (helm === undefined)
  console.log('helm is neither in KUBEBUILDER_ASSETS nor on the PATH: the packed chart is not rendered');

let directory: string;
let names: readonly string[];
const read = (name: string): string => readFileSync(join(directory, 'one', name), 'utf8');

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'probewright-release-'));
  const options = { digest: DIGEST, epoch: EPOCH, helm };
  names = await writeRelease(join(directory, 'one'), options);
  await writeRelease(join(directory, 'two'), options);
}, 240_000);

afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the files of a release', () => {
  it('are those of scripts/release/README.md', () => {
    const page = readFileSync('scripts/release/README.md', 'utf8');
    const [, table = ''] = /## Files of a release\n([\s\S]*?)\n## /.exec(page) ?? [];
    const cells = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/[\w.-]+/g) ?? []);
    expect(names).toEqual(cells.map((name) => name.replace('VERSION', VERSION)).sort());
    expect(readdirSync(join(directory, 'one')).sort()).toEqual(names);
  });

  it('are the same bytes twice', () => {
    for (const name of names)
      expect(readFileSync(join(directory, 'one', name)).equals(readFileSync(join(directory, 'two', name))), name).toBe(
        true,
      );
  });

  it('have the checksums of checksums.txt', () => {
    const lines = names
      .filter((name) => name !== 'checksums.txt')
      .map((name) => {
        const hash = createHash('sha256')
          .update(readFileSync(join(directory, 'one', name)))
          .digest('hex');
        return `${hash}  ${name}`;
      });
    expect(read('checksums.txt')).toBe(`${lines.join('\n')}\n`);
  });

  it('have lists of materials with every production package, and nothing of this machine', () => {
    const expected = productionPackages().map(({ name, version }) => `${name}@${version}`);
    const cyclonedx = JSON.parse(read('sbom.cyclonedx.json')) as {
      metadata: { timestamp: string; component: { name: string } };
      components: { name: string; version: string; group?: string }[];
    };
    const listed = cyclonedx.components.map(({ name, version }) => `${name}@${version}`);
    expect([...new Set(listed)].sort()).toEqual([...new Set(expected)].sort());
    expect(cyclonedx.metadata).toMatchObject({ timestamp: '2027-01-15T08:00:00Z', component: { name: 'probewright' } });
    const spdx = JSON.parse(read('sbom.spdx.json')) as {
      creationInfo: object;
      packages: { name: string; versionInfo: string }[];
    };
    const named = spdx.packages.map(({ name, versionInfo }) => `${name}@${versionInfo}`);
    expect([...new Set(named)].sort()).toEqual([...new Set([...expected, `probewright@${VERSION}`])].sort());
    expect(spdx.creationInfo).toEqual({ created: '2027-01-15T08:00:00Z', creators: ['Tool: npm/cli'] });
  });

  it('have a manifest for Krew with the checksum of the plugin, which runs', () => {
    const archive = join(directory, 'one', `kubectl-probewright-${VERSION}.tar.gz`);
    const { spec } = parse(read('krew.yaml')) as {
      spec: { version: string; platforms: { sha256: string; uri: string; bin: string; files: { from: string }[] }[] };
    };
    const [platform] = spec.platforms;
    expect(spec.version).toBe(`v${VERSION}`);
    expect(platform?.sha256).toBe(createHash('sha256').update(readFileSync(archive)).digest('hex'));
    expect(platform?.uri).toMatch(new RegExp(`/v${VERSION}/kubectl-probewright-${VERSION}\\.tar\\.gz$`));
    execFileSync('tar', ['--extract', '--file', archive, '--directory', directory]);
    const program = join(directory, 'package', platform?.bin ?? '');
    expect(execFileSync(process.execPath, [program, 'version'], { encoding: 'utf8' })).toBe(`probewright ${VERSION}\n`);
  });

  it.skipIf(helm === undefined)('have a chart that installs the image of the release, by digest', () => {
    const chart = join(directory, 'one', `probewright-chart-${VERSION}.tgz`);
    const args = ['template', 'probewright', chart, '--kube-version', '1.36.0'];
    const rendered = execFileSync(helm ?? '', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    expect(rendered).toContain(IMAGE);
    expect(rendered).toContain(`@${DIGEST}`);
    const shown = execFileSync(helm ?? '', ['show', 'chart', chart], { encoding: 'utf8' });
    const { annotations } = parse(shown) as { annotations: Record<string, string> };
    expect(parse(annotations['artifacthub.io/images'] ?? '')).toEqual([
      { name: 'probewright', image: `${IMAGE}:${VERSION}@${DIGEST}` },
    ]);
    expect(annotations).toHaveProperty('artifacthub.io/crds');
  });

  it('take the time from SOURCE_DATE_EPOCH, and nothing else that is no number', () => {
    expect(releaseEpoch({ SOURCE_DATE_EPOCH: '12' })).toBe(12);
    expect(() => releaseEpoch({ SOURCE_DATE_EPOCH: 'now' })).toThrow(
      'SOURCE_DATE_EPOCH must be a number of seconds, not now',
    );
  });
});

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<string, { readonly permissions?: object; readonly steps: readonly { run?: string }[] }>
  >;
}
const workflows = readdirSync('.github/workflows').map((name) => join('.github/workflows', name));

describe.each([...workflows, 'action.yml'])('%s', (path) => {
  it('pins every action by a full commit hash, with the version as a comment', () => {
    const uses = [...readFileSync(path, 'utf8').matchAll(/^\s*(?:- )?uses: (.*)$/gm)].map(
      ([, reference = '']) => reference,
    );
    expect(uses.length).toBeGreaterThan(0);
    for (const reference of uses) expect(reference).toMatch(/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('takes no expression into a script', () => {
    const text = parse(readFileSync(path, 'utf8')) as Partial<Workflow> & {
      runs?: { steps: readonly { run?: string }[] };
    };
    const steps = [...Object.values(text.jobs ?? {}).flatMap((job) => job.steps), ...(text.runs?.steps ?? [])];
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });
});

describe.each(workflows)('%s', (path) => {
  const workflow = parse(readFileSync(path, 'utf8')) as Workflow;

  it('begins with the right to read at most, and says of every job with more rights which', () => {
    const given = Object.entries(workflow.permissions ?? { all: 'write' });
    expect(given.filter(([right, level]) => right !== 'contents' || level !== 'read')).toEqual([]);
    if (given.length === 0) for (const job of Object.values(workflow.jobs)) expect(job.permissions).toBeDefined();
  });

  it('runs scripts of package.json that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    const run = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap((step) => step.run ?? []));
    for (const [, name = ''] of run.join('\n').matchAll(/npm run ([\w:-]+)/g)) expect(scripts).toHaveProperty(name);
  });
});

describe('one action', () => {
  it('has one hash for one version in all files', () => {
    const texts = [...workflows, 'action.yml', 'docs/integrations.md']
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n');
    const hashes = new Map<string, Set<string>>();
    for (const [, repository = '', hash = '', version = ''] of texts.matchAll(
      /([\w-]+\/[\w-]+)[\w/-]*@([0-9a-f]{40}) # (v\S+)/g,
    ))
      hashes.set(repository, (hashes.get(repository) ?? new Set()).add(`${hash} ${version}`));
    expect([...hashes].filter(([, all]) => all.size > 1)).toEqual([]);
  });
});

describe('the Dockerfile', () => {
  it('pins its base image by digest, the same in each stage', () => {
    const bases = [...readFileSync('Dockerfile', 'utf8').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases.at(-1)).toBe('scratch');
    expect(new Set(bases.slice(0, -1)).size).toBe(1);
    expect(bases[0]).toMatch(/^node:24-bookworm-slim@sha256:[0-9a-f]{64}$/);
  });
});

describe('scripts/release/README.md', () => {
  it('lists the jobs of the workflow', () => {
    const { jobs } = parse(readFileSync('.github/workflows/release.yml', 'utf8')) as Workflow;
    const [, section = ''] =
      /## Make a release\n([\s\S]*?)\n## /.exec(readFileSync('scripts/release/README.md', 'utf8')) ?? [];
    expect([...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, job]) => job)).toEqual(Object.keys(jobs));
  });
});
