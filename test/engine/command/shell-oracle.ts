import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';

/** What a real shell did with a script, for all answers of its questions. */
export interface Observed {
  readonly canSucceed: boolean;
  readonly canFail: boolean;
  /** The questions that were asked in every run. */
  readonly always: ReadonlySet<string>;
  readonly alwaysBeforeSuccess: ReadonlySet<string>;
  readonly asked: ReadonlySet<string>;
  /** False when there are more answers than runs. */
  readonly isComplete: boolean;
}

/** More answers of a script are not tried. */
const MOST_RUNS = 64;

/**
 * Every question is a function that answers as the run says. FAILS holds `SITE.CALL` of each answer that is a failure.
 * `grep` reads all its input: a reader that ends early kills the writer in front of it at a random moment. The files of
 * a run count the calls of each question, also those in subshells.
 */
const PRELUDE = String.raw`
ask() {
  __f="$DIR/$RUN.$1"; __k=0
  [ -f "$__f" ] && read -r __k < "$__f"
  __k=$((__k + 1)); echo "$__k" > "$__f"; echo "ask $1.$__k" >&9
  case " $FAILS " in *" $1.$__k "*) return 1 ;; esac
  return 0
}
say() { if ask "$1"; then echo ok; else echo down; fi; }
pgrep() { ask "$1"; }
nc() { ask "$2"; }
curl() { ask "$2"; }
wget() { ask "$2"; }
grep() { while read -r __line; do :; done; ask "$2"; }
pg_isready() { ask "$1"; }
`;

interface Runs {
  readonly script: string;
  runs: number;
  pending: string[][];
  readonly statuses: Set<boolean>;
  always: Set<string> | undefined;
  alwaysBeforeSuccess: Set<string> | undefined;
  readonly asked: Set<string>;
}

