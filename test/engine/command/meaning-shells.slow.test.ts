import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

type Truth = 'cannotFail' | 'mayFail' | 'cannotFailInBash' | 'mayFailInBash';
const TRUTHS = parse(readFileSync('test/fixtures/shell-truths.yaml', 'utf8')) as Record<Truth, readonly string[]>;

/** Programs that ask. In the run, each call of them succeeds or fails, as the run says. */
const QUESTIONS = ['pg_isready', 'pgrep', 'nc', 'curl', 'wget', 'grep', 'psql', 'redis-cli', 'mysqladmin'];
/** A question counts its calls, and reads its input to the end. BITS has one digit for each call: 1 is a failure. */
const QUESTION = String.raw`#!/bin/sh
[ "$\{0##*/}" = grep ] && while read -r line; do :; done
read -r n < "$COUNT"
n=$((n + 1)); echo "$n" > "$COUNT"
bits=$BITS; i=1
while [ "$i" -lt "$n" ]; do bits=$\{bits#?}; i=$((i + 1)); done
case $bits in 1*) exit 1 ;; esac
case $\{0##*/} in redis-cli) echo PONG ;; *) echo UP ;; esac
`.replaceAll(String.raw`$\{`, '${');
/** Answers of so many calls are varied. Each later call succeeds. */
const CALLS = 4;

/** The `sh` of Debian is dash. */
const SHELLS = ['sh', 'bash', 'busybox sh'].filter((shell) => {
  const [program = '', ...more] = shell.split(' ');
  return spawnSync(program, [...more, '-c', 'exit 7']).status === 7;
});

/** Runs each script for all answers, and tells which failed once. */
function failing(shell: string, scripts: readonly string[]): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), 'shell-truths-'));
  try {
    mkdirSync(join(directory, 'bin'));
    for (const name of QUESTIONS) writeFileSync(join(directory, 'bin', name), QUESTION);
    writeFileSync(join(directory, 'bin', 'sleep'), '#!/bin/sh\n[ "$1" = 1 ]\n');
    for (const name of [...QUESTIONS, 'sleep']) chmodSync(join(directory, 'bin', name), 0o755);
    for (const [at, script] of scripts.entries()) writeFileSync(join(directory, `${at}.sh`), script);
    // One process starts all runs. A script goes in by -c, as the kubelet hands it over.
    const driver = String.raw`
      PATH=$PWD/bin:$PATH; export COUNT=$PWD/count BITS
      for at in $(seq 0 ${scripts.length - 1}); do
        script=$(cat $at.sh); asked=none
        for BITS in $(cat bits); do
          # The same answers again, beside those that nobody asked for.
          case $BITS in "$asked"*) continue ;; esac
          echo 0 > "$COUNT"
          ${shell} -c "$script" > /dev/null 2>&1 < /dev/null || { echo $at; break; }
          read -r calls < "$COUNT"; asked=$(printf "%.$\{calls}s" "$BITS")
        done
      done`.replace(String.raw`$\{`, '${');
    const bits = Array.from({ length: 2 ** CALLS }, (_, all) => all.toString(2).padStart(CALLS, '0'));
    writeFileSync(join(directory, 'bits'), bits.join('\n'));
    const output = execFileSync('sh', ['-c', driver], { cwd: directory, encoding: 'utf8', timeout: 200_000 });
    return output.split('\n').flatMap((line) => (line === '' ? [] : (scripts[Number(line)] ?? [])));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

it.each(SHELLS)('%s does what the table of scripts says', (shell) => {
  const isBash = shell === 'bash';
  const safe = [...TRUTHS.cannotFail, ...(isBash ? TRUTHS.cannotFailInBash : [])];
  expect(failing(shell, safe)).toEqual([]);
  const unsafe = [...TRUTHS.mayFail, ...(isBash ? TRUTHS.mayFailInBash : [])];
  const seen = new Set(failing(shell, unsafe));
  expect(unsafe.filter((script) => !seen.has(script))).toEqual([]);
});
