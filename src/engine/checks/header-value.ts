import { beginning, quote } from '../../base/text/cut.ts';
import { firstControlCharacter } from '../probe/handler-values.ts';
import {
  containerPhrase,
  defineCheck,
  eachHeader,
  located,
  quotedValue,
  type CheckedHeader,
  type Finding,
} from './check.ts';
import type { CheckedContainer, CheckedProbe } from './checked-workload.ts';

/** The API server accepts any value, and Go refuses to send this one (golang.org/x/net/http/httpguts). */
export const headerValue = defineCheck({
  id: 'header-value',
  summary: 'A probe header has a control character, so the probe fails every time.',
  action: 'Deny',
  cannotWork: true,
  handlers: ['httpGet'],
  judgesProbeAlone: true,
  run: (container) => eachHeader(container, (probe, header) => violationOf(probe, header)),
});

function violationOf(probe: CheckedProbe, header: CheckedHeader): Finding | undefined {
  const { value, index } = header;
  const position = firstControlCharacter(value);
  if (position < 0) return undefined;
  return {
    ...located(probe, 'httpGet', 'httpHeaders', index, 'value'),
    message: problem(probe.container, header, position),
    ...whatToWrite(probe, index, value, position),
  };
}

function problem(container: CheckedContainer, { name, value }: CheckedHeader, position: number): string {
  const code = value.charCodeAt(position).toString(16).toUpperCase().padStart(4, '0');
  return (
    `${containerPhrase(container)} sends header ${quotedValue(name)} with the control character U+${code} ` +
    `as character ${position + 1} of ${value.length}, so every probe fails`
  );
}

/** A line break at the end is an accident of YAML. Nobody knows what a control character elsewhere was meant to be. */
function whatToWrite(
  probe: CheckedProbe,
  index: number,
  value: string,
  position: number,
): Pick<Finding, 'remedy' | 'edits'> {
  const isAtEnd = value.trimEnd().length <= position;
  if (!isAtEnd || position === 0) return { remedy: 'remove the control character' };
  const meant = beginning(value, position);
  const path = probe.place.path('httpGet', 'httpHeaders', index, 'value');
  return {
    remedy:
      meant.length > LONGEST_SHOWN
        ? 'remove the line break at the end (a YAML block "|" ends with a line break)'
        : `write value: ${quote(meant)} (a YAML block "|" ends with a line break)`,
    edits: [{ path, value: meant }],
  };
}

/** A longer value would be cut in the remedy, and a cut value is wrong. */
const LONGEST_SHOWN = 60;
