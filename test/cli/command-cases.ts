import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe } from 'vitest';
import { describeCases } from '../support/recorded-cases.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runProbewright } from './run-probewright.ts';
import { withTools } from './tools-on-path.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const FOLDER = 'test/fixtures/commands';
export const FILES = readdirSync(FOLDER);

/** Files by path; a path with a slash at its end is a directory without files. */
type Files = Readonly<Record<string, string | null>>;

/** A command line with its input; DIR is the directory with the files. */
interface Case {
  readonly run: readonly string[];
  readonly stdin?: string;
  /** The width of the terminal that both outputs are; without it, they are none. */
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Files;
  /** Symbolic links by path, with what they lead to. */
  readonly links?: Readonly<Record<string, string>>;
  /** The shell scripts that are the programs on the PATH, beside those of the system. */
  readonly tools?: Readonly<Record<string, string>>;
}

function write(directory: string, files: Files, links: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, text === null ? name : dirname(name)), { recursive: true });
    if (text !== null) writeFileSync(join(directory, name), text.replaceAll('DIR', directory));
  }
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(join(directory, dirname(name)), { recursive: true });
    symlinkSync(target.replaceAll('DIR', directory), join(directory, name));
  }
}

/** The files that are new or changed, links apart. */
function changed(directory: string, files: Files): Files | undefined {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  const entries = names.flatMap((name): [string, string | null][] => {
    const path = join(directory, name);
    if (lstatSync(path).isSymbolicLink() || !realpathSync(path).endsWith(`/${name}`)) return [];
    if (lstatSync(path).isDirectory()) return readdirSync(path).length > 0 ? [] : [[`${name}/`, null]];
    return [[name, readFileSync(path, 'utf8').replaceAll(directory, 'DIR')]];
  });
  const differs = entries.filter(([name, text]) => files[name] !== text);
  return differs.length > 0 ? Object.fromEntries(differs) : undefined;
}

/** What a command leaves behind; JSON as a value, and nothing for an exit code of 0, empty outputs and unchanged files. */
async function ran({ run, stdin, columns, env, files = {}, links = {}, tools }: Case): Promise<JsonObject> {
  const directory = await temporaryDirectory();
  write(directory, files, links);
  const args = run.map((arg) => arg.replaceAll('DIR', directory));
  const options = { directory, ...(columns && { columns }), ...(env && { env }) };
  const input = stdin === undefined ? {} : { stdin: stdin.replaceAll('DIR', directory) };
  const scripts = Object.entries(tools ?? {}).map(([name, text]) => [name, text.replaceAll('DIR', directory)] as const);
  const restorePath = await withTools(await temporaryDirectory(), Object.fromEntries(scripts));
  const { code, stdout, stderr } = await runProbewright(args, { ...options, ...input });
  restorePath();
  const json = asJson(stdout);
  return {
    code: code === 0 ? undefined : code,
    json,
    stdout: json === undefined && stdout !== '' ? stdout : undefined,
    stderr: stderr === '' ? undefined : stderr,
    leaves: existsSync(directory) ? changed(directory, files) : undefined,
  };
}

function asJson(text: string): unknown {
  if (!/^[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The test in which the recorded command lines of a file run: that of the source file that they are about. */
export const HOMES: Readonly<Record<string, string>> = {
  'baseline-problems.yaml': 'test/cli/check/baseline.test.ts',
  'baseline.yaml': 'test/cli/check/baseline.test.ts',
  'check-output.yaml': 'test/cli/check/formats.test.ts',
  'check.yaml': 'test/cli/check/check-manifests.test.ts',
  'checks.yaml': 'test/cli/checks/checks.test.ts',
  'completion.yaml': 'test/cli/commands.test.ts',
  'exceptions-of-text.yaml': 'test/cli/check/text-violations.test.ts',
  'explain-fields.yaml': 'test/explain/drawing/text-outputs.test.ts',
  'explain-providers.yaml': 'test/explain/drawing/text-outputs.test.ts',
  'explain.yaml': 'test/explain/drawing/text-outputs.test.ts',
  'export.yaml': 'test/cli/export/export.test.ts',
  'fix-links.yaml': 'test/cli/fix/fix-cases.test.ts',
  'fix-outputs.yaml': 'test/cli/fix/fix-cases.test.ts',
  'fix.yaml': 'test/cli/fix/fix-cases.test.ts',
  'help.yaml': 'test/cli/commands.test.ts',
  'input-passed-over.yaml': 'test/cli/input/passed-over.test.ts',
  'inputs.yaml': 'test/cli/input/world.test.ts',
  'krm-function.yaml': 'test/cli/krm/krm-function.test.ts',
  'plan.yaml': 'test/cli/plan/plan-cases.test.ts',
  'policy-findings.yaml': 'test/cli/check/policy-findings.test.ts',
  'rendered-by-tools.yaml': 'test/cli/input/charts.test.ts',
  'rendered-inputs.yaml': 'test/cli/input/read-inputs.test.ts',
  'service-hints.yaml': 'test/cli/commands.test.ts',
  'starts.yaml': 'test/cli/starts/starts.test.ts',
  'text-output.yaml': 'test/cli/check/text.test.ts',
  'try-flags.yaml': 'test/cli/commands.test.ts',
  'urls.yaml': 'test/cli/commands.test.ts',
};

/** Runs the recorded command lines that are at home in a test. @param test its path: `test/cli/commands.test.ts` */
export function describeCommands(test: string): void {
  describe.each(FILES.filter((file) => HOMES[file] === test))('%s', (file) =>
    describeCases(`${FOLDER}/${file}`, ['code', 'json', 'stdout', 'stderr', 'leaves'], (given) =>
      ran(given as unknown as Case),
    ),
  );
}
