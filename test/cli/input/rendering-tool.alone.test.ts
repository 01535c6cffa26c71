import { describe, expect, it } from 'vitest';
import { NoRenderingTool, outputOfFirst } from '../../../src/cli/input/rendering-tool.ts';

describe('the output of a program', () => {
  const sh = (script: string): readonly [string, readonly string[]] => ['sh', ['-c', script]];
  const failing = async (script: string): Promise<string> =>
    await outputOfFirst([sh(script)]).catch((error: unknown) => (error as Error).message);

  it('is that of the first program on the PATH, which gets variables and no input', async () => {
    const script = sh('printf "%s " "$OWN" "${PATH:+path}"; cat');
    const calls = [['no-such-program-here', []] as const, script, sh('echo second')];
    expect(await outputOfFirst(calls, undefined, { OWN: 'a' })).toBe('a path ');
  });

  it('is made without the secrets of this process: it gets three variables, and those of a name', async () => {
    const script = 'echo "$HOME,$TMPDIR,${HELM_A-none},${A_HELM_A-none},${JOB_TOKEN-none},${GIT_CONFIG_COUNT-none}"';
    const names = ['HELM_A', 'A_HELM_A', 'JOB_TOKEN', 'GIT_CONFIG_COUNT', 'TMPDIR', 'HOME'];
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) process.env[name] = `own-${name}`;
    const outputs = [await outputOfFirst([sh(script)]), await outputOfFirst([sh(script)], /^HELM_/)];
    for (const [name, text] of before)
      if (text === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = text;
    expect(outputs).toEqual([
      'own-HOME,own-TMPDIR,none,none,none,none\n',
      'own-HOME,own-TMPDIR,own-HELM_A,none,none,none\n',
    ]);
  });

  it('is missing without any of the programs, which is no failure of a program', async () => {
    await expect(outputOfFirst([['no-such-program-here', []]])).rejects.toBeInstanceOf(NoRenderingTool);
    await expect(outputOfFirst([])).rejects.toBeInstanceOf(NoRenderingTool);
  });

  it('is replaced by the reason of a program that fails, without the warnings before its error', async () => {
    expect(await failing('echo "warning: old" >&2; echo "Error: no" >&2; echo " chart " >&2; exit 3')).toBe(
      'sh: Error: no chart',
    );
    expect(await failing('echo one >&2; echo >&2; echo two >&2; exit 3')).toBe('sh: one two');
    expect(await failing('exit 3')).toMatch(/^sh: Command failed: sh -c exit 3/);
  });

  it('is replaced by a reason of at most 600 characters', async () => {
    const message = await failing(`printf '%700s' x | tr ' ' y >&2; exit 1`);
    expect(message.length).toBeGreaterThan(590);
    expect(message.length).toBeLessThan(640);
  });

  it('is refused above 64 MiB, also when a program that it has started goes on', async () => {
    const script = 'head -c 70000000 /dev/zero; exec >&-; exit 0';
    expect(await failing(script)).toBe('sh: prints more than 64 MiB'.replace('sh:', 'sh'));
  });

  it('is whole when several programs print more than there is room for', async () => {
    const print = sh('head -c 60000000 /dev/zero');
    const outputs = await Promise.all(Array.from({ length: 6 }, () => outputOfFirst([print])));
    expect(outputs.map(({ length }) => length)).toEqual(outputs.map(() => 60_000_000));
  });

  it('is refused when it is no UTF-8', async () => {
    expect(await failing(String.raw`printf '\377'`)).toMatch(/^the output of sh cannot be read: /);
  });
});
