import { shellInvocationOf, type ExecCommand } from '../probe/exec-invocation.ts';
import { clusterQuestionIn } from './lib/cluster-questions.ts';
import { readShellScript, type ShellCommand } from '../probe/shell-script.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import type { Probe } from '../workload/pod.ts';

/**
 * One missing member would fail the probe of every member. A note for a script that may succeed without the question:
 * many ask the cluster until the first success only. Startup probes end after the start, so they are skipped. No edits:
 * which question the image can answer is not known.
 */
export const clusterProbe = defineCheck({
  id: 'cluster-probe',
  summary: 'A probe asks for the state of a whole cluster.',
  action: 'Warn',
  kinds: ['livenessProbe', 'readinessProbe'],
  readsCommand: true,
  eachProbe: (probe) => {
    const asked = questionOf(probe);
    if (asked === undefined) return undefined;
    const { question, isInBranch } = asked;
    const harm = probe.kind === 'livenessProbe' ? 'restarts every member' : 'makes every member unready';
    return {
      ...located(probe, probe.handler.kind, probe.handler.kind === 'exec' ? 'command' : 'path'),
      message:
        `the ${probe.kind} of ${containerPhrase(probe.container)} asks for the state of the whole cluster ` +
        `(${question.product})${isInBranch ? ' in a branch of its script, where' : ', so'} ${question.fails} ${harm}`,
      remedy: question.local,
      ...(isInBranch && { level: 'Audit' }),
    };
  },
});

/** A question, and whether the probe may also succeed without it. */
interface Asked {
  readonly question: NonNullable<ReturnType<typeof clusterQuestionIn>>;
  readonly isInBranch: boolean;
}

function questionOf({ handler, command }: Probe): Asked | undefined {
  if (handler.kind !== 'httpGet') return command.once(questionInWords);
  const question = handler.path === undefined ? undefined : clusterQuestionIn(handler.path);
  return question && { question, isInBranch: false };
}

const questionInWords = ({ argv }: ExecCommand): Asked | undefined => {
  const question = clusterQuestionIn(argv.map((word) => ` ${word}`).join(''));
  const scriptAt = question && shellInvocationOf(argv)?.scriptAt;
  const script = scriptAt === undefined ? undefined : argv[scriptAt];
  const asks = (text: string): boolean => question?.pattern.test(text) === true;
  const commands = script === undefined ? undefined : readShellScript(script)?.commands;
  const ends = commands === undefined ? NONE : new Paths(commands, asks).list();
  return question && { question, isInBranch: ends.has('ok') || ends.has('exit-ok') };
};

/** How a script may go on behind a part of it, on paths that do not ask: with a status, or at its end. */
type End = 'ok' | 'fail' | 'exit-ok' | 'exit-fail';
type Ends = ReadonlySet<End>;

const NONE: Ends = new Set();
const OK: Ends = new Set<End>(['ok']);
const ANY: Ends = new Set<End>(['ok', 'fail']);

/** A keyword or an operator, or the text of a command. */
type Token = Readonly<{ sign: string } | { text: string }>;

const SIGNS = new Set('if then elif else fi case esac { }'.split(' '));
/** A loop is read as if its commands ran once, and `!` as if both results were possible. */
const SKIPPED = new Set('while until for do done ! time'.split(' '));

function tokensOf({ words, operator }: ShellCommand): Token[] {
  const first = words.findIndex(({ text, isQuoted }) => isQuoted || !(SIGNS.has(text) || SKIPPED.has(text)));
  const command = first < 0 ? [] : words.slice(first).map(({ text }) => text);
  const signs = words.slice(0, words.length - command.length).filter(({ text }) => SIGNS.has(text));
  return [
    ...signs.map(({ text }) => ({ sign: text })),
    ...(command.length > 0 ? [{ text: command.join(' ') }] : []),
    ...(operator === '' ? [] : [{ sign: operator }]),
  ];
}

