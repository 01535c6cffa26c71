import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { mainPrograms } from '../../../src/engine/command/main-process.ts';

const ofWords = (...words: readonly string[]): readonly string[] =>
  mainPrograms({ words: words.map((text) => ({ text })), script: undefined });
const ofScript = (script: string): readonly string[] => mainPrograms({ words: [], script });

describe('the main program of a command line', () => {
  it.each([
    [['redis-server', '--port', '8080'], ['redis-server']],
    [
      ['docker-entrypoint.sh', 'mysqld'],
      ['docker-entrypoint.sh', 'mysqld'],
    ],
    [['/usr/bin/tini', '--', 'rabbitmq-server'], ['rabbitmq-server']],
    [['gosu', 'redis', 'redis-server'], ['redis-server']],
    [['env', 'A=1', 'timeout', '5', 'postgres', '-p', '1'], ['postgres']],
    [
      ['sh', '/entry.sh', 'mysqld'],
      ['/entry.sh', 'mysqld'],
    ],
    [['app', 'redis'], ['app']],
    [['--store', 'redis'], []],
    [['a.sh', '--port', '1'], ['a.sh']],
    [['sh'], []],
    [[], []],
  ])('%j: %j', (words, expected) => expect(ofWords(...words)).toEqual(expected));

  it('stands behind at most four entry points', () => {
    const entryPoints = ['a.sh', 'b.sh', 'c.sh', 'd.sh', 'e.sh', 'f.sh'];
    expect(ofWords(...entryPoints, 'postgres')).toEqual(entryPoints.slice(0, 5));
  });
});

describe('the main program of a script', () => {
  const folder = mkdtempSync(join(tmpdir(), 'main-process-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const log = join(folder, 'log');

  /** The program that a real shell has started last, where all programs of the script are stubs that end with 0 or 1. */
  const lastStarted = (script: string, status: number): string => {
    const bin = join(folder, 'bin');
    mkdirSync(bin, { recursive: true });
    for (const name of ['postgres', 'redis-server', 'node', 'psql', 'migrate', 'initdb', 'tee']) {
      const read = name === 'tee' ? 'cat > /dev/null\n' : '';
      writeFileSync(join(bin, name), `#!/bin/sh\n${read}echo ${name} >> "${log}"\nexit ${status}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    for (const name of ['gosu', 'su-exec']) {
      writeFileSync(join(bin, name), '#!/bin/sh\nshift\nexec "$@"\n');
      chmodSync(join(bin, name), 0o755);
    }
    rmSync(log, { force: true });
    spawnSync('/bin/sh', ['-c', script], { env: { PATH: `${bin}:/usr/bin:/bin` } });
    return existsSync(log) ? (readFileSync(log, 'utf8').trim().split('\n').at(-1) ?? '') : '';
  };

  it.each([
    ['cd / && exec postgres -p 7432', ['postgres']],
    ['set -e; exec redis-server', ['redis-server']],
    ['[ -d /nowhere ] || initdb\nexec postgres', ['postgres']],
    ['migrate || exit 1; exec node app.js', ['node']],
    ['if [ -d / ]; then exec postgres; else exec redis-server; fi', ['postgres', 'redis-server']],
    ['case $X in a) redis-server ;; *) postgres ;; esac', ['redis-server', 'postgres']],
    ['exec gosu redis redis-server', ['redis-server']],
    ['su-exec postgres postgres', ['postgres']],
    ['postgres 2>&1 | tee /dev/null', ['postgres', 'tee']],
    ['psql -c "select 1" && exec node app.js', ['node']],
    ['{ migrate; node app.js; }', ['node']],
    ['start() { exec postgres; }; start', ['postgres']],
    ['export A=1\nmigrate\nnode app.js', ['node']],
  ])('%j is among %j, in a real shell, too', (script, expected) => {
    const found = ofScript(script);
    expect(expected.filter((program) => !found.includes(program))).toEqual([]);
    expect(expected).toContain(lastStarted(script, 0));
  });

  it.each([
    ['redis-server & exec node app.js', 'redis-server'],
    ['psql -h db && exec node app.js', 'psql'],
    ['initdb; node app.js', 'initdb'],
    ['echo "exec postgres"; node app.js', 'postgres'],
    ['start() { postgres; }; node app.js', 'postgres'],
  ])('%j is not %s', (script, other) => expect(ofScript(script)).not.toContain(other));

  it.each(['', 'postgres &', 'exec', '(', 'A=1'])('%j has none that is known', (script) =>
    expect(ofScript(script)).toEqual([]),
  );
});
