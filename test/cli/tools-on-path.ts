import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Puts shell scripts on the PATH in place of all programs but those of the system. Returns what restores the PATH. */
export async function withTools(directory: string, tools: Readonly<Record<string, string>>): Promise<() => void> {
  const bin = join(directory, 'bin');
  await mkdir(bin, { recursive: true });
  for (const [name, script] of Object.entries(tools)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}`);
    await chmod(join(bin, name), 0o755);
  }
  const before = process.env['PATH'];
  process.env['PATH'] = `${bin}:/usr/bin:/bin`;
  return () => {
    process.env['PATH'] = before;
  };
}
