import { WGET, type ClientOptions } from './clients.ts';
import { optionsOf } from './words.ts';

/** True when a program only asks, with these words behind it. */
export type Rule = (words: readonly string[]) => boolean;

/** Asks unless a word has this form. */
export const unless =
  (pattern: RegExp): Rule =>
  (words) =>
    !words.some((word) => pattern.test(word));

/** Asks with these words beside the options. Another option's value counts as a word, so the command is unknown. */
export const asksFor =
  (question: RegExp, valued?: RegExp): Rule =>
  (words) =>
    question.test(words.filter((word, at) => !word.startsWith('-') && !valued?.test(words[at - 1] ?? '')).join(' '));

const TERMINALS = /^(?:-|nul|\/dev\/(?:null|stdout|stderr|tty|console|fd\/\d+)|\/proc\/(?:\d+|self|\$\$)\/fd\/\d+)$/i;

/** True for a target that keeps nothing: the terminal, the log of the container, a connection of bash. */
export const keepsNothing = (target: string): boolean => TERMINALS.test(target) || /^\/dev\/(?:tcp|udp)\//.test(target);

/** Verbs in the names of files and in the paths of URLs, lower case. */
const ACTION =
  /(?<![a-z])(?:re(?:start|set|load|move|new|pair|store|fresh|cover)|kill|stop|shutdown|quit\w*|exit|delete|drop|clean\w*|clear|purge|flush\w*|drain|fix|heal|set|write|update|mark|touch|un?register|promote|start|send|cron|trigger)(?![a-z])/;
/** The names of checks: `*health*`, `*live*`, `*ready*`, `*check*`, `*ping*`, `*status*`. `deliver` is none. */
const CHECK = /health|(?<!de|o)live|(?<!al)ready|readiness|check(?!out|point)|(?<![aeil-pruy])ping|status/i;

const actionIn = (name: string): string | undefined =>
  ACTION.exec(name.replace(/([a-z])(?=[A-Z])/g, '$1-').toLowerCase())?.[0];

/** True for an option that is a verb: `--restart`, and not `--restart-limit=3`. */
export const isAction = (word: string): boolean => actionIn(word) === word.replace(/^--?/, '').toLowerCase();

/** True for a file whose name says that it checks: `/scripts/healthcheck.sh`. */
export function isCheck(path: string): boolean {
  const name = /^(?:\S*[/\\])?([\w.-]+)$/.exec(path)?.[1] ?? '';
  return CHECK.test(name) && actionIn(name) === undefined;
}

/** Returns the segment of a URL or a path that names an action: `/actuator/restart`. `/health/start` asks. */
export function actionOfUrl(url: string): string | undefined {
  const path = /^(?:[a-z]+:\/\/)?[^/?#\s]*([^?#\s]*)/i.exec(url)?.[1] ?? '';
  const segments = path.split('/');
  if (CHECK.test(segments.at(-1) ?? '')) return undefined;
  const isBelowCheck = segments.at(-1) === 'start' && segments.some((segment) => CHECK.test(segment));
  return isBelowCheck ? undefined : segments.find((segment) => actionIn(segment) !== undefined);
}

/** An HTTP client asks with options that neither send nor save. Options in a file are unknown. */
export const requests =
  ({ letters, plain, request }: ClientOptions): Rule =>
  (words) =>
    optionsOf(words, letters).every(({ name, value }) => {
      if (name === undefined || name === '--url') return actionOfUrl(value) === undefined;
      if (/^(?:-X|--request|--method)$/.test(name)) return /^(?:GET|HEAD|OPTIONS)$/i.test(value);
      if (/^(?:-[oO]|--output(?:-document)?)$/.test(name)) return keepsNothing(value);
      return plain.test(name) || request.test(name);
    });

/** wget saves the answer unless it is told where to write it. */
export const wget: Rule = (words) =>
  requests(WGET)(words) && words.some((word) => /^(?:-\w*O|--(?:spider|output-document))/.test(word));

const SQL_QUESTION =
  /^(?:-[ceq]|--\w+=)?\s*(?:select|show)\s(?:[^;()\\]|\b(?:pg_is_in_recovery|now|version|count)\(\*?\)){1,200};?\s?$/i;
const SQL_OTHER = /\s|^-[tAqXwW1]*[foL]|^--(?:file|output|log|init|tee)/;
const SQL_OPTION = /^(?:-\w{0,6}[ceq]|--(?:command|execute|query))$/;

/** An SQL client asks when each of its texts is one SELECT or SHOW without unknown functions. */
export const sql: Rule = (words) => {
  const isQuestion = (word: string): boolean => SQL_QUESTION.test(word) && !/\b(?:into|update)\b/i.test(word);
  const isKnown = (word: string, at: number): boolean =>
    isQuestion(word) || !(SQL_OTHER.test(word) || SQL_OPTION.test(words[at - 1] ?? ''));
  return words.some(isQuestion) && words.every(isKnown);
};

const MONGO_OTHER =
  /\b(?!(?:db|rs|adminCommand|runCommand|getSiblingDB|ping|hello|isMaster|status|serverStatus|stats|ok|print|quit|admin|test)\b)[A-Za-z_]\w*/;

/** The mongo shell asks with code that has only words of questions, such as `db.adminCommand('ping').ok`. */
export const mongo: Rule = (words) => {
  const code = words.flatMap((word, at) => (words[at - 1] === '--eval' ? [word] : word.split(/^--eval=/).slice(1)));
  return (
    code.length > 0 && !code.some((text) => MONGO_OTHER.test(text)) && unless(/\.(?:js|mongodb)$|^-f|^--file/)(words)
  );
};

/** The commands `w` and `e` of sed write a file and run a command. */
export const SED_ACTS = /^-[nErsuz]*[if]|^--(?:in-place|file)|(?:^|[;{}!$/\n\dgpI])\s{0,9}(?:[wW]\s*\S|e(?:\s|;|$))/;
export const AWK_ACTS = /system|\||getline|^-[if]|print[^;}\n]{0,200}>/;
export const BROKER = /^(?:ping|status|cluster_status|node_health_check|version|(?:check|is|list|await)_\w+)(?: |$)/;
