import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { HOMEPAGE } from '../../../src/engine/checks/violation.ts';
import { runProbewright } from '../run-probewright.ts';
import { withTools } from '../tools-on-path.ts';
import { sarifLog, type SarifFix, type SarifLog } from '../sarif-shape.ts';
import { deploymentWithTypo as deployment } from '../deployment-with-typo.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

const at = (...names: string[]): string => join(directory, ...names);

async function sarif(...args: string[]): Promise<SarifLog> {
  return sarifLog((await runProbewright(['check', '--output', 'sarif', ...args])).stdout);
}

const unreadable = 'kind: Deployment\nmetadata: { name: [\n';

describe('an input that cannot be read', () => {
  beforeEach(async () => {
    await writeFile(at('bad,file.yaml'), unreadable);
    await writeFile(at('good.yaml'), deployment('web', 'http'));
  });

  it('is a notification in SARIF, and the run is no success', async () => {
    const [{ invocations, results }] = (await sarif(directory)).runs;
    expect(results).toEqual([]);
    expect(invocations).toEqual([
      {
        executionSuccessful: false,
        toolExecutionNotifications: [
          {
            level: 'error',
            message: { text: expect.stringContaining('Flow') as string },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: `file://${encodeURI(directory)}/bad%2Cfile.yaml` },
                  region: { startLine: 3, startColumn: 1 },
                },
              },
            ],
          },
        ],
      },
    ]);
    const [without] = (await sarif(at('good.yaml'))).runs;
    expect(without.invocations).toEqual([{ executionSuccessful: true, toolExecutionNotifications: [] }]);
  });
});

describe('SARIF', () => {
  it('has a rule with a URL for each check with findings, and results find their rule by its index', async () => {
    await writeFile(at('web.yaml'), deployment('web'));
    const [{ tool, results }] = (await sarif(at('web.yaml'))).runs;
    expect(tool.driver.rules.map(({ id, helpUri }) => [id, helpUri])).toEqual([
      ['named-port', `${HOMEPAGE}/blob/main/docs/checks.md#named-port`],
    ]);
    expect(results.map(({ ruleId, ruleIndex = -1 }) => [ruleId, tool.driver.rules[ruleIndex]?.id])).toEqual([
      ['named-port', 'named-port'],
    ]);
  });

  it('keeps the fingerprint of a finding whose file and line change, and tells findings apart', async () => {
    const prints = async (text: string, file: string): Promise<string[]> => {
      await mkdir(at('sub'), { recursive: true });
      await writeFile(at(file), text);
      const [{ results }] = (await sarif(at(file))).runs;
      return results.flatMap(({ partialFingerprints }) => Object.values(partialFingerprints));
    };
    const before = await prints(deployment('web'), 'web.yaml');
    expect(await prints(`# a\n# b\n${deployment('web', 'hpt')}`, 'sub/other.yaml')).toEqual(before);
    const twice = await prints(`${deployment('web')}---\n${deployment('web')}---\n${deployment('api')}`, 'three.yaml');
    expect(twice.slice(0, 1)).toEqual(before);
    expect(new Set(twice).size).toBe(3);
  });

  it('names files below the working directory by relative URIs, however the command line names the files', async () => {
    const folder = await mkdtemp(join('test', 'cli', 'tmp a%-'));
    try {
      await writeFile(join(folder, 'web.yaml'), deployment('web'));
      const uri = `${encodeURI(folder)}/web.yaml`;
      for (const name of [folder, `./${folder}`, join(process.cwd(), folder)]) {
        const [{ results }] = (await sarif(name)).runs;
        expect(results[0]?.locations[0].physicalLocation.artifactLocation).toEqual({ uri, uriBaseId: '%SRCROOT%' });
      }
      const [{ results }] = (await sarif(at('..', relative(tmpdir(), directory)), join(folder, 'web.yaml'))).runs;
      expect(results).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('a fix in SARIF', () => {
  /** The text after all replacements of a fix, which are in order. */
  const applied = (text: string, { artifactChanges }: SarifFix): string => {
    const lines = text.split('\n');
    const offset = (line: number, column: number): number =>
      lines.slice(0, line - 1).reduce((sum, before) => sum + before.length + 1, 0) + column - 1;
    return artifactChanges
      .flatMap(({ replacements }) => replacements)
      .toReversed()
      .reduce((result, { deletedRegion: { startLine, startColumn, endLine, endColumn }, insertedContent }) => {
        const before = result.slice(0, offset(startLine, startColumn));
        return `${before}${insertedContent?.text ?? ''}${result.slice(offset(endLine, endColumn))}`;
      }, text);
  };

  const fixable = `# first\n---\n# a comment\n${deployment('web', 'http')
    .replace('readinessProbe:', 'readinessProbe: # why\n           ')
    .replace('path: /,', 'path: /, host: 127.0.0.1,')}`;

  it('changes the field and no other byte, and removes the finding', async () => {
    await writeFile(at('web.yaml'), fixable);
    const [{ results }] = (await sarif(at('web.yaml'))).runs;
    const [result] = results.filter(({ fixes }) => fixes !== undefined);
    const fix = result?.fixes?.[0];
    if (result === undefined || fix === undefined) throw new Error('there is no fix');
    expect(fix.artifactChanges[0]?.artifactLocation).toEqual(result.locations[0].physicalLocation.artifactLocation);
    const fixed = applied(fixable, fix);
    expect(fixed).not.toBe(fixable);
    await writeFile(at('web.yaml'), fixed);
    const [after] = (await sarif(at('web.yaml'))).runs;
    expect(after.results.map(({ ruleId }) => ruleId)).not.toContain(result.ruleId);
    expect(fixed).toContain('# why');
  });

  it('is left out for rendered texts', async () => {
    await mkdir(at('chart'));
    await writeFile(at('chart/Chart.yaml'), 'name: web\n');
    const restore = await withTools(directory, { helm: `cat <<'END'\n---\n# Source: web/a.yaml\n${fixable}END\n` });
    try {
      const [{ results }] = (await sarif(at('chart'))).runs;
      expect(results.length).toBeGreaterThan(0);
      expect(results.flatMap(({ fixes }) => fixes ?? [])).toEqual([]);
    } finally {
      restore();
    }
  });
});

describe('the URL of the project', () =>
  it('is the one that package.json and the chart name', async () => {
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as Record<string, unknown>;
    expect(manifest['homepage']).toBe(HOMEPAGE);
    expect(manifest['repository']).toEqual({ type: 'git', url: `git+${HOMEPAGE}.git` });
    expect(await readFile('charts/probewright/Chart.yaml', 'utf8')).toContain(`home: ${HOMEPAGE}\n`);
  }));
