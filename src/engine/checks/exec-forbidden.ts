import { PROBE_KINDS } from '../probe/probe.ts';
import { containerPhrase, defineCheck, firstListed, located, unreadCommand, type Finding } from './check.ts';
import { quote } from '../../base/text/cut.ts';

/** Most characters of a forbidden name in a message, with its quotes. */
const MOST_NAME_CHARACTERS = 24;

const MOST_LISTED = 10;

/**
 * A name matches a whole word, or the last segment of a path. Kyverno's deny-commands-in-exec-probe matches the letters
 * anywhere.
 */
export const execForbidden = defineCheck({
  id: 'exec-forbidden',
  summary: 'A probe command uses a forbidden program.',
  action: 'Off',
  handlers: ['exec'],
  judgesProbeAlone: true,
  parameters: {
    names: {
      type: 'strings',
      count: { maximum: 256, unit: 'names', at: 'checks.exec-forbidden.names' },
      length: { maximum: 253, unit: 'characters', at: 'checks.exec-forbidden.names[]' },
      default: new Set(['jcmd', 'ps', 'ls']),
      text: 'Programs that a probe must not run, by name or as a word in a shell line. Default [jcmd, ps, ls].',
    },
    probes: {
      type: 'choices',
      choices: PROBE_KINDS,
      default: PROBE_KINDS,
      text: 'The probes that are looked at. Default: all three.',
    },
  },
  eachProbe: (probe, { names, probes }) => {
    if (!probes.includes(probe.kind)) return undefined;
    const byNames = probe.command.once(newAnswers);
    const inWords = byNames.get(names) ?? probe.command.argv.map((word) => forbiddenIn(word, names));
    byNames.set(names, inWords);
    const found = inWords.flatMap((forbidden, index): Finding[] => {
      if (forbidden.length === 0) return [];
      const listed = firstListed(forbidden.map((name) => quote(name, MOST_NAME_CHARACTERS)));
      return [
        {
          ...located(probe, 'exec', 'command', index),
          message: `${containerPhrase(probe.container)} runs ${listed} in its ${probe.kind}, which a policy forbids`,
          remedy: 'use an httpGet, tcpSocket or grpc handler, or another command',
        },
      ];
    });
    return probe.command.isWhole ? found : [unreadCommand(probe), ...found];
  },
});

/** The forbidden names in each word of a command, by the list of names. */
const newAnswers = (): Map<ReadonlySet<string>, readonly (readonly string[])[]> => new Map();

/** Blanks, operators, quotes and braces separate words in a shell. */
const SEPARATORS = /[ \t\n\r\v\f;|&()<>`$"'{}]/;

/** Returns the forbidden names among the words of an argument. Each word is compared by its last path segment. */
function forbiddenIn(argument: string, names: ReadonlySet<string>): string[] {
  const words = argument.split(SEPARATORS).map((word) => word.slice(word.lastIndexOf('/') + 1));
  return [...new Set(words.filter((word) => word !== '' && names.has(word)))].slice(0, MOST_LISTED);
}
