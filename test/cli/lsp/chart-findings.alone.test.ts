import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { marked, startEditor, type Editor } from './editor.ts';

const TYPO = readFileSync('examples/typo.yaml', 'utf8');
const RIGHT = TYPO.replace('htpp }', 'http }');
const CHART = 'apiVersion: v2\nname: web\nversion: 1.0.0\n';
const TEMPLATE = 'chart/templates/web.yaml';

/** Renders each template as it is on the disk, once there is no file `wait`. */
const HELM = `#!/bin/sh
echo started >> log
while [ -e wait ]; do sleep 0.05; done
if grep -s . broken >&2; then exit 1; fi
for each in chart/templates/*.yaml; do
  printf -- "---\\n# Source: web/templates/$(basename $each)\\n"
  cat $each
done
`;

describe('a chart in an editor', () => {
  let editor: Editor;
  const bin = mkdtempSync(join(tmpdir(), 'probewright-helm-'));
  const start = async (files: Readonly<Record<string, string>>): Promise<void> => {
    writeFileSync(join(bin, 'helm'), HELM, { mode: 0o755 });
    const env = { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    editor = await startEditor({ 'chart/Chart.yaml': CHART, ...files }, [], env);
  };
  afterEach(async () => {
    const { code, errors } = await editor.quit();
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });
  afterAll(() => {
    rmSync(bin, { recursive: true });
  });
  const codes = async (file: string): Promise<unknown[]> => (await editor.shown(file)).map(({ code }) => code);
  const rendered = async (times: number): Promise<void> => {
    const log = join(editor.folder, 'log');
    const lines = (): number => readFileSync(log, { encoding: 'utf8', flag: 'a+' }).split('\n').length - 1;
    await expect.poll(lines, { timeout: 30_000 }).toBe(times);
  };

  it('is rendered when a template is saved, and its findings stand where the text is the saved one', async () => {
    await start({ [TEMPLATE]: TYPO });
    await editor.open(TEMPLATE, TYPO);
    expect(await codes(TEMPLATE)).toEqual([]);
    await editor.save(TEMPLATE);
    await expect.poll(() => codes(TEMPLATE), { timeout: 30_000 }).toEqual(['named-port']);
    expect((await editor.shown(TEMPLATE)).map((each) => marked(TYPO, each))).toEqual([
      'httpGet: { path: /livez, port: htpp }',
    ]);
    // A watcher tells of the saved file.
    await editor.changedOnDisk(TEMPLATE);
    await rendered(2);
    expect(await codes(TEMPLATE)).toEqual(['named-port']);
    expect(await editor.actions(TEMPLATE)).toEqual([]);
    await editor.change(TEMPLATE, `${TYPO}# more\n`);
    expect(await codes(TEMPLATE)).toEqual([]);
    await editor.change(TEMPLATE, TYPO);
    expect(await codes(TEMPLATE)).toEqual(['named-port']);
    editor.write(TEMPLATE, RIGHT);
    await editor.change(TEMPLATE, RIGHT);
    await editor.save(TEMPLATE);
    await rendered(3);
    expect(await codes(TEMPLATE)).toEqual([]);
  });

  it('shows nothing in a text that was typed while helm ran', async () => {
    await start({
      [TEMPLATE]: TYPO,
      'chart/templates/other.yaml': TYPO.replace('name: web\n', 'name: other\n'),
      wait: '',
    });
    await editor.open(TEMPLATE, TYPO);
    await editor.save(TEMPLATE);
    await rendered(1);
    await editor.change(TEMPLATE, `# above\n${TYPO}`);
    rmSync(join(editor.folder, 'wait'));
    await expect.poll(() => codes('chart/templates/other.yaml'), { timeout: 30_000 }).toEqual(['named-port']);
    expect(await codes(TEMPLATE)).toEqual([]);
  });

  it('loses the findings of a closed template that another program has mended, and marks the whole line of others', async () => {
    await start({ [TEMPLATE]: TYPO });
    await editor.save('chart/Chart.yaml');
    await expect.poll(() => codes(TEMPLATE), { timeout: 30_000 }).toEqual(['named-port']);
    expect((await editor.shown(TEMPLATE)).map((each) => marked(TYPO, each))).toEqual([
      'httpGet: { path: /livez, port: htpp }',
    ]);
    editor.write(TEMPLATE, RIGHT);
    await editor.changedOnDisk(TEMPLATE);
    await expect.poll(() => codes(TEMPLATE), { timeout: 30_000 }).toEqual([]);
  });

  it('has other findings when a policy changes, in an open text and on the disk', async () => {
    const policy = (action: string): string => `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: a }
spec: { checks: { named-port: { action: ${action} } } }
`;
    await start({ [TEMPLATE]: TYPO, 'p.yaml': policy('Deny') });
    await editor.save(TEMPLATE);
    const shown = async (): Promise<unknown[]> => (await editor.shown(TEMPLATE)).map(({ severity }) => severity);
    await expect.poll(shown, { timeout: 30_000 }).toEqual([1]);
    await editor.open(TEMPLATE, TYPO);
    await editor.open('p.yaml', policy('Warn'));
    expect(await shown()).toEqual([2]);
    await editor.change('p.yaml', policy('Off'));
    expect(await shown()).toEqual([]);
    await editor.close(TEMPLATE);
    await editor.close('p.yaml');
    expect(await shown()).toEqual([1]);
    editor.write('p.yaml', policy('Off'));
    await editor.changedOnDisk('p.yaml');
    expect(await shown()).toEqual([]);
    await rendered(1);
  });

  it('is judged with its own Services and policies', async () => {
    const policy = `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: a }
spec: { checks: { named-port: { action: Off }, required-startup: { action: Warn } } }
`;
    await start({ [TEMPLATE]: TYPO, 'chart/templates/policy.yaml': policy });
    await editor.save(TEMPLATE);
    await expect.poll(() => codes(TEMPLATE), { timeout: 30_000 }).toEqual(['required-startup']);
  });

  it('that cannot be rendered says why in each of its open files, until it can', async () => {
    const values = 'chart/values.yaml';
    await start({ [TEMPLATE]: TYPO, [values]: 'a: 1\n', broken: 'Error: no value' });
    for (const [file, text] of [[TEMPLATE, TYPO] as const, [values, 'a: 1\n'] as const]) await editor.open(file, text);
    await editor.save(values);
    const first = async (file: string): Promise<unknown> => {
      const [diagnostic] = await editor.shown(file);
      return (
        diagnostic && [(diagnostic.message as string).split(';')[0], diagnostic.range.start.line, diagnostic.severity]
      );
    };
    const problem = ['cannot be rendered: helm: Error: no value', 0, 1];
    for (const file of [TEMPLATE, values]) await expect.poll(() => first(file), { timeout: 30_000 }).toEqual(problem);
    editor.write('broken', '');
    await editor.save(values);
    await expect.poll(() => codes(TEMPLATE), { timeout: 30_000 }).toEqual(['named-port']);
    expect(await editor.shown(values)).toEqual([]);
  });

  it('is rendered again when an open file changes on the disk, and when the project file has other values', async () => {
    await start({ [TEMPLATE]: TYPO, 'env/prod.yaml': 'a: 1\n' });
    await editor.open(TEMPLATE, TYPO);
    await editor.save(TEMPLATE);
    await expect.poll(() => codes(TEMPLATE), { timeout: 30_000 }).toEqual(['named-port']);
    // As git checkout does: the editor takes the text of the disk, and saves nothing.
    editor.write(TEMPLATE, RIGHT);
    await editor.change(TEMPLATE, RIGHT);
    await editor.changedOnDisk(TEMPLATE);
    await rendered(2);
    editor.write('.probewright.yaml', 'charts: [{ path: chart, values: [env/prod.yaml] }]\n');
    await editor.changedOnDisk('.probewright.yaml');
    await rendered(3);
    await editor.changedOnDisk('env/prod.yaml');
    await rendered(4);
    await editor.changedOnDisk('env/other.yaml');
    expect(await codes(TEMPLATE)).toEqual([]);
    await rendered(4);
  });

  it('has no findings after its folder is removed', async () => {
    await start({ [TEMPLATE]: TYPO });
    await editor.open(TEMPLATE, TYPO);
    await editor.save(TEMPLATE);
    await editor.close(TEMPLATE);
    await expect.poll(() => codes(TEMPLATE), { timeout: 30_000 }).toEqual(['named-port']);
    rmSync(join(editor.folder, 'chart'), { recursive: true });
    await editor.changedOnDisk('chart');
    await expect.poll(() => codes(TEMPLATE), { timeout: 30_000 }).toEqual([]);
  });
});
