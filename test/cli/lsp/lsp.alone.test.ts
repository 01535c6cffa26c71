import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { edited, marked, startEditor, type Editor } from './editor.ts';

const TYPO = readFileSync('examples/typo.yaml', 'utf8');
const RIGHT = TYPO.replace('htpp }', 'http }');
const second = (name: string): string => TYPO.replace('name: web\n', `name: ${name}\n`);

const policy = (check: string): string =>
  `apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: a }\nspec:\n  checks: { ${check}: { action: Deny } }\n`;

describe('the editor', () => {
  let editor: Editor;
  afterEach(async () => {
    const { code, errors } = await editor.quit();
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });
  const codes = async (file: string): Promise<unknown[]> => (await editor.shown(file)).map(({ code }) => code);

  it('shows a finding with the field, the code and the page, and nothing after the correction', async () => {
    editor = await startEditor({ 'web.yaml': TYPO });
    await editor.open('web.yaml', TYPO);
    const [finding, ...others] = await editor.shown('web.yaml');
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: 1, source: 'probewright', code: 'named-port' });
    expect(finding?.codeDescription?.href).toMatch(/#named-port$/);
    expect(finding?.message).toContain('did you mean "http"?');
    expect(finding && marked(TYPO, finding)).toBe('port: htpp');
    await editor.change('web.yaml', RIGHT);
    expect(await editor.shown('web.yaml')).toEqual([]);
    await editor.change('web.yaml', TYPO);
    expect(await codes('web.yaml')).toEqual(['named-port']);
    await editor.close('web.yaml');
    expect(await editor.shown('web.yaml')).toEqual([]);
  });

  it('offers the fix, a comment with a reason, and what fix --advice writes', async () => {
    editor = await startEditor();
    const text = TYPO.replaceAll('\n', '\r\n');
    await editor.open('web.yaml', text);
    const [fix, ignore, all] = await editor.actions('web.yaml');
    expect(fix).toMatchObject({ kind: 'quickfix', isPreferred: true });
    expect(fix && edited(text, fix)).toBe(RIGHT.replaceAll('\n', '\r\n'));
    expect(all && edited(text, all)).toBe(RIGHT.replaceAll('\n', '\r\n'));
    const ignored = ignore && edited(text, ignore);
    expect(ignored).toContain('          # probewright: ignore named-port - TODO: say why\r\n          livenessProbe:');
    await editor.change('web.yaml', ignored ?? '');
    expect(await editor.shown('web.yaml')).toEqual([]);
    expect((await editor.actions('web.yaml', 'source.fixAll')).map(({ kind }) => kind)).toEqual([]);
  });

  it('tells in a hover when the container is killed, by the probe at the place', async () => {
    editor = await startEditor();
    await editor.open('web.yaml', RIGHT);
    const line = RIGHT.split('\n').findIndex((each) => each.includes('livenessProbe'));
    const hover = await editor.hover('web.yaml', line);
    expect(hover).toMatch(/^container web\nlivenessProbe: httpGet \/livez on port http, every 10 s/);
    expect(hover).toMatch(/\nhangs: SIGTERM after \d+ to \d+ s/);
    expect(hover).not.toContain('readinessProbe:');
    expect(await editor.hover('web.yaml', 1)).toBeUndefined();
  });

  it('keeps the findings of other documents while one is broken, and says nothing of its syntax', async () => {
    editor = await startEditor();
    const whole = `${TYPO}---\n${second('api')}---\n${second('job')}`;
    await editor.open('all.yaml', whole);
    expect(await codes('all.yaml')).toEqual(['named-port', 'named-port', 'named-port']);
    await editor.change('all.yaml', whole.replace('name: api\n', 'name: api: {\n'));
    const left = await editor.shown('all.yaml');
    expect(left.map((each) => marked(whole, each))).toEqual(['port: htpp', 'port: htpp']);
  });

  it('survives each character of a text, and shows at the end what check shows', async () => {
    editor = await startEditor();
    await editor.open('web.yaml', '');
    for (let length = 0; length <= TYPO.length; length += 5) await editor.change('web.yaml', TYPO.slice(0, length));
    await editor.change('web.yaml', TYPO);
    expect(await codes('web.yaml')).toEqual(['named-port']);
    // A burst is answered once: there is one answer a pause, and not one a key.
    expect(editor.published('web.yaml')).toBeLessThan(TYPO.length / 10);
  });

  it('counts the policies and the project file of the folder, also when they change on the disk', async () => {
    editor = await startEditor({ 'web.yaml': RIGHT });
    await editor.open('web.yaml', RIGHT);
    expect(await codes('web.yaml')).toEqual([]);
    editor.write('policies/a.yaml', policy('required-startup'));
    await editor.changedOnDisk('policies/a.yaml');
    expect(await codes('web.yaml')).toEqual(['required-startup']);
    // What the editor has counts before what the disk has.
    await editor.open('policies/a.yaml', policy('required-liveness'));
    expect(await codes('web.yaml')).toEqual([]);
    await editor.change('policies/a.yaml', policy('no-such-check'));
    expect(JSON.stringify(await editor.shown('policies/a.yaml'))).toContain('no-such-check');
    await editor.close('policies/a.yaml');
    expect(await codes('web.yaml')).toEqual(['required-startup']);
    editor.write('.probewright.yaml', 'exclude: [policies]\n');
    await editor.changedOnDisk('.probewright.yaml');
    expect(await codes('web.yaml')).toEqual([]);
  });

  it('tells in closed files why they count for nothing, and offers no fix that a broken policy might change', async () => {
    const files = {
      '.probewright.yaml': 'skip: [named-prt]\n',
      'policies/a.yaml': `${policy('named-port')}  a: b: c\n`,
    };
    editor = await startEditor(files);
    await editor.open('web.yaml', TYPO);
    const told = async (file: string): Promise<unknown[]> => (await editor.shown(file)).map(({ message }) => message);
    expect(await told('.probewright.yaml')).toEqual([expect.stringContaining('did you mean "named-port"?')]);
    expect(await told('policies/a.yaml')).toHaveLength(1);
    expect((await editor.actions('web.yaml')).map(({ kind }) => kind)).toEqual(['quickfix', 'quickfix']);
    editor.write('.probewright.yaml', '');
    editor.write('policies/a.yaml', policy('named-port'));
    await editor.changedOnDisk('.probewright.yaml', 'policies/a.yaml');
    expect([await told('.probewright.yaml'), await told('policies/a.yaml')]).toEqual([[], []]);
    expect(await editor.actions('web.yaml')).toHaveLength(3);
  });

  it('reads nothing of a project file that leads out of the folder, and offers no fix without the policies of a flag', async () => {
    editor = await startEditor({}, ['--policies', 'missing']);
    symlinkSync('/dev/zero', join(editor.folder, '.probewright.yaml'));
    await editor.open('web.yaml', TYPO);
    expect(await codes('web.yaml')).toEqual(['named-port']);
    expect(await editor.shown('.probewright.yaml')).toHaveLength(1);
    rmSync(join(editor.folder, '.probewright.yaml'));
    await editor.changedOnDisk('.probewright.yaml');
    expect([await editor.shown('.probewright.yaml'), (await editor.shown('missing')).length]).toEqual([[], 1]);
    expect((await editor.actions('web.yaml')).map(({ kind }) => kind)).toEqual(['quickfix', 'quickfix']);
  });

  it('takes a policy with marks of a template for no policy', async () => {
    const template = policy('named-port')
      .replace('spec:', '{{- if .Values.a }}\nspec:')
      .replace('{ name: a }', '{ name: "{{ x }}" }');
    editor = await startEditor({
      'tpl/policy.yaml': template,
      'tpl/name.yaml': policy('required-startup').replace('name: a', 'name: "{{ x }}"'),
    });
    await editor.open('web.yaml', TYPO);
    expect(await codes('web.yaml')).toEqual(['named-port']);
    expect(await editor.shown('tpl/policy.yaml')).toEqual([]);
    expect(await editor.actions('web.yaml')).toHaveLength(3);
  });

  it('reads the folder again for what it has read, and not for what a build removes', async () => {
    editor = await startEditor({ 'web.yaml': RIGHT });
    await editor.open('web.yaml', RIGHT);
    expect(await codes('web.yaml')).toEqual([]);
    editor.write('policies/a.yaml', policy('required-startup'));
    await editor.changedOnDisk('.git/index.lock', 'build');
    expect(await codes('web.yaml')).toEqual([]);
    await editor.changedOnDisk('policies/a.yaml');
    expect(await codes('web.yaml')).toEqual(['required-startup']);
    rmSync(join(editor.folder, 'policies'), { recursive: true });
    await editor.changedOnDisk('policies');
    expect(await codes('web.yaml')).toEqual([]);
  });

  it('takes no change of a closed file, and none without a text', async () => {
    editor = await startEditor();
    await editor.open('web.yaml', TYPO);
    await editor.change('web.yaml');
    expect(await codes('web.yaml')).toEqual(['named-port']);
    await editor.close('web.yaml');
    await editor.change('web.yaml', TYPO);
    expect(await codes('web.yaml')).toEqual([]);
  });

  it('knows an open file until it is closed, whatever becomes of links to it', async () => {
    editor = await startEditor({ 'real/old.yaml': TYPO });
    symlinkSync(join(editor.folder, 'real/old.yaml'), join(editor.folder, 'link.yaml'));
    await editor.open('link.yaml', TYPO);
    await editor.open('real/old.yaml', TYPO);
    await editor.close('real/old.yaml');
    expect([await codes('link.yaml'), await codes('real/old.yaml')]).toEqual([['named-port'], []]);
    rmSync(join(editor.folder, 'link.yaml'));
    await editor.close('link.yaml');
    expect(await codes('link.yaml')).toEqual([]);
  });

  it('takes a file that was never saved for the one that it will be', async () => {
    editor = await startEditor({ 'real/web.yaml': RIGHT });
    symlinkSync(join(editor.folder, 'real'), join(editor.folder, 'link'));
    await editor.open('real/web.yaml', RIGHT);
    await editor.open('link/policy.yaml', policy('required-startup'));
    expect(await codes('real/web.yaml')).toEqual(['required-startup']);
    editor.write('real/policy.yaml', policy('required-startup'));
    await editor.save('link/policy.yaml');
    await editor.change('link/policy.yaml', policy('required-liveness'));
    expect(await codes('real/web.yaml')).toEqual([]);
    expect(await codes('link/policy.yaml')).toEqual([]);
  });

  it('judges open files where the folder is gone', async () => {
    editor = await startEditor({}, [], process.env, undefined, 'gone');
    await editor.open('web.yaml', TYPO);
    expect(await codes('web.yaml')).toEqual(['named-port']);
  });

  it('is silent in templates, patches, unknown kinds, and texts that are no manifest', async () => {
    const template = TYPO.replace('name: web\n', 'name: {{ .Release.Name }}\n');
    const files = {
      'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
      'chart/templates/web.yaml': TYPO,
      'overlay/kustomization.yaml': 'resources: [base.yaml]\npatches: [{ path: patch.yaml }]\n',
      'overlay/base.yaml': RIGHT,
      'overlay/patch.yaml': TYPO,
      'template.yaml': template,
      'other.yaml': TYPO.replace('kind: Deployment', 'kind: Unheard'),
      'notes.yaml': '- just\n- a: list\n',
      'tabs.yaml': 'a:\n\tb: c\n',
    };
    editor = await startEditor(files);
    for (const [file, text] of Object.entries(files)) await editor.open(file, text);
    for (const file of Object.keys(files)) {
      expect([file, await codes(file)]).toEqual([file, []]);
      expect([file, await editor.actions(file)]).toEqual([file, []]);
      expect([file, await editor.hover(file, 15)]).toEqual([
        file,
        file === 'overlay/base.yaml' ? expect.any(String) : undefined,
      ]);
    }
  });
});