/** Runs scripts with all answers of their questions, as far as there are not too many. */
export function observe(scripts: readonly string[]): Observed[] {
  const directory = mkdtempSync(join(tmpdir(), 'oracle-'));
  const all = scripts.map((script): Runs => ({
    script,
    runs: 0,
    pending: [[]],
    statuses: new Set(),
    always: undefined,
    alwaysBeforeSuccess: undefined,
    asked: new Set(),
  }));
  try {
    for (let round = 0; all.some(({ pending, runs }) => pending.length > 0 && runs < MOST_RUNS); round++) {
      const jobs = all.flatMap((one) => {
        const batch = one.pending.splice(0, Math.max(MOST_RUNS - one.runs, 0));
        one.runs += batch.length;
        return batch.map((failing) => ({ one, failing }));
      });
      const text = jobs.map(({ one, failing }, at) => {
        const head = `RUN=${round}.${at}; FAILS='${failing
          .filter((x) => x.endsWith('!'))
          .join(' ')
          .replaceAll('!', '')}'`;
        return `${head}\n(\n${one.script}\n) >/dev/null 2>&1 </dev/null\necho "end $?" >&9`;
      });
      const file = join(directory, 'all.sh');
      writeFileSync(file, `${PRELUDE}\nDIR=${directory}\n${text.join('\n')}\n`);
      const output = execFileSync('sh', ['-c', `sh ${file} 9>&1 >/dev/null`], {
        maxBuffer: 1 << 28,
        encoding: 'utf8',
        timeout: 60_000,
      });
      record(jobs, output);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  return all.map((one) => ({
    canSucceed: one.statuses.has(true),
    canFail: one.statuses.has(false),
    always: one.always ?? new Set(),
    alwaysBeforeSuccess: one.alwaysBeforeSuccess ?? new Set(),
    asked: one.asked,
    isComplete: one.pending.length === 0,
  }));
}

/** Each new question is answered with success at first, and then, in further runs, with failure. */
function record(jobs: readonly { one: Runs; failing: string[] }[], output: string): void {
  const parts = output.split(/^end (\d+)\n/m);
  for (const [at, { one, failing }] of jobs.entries()) {
    one.statuses.add(parts[2 * at + 1] === '0');
    const calls = [...(parts[2 * at] ?? '').matchAll(/^ask (\S+)$/gm)].map(([, call = '']) => call);
    const sites = new Set(calls.map((call) => call.replace(/\.\d+$/, '')));
    for (const site of sites) one.asked.add(site);
    const alsoHere = (before: Set<string> | undefined): Set<string> =>
      new Set(before === undefined ? sites : [...before].filter((site) => sites.has(site)));
    one.always = alsoHere(one.always);
    if (parts[2 * at + 1] === '0') one.alwaysBeforeSuccess = alsoHere(one.alwaysBeforeSuccess);
    const known = new Set(failing.map((call) => call.replace('!', '')));
    const answers = [...failing];
    for (const call of new Set(calls))
      if (!known.has(call)) {
        one.pending.push([...answers, `${call}!`]);
        answers.push(call);
      }
  }
}

/** Random scripts of the kinds that probes have. Questions have the names q0, q1, ... */
export const scripts: fc.Arbitrary<string> = fc
  .record({
    head: fc.constantFrom('', '', '', 'set -e\n', 'set -eu; '),
    functions: fc.array(fc.constantFrom('f', 'g'), { maxLength: 2 }),
    tree: tree(3),
    body: tree(1),
    end: fc.constantFrom('', '', '', '; exit 0', '; exit 1', '\ntrue', '; exit $?', '\n'),
  })
  .map(({ head, functions, tree: main, body, end }) => {
    const name = functions[0];
    const definition =
      name === undefined ? '' : `${name}() { ${body.replaceAll('CALL', 'true').replace(/\bn(?=\d)/g, 'm')}; }\n`;
    const text = `x=1 rc=0\n${head}${definition}${main.replaceAll('CALL', name ?? 'pgrep SITE')}${end}`;
    let site = 0;
    return text.replace(/SITE/g, () => `q${site++}`);
  });

function tree(depth: number): fc.Arbitrary<string> {
  const question = fc.constantFrom(
    'pgrep SITE',
    'nc -z SITE',
    'curl -f SITE',
    'wget -q SITE >/dev/null 2>&1',
    'pg_isready SITE 2>/dev/null',
    'pgrep SITE > "$DIR/out"',
    'CALL',
  );
  const plain = fc.constantFrom(
    'true',
    'false',
    ':',
    'echo down',
    'exit 0',
    'exit 1',
    'return 1',
    'return',
    'exit',
    '[ word ]',
    '[ 1 -gt 2 ]',
    'x=1',
    'sleep 0',
    'test "$x" = 1',
    'x=$(say SITE)',
    '[ "$(say SITE)" = ok ]',
    'set -e',
    'set +e',
    'rc=$?',
    'exit $rc',
    '[ $? -eq 0 ]',
    'sh -c "exit 1"',
    'break',
    'continue',
  );
  if (depth === 0) return fc.oneof({ weight: 5, arbitrary: question }, { weight: 3, arbitrary: plain });
  const inner = tree(depth - 1);
  // A counter of its own, so that each loop ends.
  const name = `n${depth}`;
  const bounded = fc.tuple(
    inner,
    fc.constantFrom(`while [ $${name} -lt 2 ]`, `until [ $${name} -ge 2 ]`, `while [ "$${name}" -lt 2 ]`),
  );
  return fc.oneof(
    { weight: 3, arbitrary: inner },
    { weight: 3, arbitrary: fc.array(inner, { minLength: 2, maxLength: 3 }).map((all) => all.join('; ')) },
    { weight: 2, arbitrary: fc.tuple(inner, inner).map(([a, b]) => `{ ${a}; } && { ${b}; }`) },
    { weight: 2, arbitrary: fc.tuple(inner, inner).map(([a, b]) => `{ ${a}; } || { ${b}; }`) },
    { weight: 2, arbitrary: fc.tuple(question, inner).map(([a, b]) => `${a} && ${b}`) },
    { weight: 2, arbitrary: fc.tuple(question, inner).map(([a, b]) => `${a} || ${b}`) },
    { weight: 1, arbitrary: question.map((a) => `! ${a}`) },
    { weight: 1, arbitrary: inner.map((a) => `! { ${a}; }`) },
    { weight: 2, arbitrary: fc.tuple(inner, inner).map(([a, b]) => `if ${a}; then ${b}; fi`) },
    { weight: 2, arbitrary: fc.tuple(inner, inner, inner).map(([a, b, c]) => `if ${a}; then\n${b}\nelse ${c}\nfi`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(inner, inner, inner, inner)
        .map(([a, b, c, d]) => `if ${a}; then ${b}; elif ${c}; then ${d}; fi`),
    },
    { weight: 1, arbitrary: inner.map((a) => `( ${a} )`) },
    { weight: 1, arbitrary: inner.map((a) => `( ${a} ) > /dev/null 2>&1`) },
    { weight: 1, arbitrary: inner.map((a) => `{ ${a}; } 2>/dev/null`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(inner, fc.constantFrom('cat', 'grep -q SITE', 'cat | cat', '{ cat; CALL; }'))
        .map(([a, b]) => `{ ${a.replaceAll('CALL', 'true')}; } | ${b.replaceAll('CALL', 'true')}`),
    },
    { weight: 1, arbitrary: inner.map((a) => `for i in 1 2; do ${a}; done`) },
    {
      weight: 1,
      arbitrary: bounded.map(([a, b]) => `${name}=0; ${b}; do ${name}=$((${name}+1)); ${a}; done`),
    },
    { weight: 1, arbitrary: fc.tuple(inner, inner).map(([a, b]) => `case $x in 1|2) ${a} ;; *) ${b} ;; esac`) },
    { weight: 1, arbitrary: fc.tuple(inner, inner).map(([a, b]) => `${a}; case $? in 0) ${b} ;; esac`) },
    {
      weight: 1,
      arbitrary: fc.tuple(inner, inner).map(([a, b]) => `case "$(say SITE)" in ok) ${a} ;; *) ${b} ;; esac`),
    },
  );
}
