import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { HOMEPAGE } from '../../../src/engine/checks/violation.ts';
import { sarifReport } from '../../../src/cli/check/sarif.ts';
import { runProbewright } from '../run-probewright.ts';
import { withTools } from '../tools-on-path.ts';
import { sarifLog, type SarifFix, type SarifLog } from '../sarif-shape.ts';
import { deploymentWithTypo as deployment } from '../deployment-with-typo.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { LEGACY, placedViolation, reportWith } from './placed-violations.ts';

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

describe('a result of SARIF', () => {
  const runOf = (...given: Parameters<typeof reportWith>) =>
    (
      JSON.parse(sarifReport(reportWith(...given))) as {
        readonly runs: readonly [{ readonly results: readonly Record<string, unknown>[]; readonly tool: never }];
      }
    ).runs[0];

  it('has the level of each action, and rules in the order of the catalogue', () => {
    const violations = (['Deny', 'Warn', 'Audit'] as const).map((action) => placedViolation({ action }));
    const other = placedViolation({ check: 'valid-probe', line: 30 });
    const { results, tool } = runOf([...violations, other]);
    expect(results.map(({ level, ruleIndex }) => [level, ruleIndex])).toEqual([
      ['error', 1],
      ['warning', 1],
      ['note', 1],
      ['error', 0],
    ]);
    expect(tool).toMatchObject({
      driver: {
        rules: [
          { id: 'valid-probe', defaultConfiguration: { level: 'error' } },
          { id: 'named-port', properties: { tags: ['kubernetes', 'probes'], 'problem.severity': 'error' } },
        ],
      },
    });
  });

  it('has no index for a check that has no rule', () => {
    expect(runOf([placedViolation({ check: 'of-another-version' })]).results[0]).not.toHaveProperty('ruleIndex');
  });

  it('names the object, with its namespace if it has one, and the field', () => {
    const names = [placedViolation(), placedViolation({ kind: 'ClusterProbePolicy', namespace: '', name: 'safe' })].map(
      (violation) => {
        const [location] = runOf([violation]).results[0]?.['locations'] as readonly {
          readonly logicalLocations: readonly { readonly fullyQualifiedName: string }[];
        }[];
        return location?.logicalLocations[0]?.fullyQualifiedName;
      },
    );
    const field = 'spec.template.spec.containers[0].readinessProbe.httpGet.port';
    expect(names).toEqual([`Deployment/shop/web/${field}`, `ClusterProbePolicy/safe/${field}`]);
  });

  it('is suppressed by its exception, in words, and has figures where there are some', () => {
    const excepted = placedViolation({ action: 'Excepted', exception: LEGACY, properties: { seconds: 3 } });
    const [result] = runOf([excepted]).results;
    expect(result).toMatchObject({ level: 'note', properties: { seconds: 3 } });
    expect(result?.['suppressions']).toEqual([
      {
        ...{ kind: 'external', status: 'accepted' },
        justification: 'ProbeException legacy (owner team-a, SHOP-7) until 2027-03-31T00:00:00Z: moves in spring',
      },
    ]);
    const [plain] = runOf([placedViolation()]).results;
    expect(plain).not.toHaveProperty('suppressions');
    expect(plain).not.toHaveProperty('properties');
  });

  describe('has a fix', () => {
    const text = deployment('web');
    const edited = placedViolation({
      ...{ object: { document: 0, path: [] }, remedy: 'write port: http' },
      edits: [
        { path: ['spec', 'template', 'spec', 'containers', 0, 'readinessProbe', 'httpGet', 'port'], value: 'http' },
      ],
    });
    const fixesOf = (violation: typeof edited, ...texts: { file: string; text: string; placeOf?: never }[]) =>
      runOf([violation], { texts }).results[0]?.['fixes'] as readonly SarifFix[] | undefined;
    const file = 'apps/web.yaml';

    it('of a text of its file, with the remedy in words', () => {
      const [fix] = fixesOf(edited, { file, text }, { file: 'other.yaml', text: 'a: 1\n' }) ?? [];
      expect(fix).toMatchObject({ description: { text: 'write port: http' } });
      expect(fix?.artifactChanges[0]?.replacements).toHaveLength(1);
      const silent = { ...edited, remedy: undefined } as never;
      expect(fixesOf(silent, { file, text })?.[0]).not.toHaveProperty('description');
    });

    it('that inserts nothing where it only takes away, and takes nothing away where it only inserts', () => {
      const at = (value: unknown, field: string) => ({
        ...edited,
        edits: [{ path: ['spec', 'template', 'spec', 'containers', 0, ...field.split('.')], value }],
      });
      const [removal] = fixesOf(at(null, 'readinessProbe'), { file, text }) ?? [];
      const removed = removal?.artifactChanges[0]?.replacements ?? [];
      expect(removed.map(({ insertedContent }) => insertedContent)).toEqual([undefined]);
      const [insertion] = fixesOf(at(5, 'readinessProbe.periodSeconds'), { file, text }) ?? [];
      const inserted = insertion?.artifactChanges[0]?.replacements ?? [];
      expect(inserted.map(({ insertedContent }) => insertedContent?.text.includes('periodSeconds: 5'))).toEqual([true]);
    });

    it('also where the command line names the file twice', () => {
      expect(fixesOf(edited, { file, text }, { file, text })).toHaveLength(1);
    });

    it.each([
      ['there is no text', edited, []],
      [
        'two texts of the name differ',
        edited,
        [
          { file, text },
          { file, text: `${text}# more\n` },
        ],
      ],
      ['the text is standard input', { ...edited, file: '<stdin>' }, [{ file: '<stdin>', text }]],
      ['a tool has rendered the text', edited, [{ file, text, placeOf: ((place: unknown) => place) as never }]],
      ['the text is too long', edited, [{ file, text: `${text}#${' '.repeat(256 * 1024)}\n` }]],
      ['it has no edits', { ...edited, edits: undefined } as never, [{ file, text }]],
      ['its object has no place', { ...edited, object: undefined } as never, [{ file, text }]],
      ['nothing would change', { ...edited, edits: [{ path: ['kind'], value: 'Deployment' }] }, [{ file, text }]],
    ])('unless %s', (_, violation, texts) => {
      expect(fixesOf(violation, ...(texts as { file: string; text: string }[]))).toBeUndefined();
    });
  });
});
