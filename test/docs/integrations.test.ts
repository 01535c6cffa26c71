import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { expectCodeQuality } from '../cli/gitlab-shape.ts';
import { runProbewright } from '../cli/run-probewright.ts';
import { VERSION } from '../../src/base/version.ts';

const page = readFileSync('docs/integrations.md', 'utf8');
const section = (heading: string): string => page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
const block = (heading: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(section(heading))?.[1] ?? '';

describe('docs/integrations.md', () => {
  it('lists the inputs of the action with their defaults, and no other', () => {
    const { inputs } = parse(readFileSync('action.yml', 'utf8')) as { inputs: Record<string, { default: string }> };
    const listed = [...section('GitHub Actions').matchAll(/^\| `([\w-]+)` \| .* \| (.*) \|$/gm)].map(
      ([, name, text]) => [name, text?.replace(/^`(.*)`$/, '$1')],
    );
    const words: Readonly<Record<string, string>> = { '': 'none', '${{ github.token }}': "the job's token" };
    expect(listed).toEqual(Object.entries(inputs).map(([name, { default: text }]) => [name, words[text] ?? text]));
  });

  it('shows a workflow with inputs of the action', () => {
    const { inputs } = parse(readFileSync('action.yml', 'utf8')) as { inputs: object };
    const { jobs } = parse(block('GitHub Actions', 'yaml')) as {
      jobs: { probes: { steps: { uses: string; with?: object }[] } };
    };
    const step = jobs.probes.steps.find(({ uses }) => uses.startsWith('probewright/'));
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step?.with ?? {})));
  });

  /** Runs a command of the page, from `check` to its `>`, with manifests and policies of the examples. */
  const run = (command: string): ReturnType<typeof runProbewright> => {
    const [, args = ''] = /probewright@\S+ (check .*?) >/.exec(command) ?? [];
    const shown = args
      .replace('manifests', 'examples/typo.yaml')
      .replace('--policies policies', '--policies examples/policies');
    expect(shown).toContain('typo.yaml');
    return runProbewright(shown.split(' '));
  };

  it('shows a job of GitLab whose commands write the reports that the job names', async () => {
    const { probes } = parse(block('GitLab CI', 'yaml')) as {
      probes: { script: string[]; artifacts: { reports: Record<string, string> } };
    };
    const writers = Object.entries(probes.artifacts.reports).map(([kind, file]) => {
      return [kind, probes.script.find((command) => command.includes(`> ${file}`)) ?? ''] as const;
    });
    const written = new Map(
      await Promise.all(writers.map(async ([kind, command]) => [kind, await run(command)] as const)),
    );
    expect([...written.keys()].toSorted()).toEqual(['codequality', 'junit']);
    expect(expectCodeQuality(written.get('codequality')?.stdout ?? '')).toMatchObject([
      {
        check_name: 'named-port',
        severity: 'critical',
        location: { path: 'examples/typo.yaml', lines: { begin: 21 } },
      },
    ]);
    expect(written.get('junit')?.stdout).toMatch(/<testsuites .*failures="1" errors="0">/);
    // The last command decides about the job.
    expect(probes.script.map((command) => command.endsWith('|| true'))).toEqual([true, false]);
    expect(written.get('junit')?.code).toBe(1);
  });

  it('shows a step that writes the summary of a job of GitHub', async () => {
    const [, text = ''] = /^```yaml\n(- name: Summary[\s\S]*?)^```$/m.exec(page) ?? [];
    const [step] = parse(text) as { run: string }[];
    const { stdout } = await run(step?.run ?? '');
    expect(stdout).toMatch(
      /^\*\*Probewright: 1 workload in 1 object: 1 error, 0 warnings.*\*\*\n\n### \[named-port\]\(https:/,
    );
    expect(stdout).toMatch(/\n```text\nexamples\/typo.yaml:21:38: error: Deployment shop\/web: .*\n```\n$/);
  });

  it('shows hooks that exist', () => {
    const hooks = parse(readFileSync('.pre-commit-hooks.yaml', 'utf8')) as { id: string }[];
    const { repos } = parse(block('pre-commit', 'yaml')) as { repos: { hooks: { id: string }[] }[] };
    const ids = hooks.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(repos.flatMap((repo) => repo.hooks.map(({ id }) => id))));
    for (const id of ids) expect(section('pre-commit')).toContain(`\`${id}\``);
  });

  it('shows a functionConfig that gives a Deployment its probe, and lists its fields', async () => {
    const config = parse(block('kustomize and kpt', 'yaml')) as { spec: object };
    const containers = [{ name: 'app', image: 'a', ports: [{ name: 'http', containerPort: 80 }] }];
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: { app: 'a' } }, spec: { containers } };
    const list = { apiVersion: 'config.kubernetes.io/v1', kind: 'ResourceList', items: [pod], functionConfig: config };
    const { code, stdout } = await runProbewright(['krm-function'], { stdin: JSON.stringify(list) });
    expect(code).toBe(0);
    expect((parse(stdout) as typeof list).items[0]?.spec.containers[0]).toHaveProperty('readinessProbe');
    const listed = [...section('kustomize and kpt').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    const unknown = {
      ...list,
      functionConfig: { ...config, spec: Object.fromEntries(listed.map((name) => [name ?? '', {}])) },
    };
    const { stderr } = await runProbewright(['krm-function'], { stdin: JSON.stringify(unknown) });
    expect(stderr).not.toContain('unknown field');
  });

  it('names this version everywhere', () => {
    const versions = [...page.matchAll(/(?:probewright@|probewright-|\/v|rev: v|@v)(\d+\.\d+\.\d+)(?! #)/g)].map(
      ([, version]) => version,
    );
    expect(new Set(versions.filter((version) => version !== '7.0.1'))).toEqual(new Set([VERSION]));
  });

  it('shows YAML only', () => {
    for (const [, text = ''] of page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm))
      expect(parseAllDocuments(text).flatMap(({ errors }) => errors)).toEqual([]);
  });
});