/** Follows a script as far as paths need it (POSIX, Shell Command Language, section 2.10). */
class Paths {
  readonly #functions = new Map<string, Ends>();
  readonly #tokens: readonly Token[];
  readonly #asks: (command: string) => boolean;
  #at = 0;

  constructor(commands: readonly ShellCommand[], asks: (command: string) => boolean) {
    this.#tokens = commands.flatMap(tokensOf);
    this.#asks = asks;
  }

  #isAt(...signs: readonly string[]): boolean {
    const token = this.#tokens[this.#at];
    return token !== undefined && 'sign' in token && signs.includes(token.sign);
  }

  #takes(...signs: readonly string[]): boolean {
    const isTaken = this.#isAt(...signs);
    if (isTaken) this.#at += 1;
    return isTaken;
  }

  /** The commands up to one of these signs, which stays. */
  list(...until: readonly string[]): Ends {
    let ends = OK;
    while (this.#at < this.#tokens.length && !this.#isAt(...until)) {
      const before = this.#at;
      if (this.#takes(';', '\n', '&')) continue;
      ends = after(ends, ANY, this.#chain());
      // A sign out of its place.
      if (this.#at === before) this.#at += 1;
    }
    return ends;
  }

  #chain(): Ends {
    let ends = this.#pipeline();
    for (;;) {
      const status = this.#takes('&&') ? 'ok' : this.#takes('||') ? 'fail' : undefined;
      if (status === undefined) return ends;
      while (this.#takes('\n'));
      ends = after(ends, new Set([status]), this.#pipeline());
    }
  }

  #pipeline(): Ends {
    let ends = this.#command();
    while (this.#takes('|', '|&')) ends = [ends, this.#command()].some(({ size }) => size === 0) ? NONE : ANY;
    return ends;
  }

  #command(): Ends {
    if (this.#takes('if')) return this.#condition();
    if (this.#takes('case')) return this.#choice();
    if (this.#takes('{', '(')) return this.#until('}', ')');
    const token = this.#tokens[this.#at];
    if (token === undefined || 'sign' in token) return OK;
    this.#at += 1;
    const [name = '', status = ''] = token.text.split(' ');
    if (this.#takes('(')) {
      this.#takes(')');
      while (this.#takes('\n'));
      this.#functions.set(name, new Set([...this.#command()].map((end) => end.replace('exit-', '') as End)));
      return OK;
    }
    if (this.#asks(token.text)) return NONE;
    if (name !== 'exit' && name !== 'return') return this.#functions.get(name) ?? ANY;
    return new Set<End>(/^[1-9]/.test(status) ? ['exit-fail'] : ['exit-ok']);
  }

  #until(...signs: readonly string[]): Ends {
    const ends = this.list(...signs);
    this.#takes(...signs);
    return ends;
  }

  /** Behind `if` or `elif`, up to `fi`. */
  #condition(): Ends {
    const asked = this.#until('then');
    const yes = this.list('elif', 'else', 'fi');
    const no = this.#takes('elif') ? this.#condition() : this.#takes('else') ? this.#until('fi') : OK;
    this.#takes('fi');
    return asked.size === 0 ? NONE : new Set([...after(asked, ANY, yes), ...no]);
  }

  #choice(): Ends {
    const ends = new Set<End>();
    let pattern = '';
    let takesAll = false;
    while (this.#at < this.#tokens.length && !this.#takes('esac')) {
      const token = this.#tokens[this.#at++];
      if (token !== undefined && 'text' in token) pattern = token.text;
      if (token === undefined || !('sign' in token) || token.sign !== ')') continue;
      takesAll ||= /(?:^| )\*$/.test(pattern);
      for (const end of this.list(';;', ';&', ';;&', 'esac')) ends.add(end);
    }
    return takesAll ? ends : new Set([...ends, 'ok']);
  }
}

/** The ends of two parts, the second of which runs behind these ends of the first. */
function after(first: Ends, goesOn: Ends, second: Ends): Ends {
  const left = [...first].filter((end) => !goesOn.has(end));
  return left.length === first.size ? first : new Set([...left, ...second]);
}
