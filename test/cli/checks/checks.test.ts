import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { runProbewright } from '../run-probewright.ts';
import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/checks/checks.test.ts');

const DOCS = readFileSync('docs/checks.md', 'utf8');
const CHECKS = Object.values(CHECK_CATALOGUE);

async function checks(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProbewright(['checks', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('checks', () => {
  it('lists every check on a line with its default action and its summary', async () => {
    const lines = (await checks()).trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual(
      CHECKS.map(({ id, action, summary }) => [id, action, summary]),
    );
  });

  it('wraps the summaries on a terminal', async () => {
    const { stdout } = await runProbewright(['checks'], { columns: 60 });
    expect(stdout.split('\n').filter((line) => line.length > 60)).toEqual([]);
  });

  it('lists the checks as JSON, and one check', async () => {
    const list = JSON.parse(await checks('--output', 'json')) as { checks: { id: string }[] };
    expect(list.checks.map(({ id }) => id)).toEqual(CHECKS.map(({ id }) => id));
    expect(JSON.parse(await checks('startup-budget', '--output', 'json'))).toEqual({
      id: 'startup-budget',
      action: CHECK_CATALOGUE['startup-budget']?.action,
      summary: CHECK_CATALOGUE['startup-budget']?.summary,
      parameters: [{ name: 'minimumSeconds', type: 'number', default: 10, text: expect.any(String) as string }],
      url: 'https://github.com/probewright/probewright/blob/main/docs/checks.md#startup-budget',
    });
  });

  it.each(CHECKS.map(({ id }) => id))(
    'explains %s, with the example of the docs and a policy that can be read',
    async (id) => {
      const text = await checks(id);
      const { summary, action, parameters } = CHECK_CATALOGUE[id] ?? { summary: '', action: '', parameters: {} };
      expect(text.startsWith(`${id}: ${summary}\n\nDefault action: ${action}\n`)).toBe(true);
      for (const name of Object.keys(parameters)) expect(text).toMatch(new RegExp(`^  ${name} \\(`, 'm'));
      expect(text.endsWith(`docs/checks.md#${id}\n`)).toBe(true);
      const section = DOCS.split(/^(?=## )/m).find((one) => one.startsWith(`## ${id}\n`)) ?? '';
      const [, example = ''] = /^```diff\n([\s\S]*?)^```$/m.exec(section) ?? [];
      expect(text).toContain(`\nExample (- is a violation, + is none):\n${example.replace(/^(?=.)/gm, '  ')}\n`);
      const policy = text.split('Example policy:\n')[1]?.split('\n\n')[0]?.replace(/^ {2}/gm, '') ?? '';
      expect(parse(policy)).toMatchObject({ kind: 'ClusterProbePolicy', spec: { checks: { [id]: {} } } });
      // `fix` reads policies as the webhook does, and ends with 2 for a policy that it rejects.
      const { code, stderr } = await runProbewright(['fix', '-'], { stdin: policy });
      const nothing = 'probewright fix: the inputs have no container, so no probe is added\n';
      expect({ code, stderr }).toEqual({ code: 0, stderr: nothing });
    },
  );
});

describe('the text of checks', () => {
  it('has columns as wide as their widest word', async () => {
    const lines = (await checks()).trimEnd().split('\n');
    const actions = Math.max(...CHECKS.map(({ action }) => action.length));
    const ids = Math.max(...CHECKS.map(({ id }) => id.length));
    for (const [index, { summary }] of CHECKS.entries()) expect(lines[index]?.indexOf(summary)).toBe(ids + actions + 4);
  });

  it('has a part for parameters only where a check has some', async () => {
    for (const { id, parameters } of CHECKS)
      expect((await checks(id)).includes('\nParameters:\n'), id).toBe(Object.keys(parameters).length > 0);
  });

  it('has an example policy in the layout of the docs: lists are indented, and empty lists are left out', async () => {
    const policy = (text: string): string => text.split('Example policy:\n')[1]?.split('\n\n')[0] ?? '';
    for (const { id } of CHECKS) expect(policy(await checks(id)), id).not.toMatch(/\[\]|\{\S/);
    const lists = await Promise.all(CHECKS.map(async ({ id }) => policy(await checks(id))));
    const written = lists.flatMap((text) => text.split('\n').filter((line) => /^\s+- /.test(line)));
    expect(written.length).toBeGreaterThan(0);
    for (const text of lists)
      for (const [, key = '', item = ''] of text.matchAll(/^( *)\S+:\n( *)- /gm))
        expect(item.length).toBe(key.length + 2);
  });
});
