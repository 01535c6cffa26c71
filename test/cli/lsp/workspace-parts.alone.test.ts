import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { edited, startEditor, type Editor } from './editor.ts';

const TYPO = readFileSync('examples/typo.yaml', 'utf8');
const RIGHT = TYPO.replace('htpp }', 'http }');
const POLICY = `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: a }
spec: { checks: { required-startup: { action: Deny } } }
`;

describe('the folder of an editor', () => {
  let editor: Editor;
  afterEach(async () => {
    const { code, errors } = await editor.quit();
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });
  const codes = async (file: string): Promise<unknown[]> => (await editor.shown(file)).map(({ code }) => code);

  it.each([
    ['skip: [named-port]', ['startup-budget']],
    ['only: [named-port]', ['named-port']],
  ])('has the checks of its project file: %s', async (project, shown) => {
    const text = TYPO.replace('port: htpp }', 'port: htpp }\n            failureThreshold: 1');
    editor = await startEditor({ '.probewright.yaml': `${project}\n` });
    await editor.open('web.yaml', text);
    expect(await codes('web.yaml')).toEqual(shown);
    const titles = (await editor.actions('web.yaml', 'quickfix')).map(({ title }) => title);
    expect(titles.every((title) => shown.some((check) => title.includes(check)))).toBe(true);
    const [all] = await editor.actions('web.yaml', 'source.fixAll');
    expect(all && edited(text, all).includes('port: htpp')).toBe(!shown.includes('named-port'));
  });

  it.each([
    ['an excluded file', { '.probewright.yaml': 'exclude: [own]\n' }],
    ['a template of a chart', { 'own/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n' }],
    ['a patch', { 'own/kustomization.yaml': 'patches: [{ path: templates/policy.yaml }]\n' }],
  ])('is the same when %s is opened', async (_, files) => {
    editor = await startEditor(files);
    editor.write('own/templates/policy.yaml', POLICY);
    await editor.changedOnDisk('own/templates/policy.yaml');
    await editor.open('web.yaml', RIGHT);
    expect(await codes('web.yaml')).toEqual([]);
    await editor.open('own/templates/policy.yaml', POLICY);
    expect(await codes('web.yaml')).toEqual([]);
  });

  it('has the policies of its project file, also as they are typed, where they are excluded from manifests', async () => {
    editor = await startEditor({ '.probewright.yaml': 'exclude: [own]\npolicies: own\n', 'own/policy.yaml': POLICY });
    await editor.open('web.yaml', RIGHT);
    expect(await codes('web.yaml')).toEqual(['required-startup']);
    await editor.open('own/policy.yaml', POLICY.replace('required-startup', 'no-such-check'));
    expect(await codes('web.yaml')).toEqual([]);
    expect(JSON.stringify(await editor.shown('own/policy.yaml'))).toContain('no-such-check');
  });
});
