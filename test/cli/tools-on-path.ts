import { existsSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the scripts of tests call. A machine may have helm and kubectl beside these. */
const OF_THE_SYSTEM = ['cat', 'dirname', 'env', 'grep', 'node', 'sed', 'sh', 'sleep', 'true'];

/** Puts shell scripts on the PATH in place of all programs but a few of the system. Returns what restores the PATH. */
export async function withTools(directory: string, tools: Readonly<Record<string, string>>): Promise<() => void> {
  const bin = join(directory, 'bin');
  await mkdir(bin, { recursive: true });
  for (const [name, script] of Object.entries(tools)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}`);
    await chmod(join(bin, name), 0o755);
  }
  for (const name of OF_THE_SYSTEM) {
    const program = [`/usr/bin/${name}`, `/bin/${name}`].find((path) => existsSync(path));
    if (program !== undefined && !existsSync(join(bin, name))) await symlink(program, join(bin, name));
  }
  const before = process.env['PATH'];
  process.env['PATH'] = bin;
  return () => {
    process.env['PATH'] = before;
  };
}
