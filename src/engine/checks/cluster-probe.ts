import { parsedScript, type ExecCommand } from '../probe/exec-invocation.ts';
import { clusterQuestionIn } from './lib/cluster-questions.ts';
import { DEEPEST_GROUP } from '../probe/shell-status.ts';
import { programWords, type ShellCommand, type ShellScript } from '../probe/shell-script.ts';
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

/** The question, and whether the probe may also succeed without it. */
function questionOf({ handler, command }: Probe): ReturnType<typeof questionInWords> {
  if (handler.kind !== 'httpGet') return command.once(questionInWords);
  const question = handler.path === undefined ? undefined : clusterQuestionIn(handler.path);
  return question && { question, isInBranch: false };
}

const questionInWords = (command: ExecCommand) => {
  const question = clusterQuestionIn(command.argv.map((word) => ` ${word}`).join(''));
  const script = question && parsedScript(command);
  const asks = ({ words }: ShellCommand): boolean =>
    question?.pattern.test(words.map(({ text }) => text).join(' ')) === true;
  return question && { question, isInBranch: script !== undefined && !alwaysRuns(script, asks) };
};

/**
 * True for a command that runs whenever the script succeeds. False for one in a branch, behind `||` or in a loop that
 * may not run. A loop over a list is read as if it ran once.
 */
export function alwaysRuns({ commands }: ShellScript, isMeant: (command: ShellCommand) => boolean): boolean {
  const ends = new Paths(commands, isMeant).list();
  return !ends.has('ok') && !ends.has('exit-ok');
}

/** How a script may go on behind a part of it, on paths that do not ask: with a status, or at its end. */
type End = 'ok' | 'fail' | 'exit-ok' | 'exit-fail';
type Ends = ReadonlySet<End>;

const NONE: Ends = new Set();
const OK: Ends = new Set<End>(['ok']);
const ANY: Ends = new Set<End>(['ok', 'fail']);

/** A keyword or an operator, or the words of a command. */
type Token = Readonly<{ sign: string } | { texts: readonly string[]; command: ShellCommand }>;

const SIGNS = new Set('if then elif else fi case esac for while until do done { }'.split(' '));
/** Words in front of a command. `!` is read as if both results were possible. */
const SKIPPED = new Set('! time command'.split(' '));

function tokensOf(command: ShellCommand): Token[] {
  const { words, operator } = command;
  const start = startOf(command);
  const signs = words.slice(0, start).filter(({ text }) => SIGNS.has(text));
  const texts = words.slice(start).map(({ text }) => text);
  return [
    ...signs.map(({ text }) => ({ sign: text })),
    ...(texts.length > 0 ? [{ texts, command }] : []),
    ...(operator === '' ? [] : [{ sign: operator }]),
  ];
}

function startOf({ words }: ShellCommand): number {
  const at = words.findIndex(({ text, isQuoted }) => isQuoted || !(SIGNS.has(text) || SKIPPED.has(text)));
  return at < 0 ? words.length : at;
}

/** The program of a command with its words, behind keywords and assignments. */
export function programOf(command: ShellCommand): readonly string[] {
  return programWords(command.words.slice(startOf(command))).map(({ text }) => text);
}

/** Follows a script as far as paths need it (POSIX, Shell Command Language, section 2.10). */
class Paths {
  readonly #functions = new Map<string, Ends>();
  readonly #tokens: readonly Token[];
  readonly #isMeant: (command: ShellCommand) => boolean;
  #at = 0;
  #depth = 0;

  constructor(commands: readonly ShellCommand[], isMeant: (command: ShellCommand) => boolean) {
    this.#tokens = commands.flatMap(tokensOf);
    this.#isMeant = isMeant;
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
      const next = this.#chain();
      ends = after(ends, ANY, this.#isAt('&') ? OK : next);
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

  /** A script with too many levels is not read to its end: nobody knows what runs there. */
  #command(): Ends {
    if (this.#depth > DEEPEST_GROUP) {
      this.#at = this.#tokens.length;
      return ANY;
    }
    this.#depth += 1;
    const ends = this.#part();
    this.#depth -= 1;
    return ends;
  }

  #part(): Ends {
    if (this.#takes('if')) return this.#condition();
    if (this.#takes('case')) return this.#choice();
    if (this.#takes('while', 'until')) return this.#loop();
    if (this.#takes('{', '(')) return this.#until('}', ')');
    if (this.#takes('for')) {
      this.#until('do');
      return this.#until('done');
    }
    const token = this.#tokens[this.#at];
    if (token === undefined || 'sign' in token) return OK;
    this.#at += 1;
    const [name = '', status = ''] = token.texts;
    if (this.#takes('(')) {
      this.#takes(')');
      while (this.#takes('\n'));
      this.#functions.set(name, new Set([...this.#command()].map((end) => end.replace('exit-', '') as End)));
      return OK;
    }
    if (this.#isMeant(token.command)) return NONE;
    if (name === 'exec' && status !== '') return new Set<End>(['exit-ok', 'exit-fail']);
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

  /** Behind `while` or `until`. The commands behind `do` may not run, unless the loop has no end. */
  #loop(): Ends {
    const first = this.#tokens[this.#at];
    const isEndless = first !== undefined && 'texts' in first && /^(?:true|:)$/.test(first.texts.join(' '));
    const asked = this.#until('do');
    const inside = this.#until('done');
    return after(asked, ANY, isEndless ? inside : new Set([...inside, ...OK]));
  }

  #choice(): Ends {
    const ends = new Set<End>();
    let pattern = '';
    let takesAll = false;
    while (this.#at < this.#tokens.length && !this.#takes('esac')) {
      const token = this.#tokens[this.#at++];
      if (token !== undefined && 'texts' in token) pattern = token.texts.at(-1) ?? '';
      if (token === undefined || !('sign' in token) || token.sign !== ')') continue;
      takesAll ||= pattern === '*';
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
