import { execArgv } from '../../probe/exec-argv.ts';
import { commandActs } from '../../probe/exec-effects.ts';
import { quote } from '../../../base/text/quote.ts';
import type { CheckedContainer, Finding } from '../check.ts';
import type { CheckedProbe } from '../checked-probe.ts';

/** Longest part of a command in a remedy, with its quotes. */
const MOST_COMMAND_CHARACTERS = 60;

/**
 * Returns a finding without edits that would make a command with side effects run earlier: in a new startup probe, or
 * without its delay. A liveness script with `rm -rf` behind a delay of 600 s lost data at second 0 (issue 30, D5).
 */
export function withoutEarlierCommand(container: CheckedContainer, finding: Finding): Finding {
  const { copied, edits } = finding;
  if (copied === undefined && edits === undefined) return finding;
  for (const probe of container.probes) {
    if (probe.handlerKind !== 'exec') continue;
    const isCopied = copied?.probe === probe.kind;
    if (!isCopied && !removesDelay(finding, probe)) continue;
    const argv = execArgv(probe.handler);
    const effect = argv && commandActs(argv);
    if (effect === undefined) continue;
    const why = `the command of the ${probe.kind} has side effects (${quote(effect, MOST_COMMAND_CHARACTERS)})`;
    const remedy = isCopied
      ? `write a startupProbe with a command that only asks, and keep the ${probe.kind} as it is: ${why}`
      : `keep initialDelaySeconds: ${why}`;
    const safe: { -readonly [Key in keyof Finding]: Finding[Key] } = { ...finding, remedy };
    delete safe.edits;
    return safe;
  }
  return finding;
}

/** True when an edit of the finding takes the probe's delay away, or makes the delay shorter. */
function removesDelay({ edits = [] }: Finding, { place, timing }: CheckedProbe): boolean {
  const path = JSON.stringify(place.path('initialDelaySeconds'));
  const delay = timing?.initialDelaySeconds ?? 0;
  return edits.some(
    ({ path: edited, value }) => JSON.stringify(edited) === path && !(typeof value === 'number' && value >= delay),
  );
}
