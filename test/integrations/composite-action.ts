import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';

/** A step of a composite action. */
interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly description: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

export async function readAction(root: string): Promise<Action> {
  return parse(await readFile(join(root, 'action.yml'), 'utf8')) as Action;
}

/** What a job leaves behind. */
export interface JobResult {
  readonly code: number;
  /** Standard output and standard error of all steps. */
  readonly log: string;
  /** The actions that were used, with their inputs. They are not run. */
  readonly used: readonly { readonly uses: string; readonly with: Readonly<Record<string, string>> }[];
}

/** The world of a job. */
export interface Job {
  readonly root: string;
  readonly directory: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly github: {
    readonly event_name: string;
    readonly token: string;
    readonly event: { readonly number?: number };
  };
  readonly env: Readonly<Record<string, string>>;
  readonly temporary: string;
}

/** Runs the steps of action.yml as a runner does: scripts by bash, expressions as GitHub evaluates them. */
export async function runAction(job: Job): Promise<JobResult> {
  const { inputs: declared, runs } = await readAction(job.root);
  const defaults = Object.fromEntries(
    Object.entries(declared).map(([name, { default: text = '' }]) => [
      name,
      interpolated(text, { github: job.github }),
    ]),
  );
  const context = { inputs: { ...defaults, ...job.inputs }, github: job.github, steps: {} as Record<string, unknown> };
  const used: { uses: string; with: Record<string, string> }[] = [];
  let log = '';
  for (const step of runs.steps) {
    if (step.if !== undefined && evaluated(step.if, context) !== true) continue;
    const each = (values: Step['with']): Record<string, string> =>
      Object.fromEntries(
        Object.entries(values ?? {}).map(([name, text]) => [name, interpolated(String(text), context)]),
      );
    if (step.uses !== undefined) used.push({ uses: step.uses, with: each(step.with) });
    if (step.run === undefined) continue;
    const output = join(job.temporary, `output-${Math.random()}`);
    const env = {
      ...job.env,
      ...each(step.env),
      GITHUB_ACTION_PATH: job.root,
      GITHUB_OUTPUT: output,
      RUNNER_TEMP: job.temporary,
    };
    const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', interpolated(step.run, context)];
    const { code, text } = await bash(args, job.directory, env);
    log += text;
    if (step.id !== undefined) context.steps[step.id] = { outputs: await outputsIn(output) };
    if (code !== 0) return { code, log, used };
  }
  return { code: 0, log, used };
}

async function bash(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly text: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)('bash', [...args], { cwd, env });
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}

async function outputsIn(file: string): Promise<Record<string, string>> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** Fills `${{ ... }}` in. */
function interpolated(text: string, context: object): string {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => {
    const value = evaluated(expression, context);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  });
}

/** The part of GitHub's expressions that action.yml uses: paths, texts in single quotes, `==`, `!=` and `&&`. */
function evaluated(expression: string, context: object): unknown {
  const conditions = expression.split('&&').map((condition) => {
    const [left = '', operator, right = ''] = condition.trim().split(/ (==|!=) /);
    if (operator === undefined) return value(left, context);
    const isEqual = (value(left, context) ?? '') === value(right, context);
    return operator === '==' ? isEqual : !isEqual;
  });
  return conditions.length === 1 ? conditions[0] : conditions.every((condition) => condition === true);
}

function value(term: string, context: object): unknown {
  const quoted = /^'(.*)'$/.exec(term.trim());
  if (quoted) return quoted[1];
  return term
    .trim()
    .split('.')
    .reduce<unknown>((of, name) => (of as Readonly<Record<string, unknown>> | undefined)?.[name], context);
}
