import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

/**
 * Bundles the program into dist/ for the container image: one process start reads a handful of files instead of hundreds. Commands stay
 * chunks of their own, so that a server does not load what only the others need.
 */
rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: { probewright: 'src/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  sourcemap: 'linked',
  legalComments: 'linked',
  // Bundled CommonJS dependencies call require for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  define: { 'process.env.PROBEWRIGHT_BUILD_COMMIT': JSON.stringify(commit()) },
});

/** The commit that is built, as the caller or git says. */
function commit(): string {
  const given = process.env['PROBEWRIGHT_BUILD_COMMIT'];
  if (given !== undefined && given !== '') return given;
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}
