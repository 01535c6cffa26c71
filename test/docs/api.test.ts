import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as api from '../../src/package/api/index.ts';
import { VERSION } from '../../src/base/version.ts';

const page = readFileSync('docs/api.md', 'utf8');

/** The members of an interface of a source file. */
function membersOf(file: string, name: string): string[] {
  const [, body = ''] =
    new RegExp(`interface ${name}[^{]*\\{([\\s\\S]*?)\\n\\}`).exec(readFileSync(file, 'utf8')) ?? [];
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, member = '']) => member);
}

const section = (heading: string): string => page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';

describe('docs/api.md', () => {
  it('names every function, and the error', () => {
    const names = Object.keys(api);
    expect(names.filter((name) => !page.includes(name))).toEqual([]);
    const listed = [...section('Functions').matchAll(/^\| `(\w+)\(/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(names.filter((name) => name !== 'InvalidInputError').sort());
  });

  it('lists every option, and no other', () => {
    const listed = [...section('Options').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(listed).toEqual([
      ...membersOf('src/package/api/engine-options.ts', 'EngineOptions'),
      ...membersOf('src/package/api/index.ts', 'FixOptions'),
      ...membersOf('src/package/api/index.ts', 'PlanOptions'),
    ]);
  });

  it('names the fields of each result', () => {
    const listed = [...section('Functions').matchAll(/`\{ ([\w, ]+) \}` \|$/gm)].map(([, all]) => all);
    expect(listed).toEqual([
      membersOf('src/package/api/index.ts', 'Verdict').join(', '),
      membersOf('src/package/api/index.ts', 'Fixed').join(', '),
      [
        ...membersOf('src/cli/output/json-outputs.ts', 'PlannedEffects'),
        ...membersOf('src/package/api/index.ts', 'Planned'),
      ].join(', '),
    ]);
  });

  it('names the code of the error, and the file of this version', () => {
    expect(page).toContain(`\`${new api.InvalidInputError([]).code}\``);
    expect(page).toContain(`./dist/probewright-${VERSION}.tgz`);
  });
});
