import { beginning } from '../text/cut.ts';
import { firstControlCharacter } from '../probes/header-value.ts';
import { isJsonObject, member, stringMember } from '../json/json-value.ts';
import { defineCheck, MOST_PROBE_FINDINGS } from './check.ts';
import { containerPhrase, quotedValue } from './wording.ts';
import { quote } from '../text/quote.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Field: `<probe>.httpGet.httpHeaders[*].value`.
 *
 * Rule: the value has no control character except the tab. The API server accepts any value. Go's HTTP client refuses
 * to send such a value (golang.org/x/net/http/httpguts, ValidHeaderFieldValue), so every probe fails.
 */
export const headerValue = defineCheck({
  id: 'header-value',
  summary: 'A probe header has a control character, so the probe fails every time.',
  action: 'Deny',
  cannotWork: true,
  handlers: ['httpGet'],
  judgesProbeAlone: true,
  run: (_workload, container) => container.probes.flatMap((probe) => findingsOf(container, probe)),
});

function findingsOf(container: CheckedContainer, probe: CheckedProbe): Finding[] {
  const headers = probe.handlerKind === 'httpGet' ? member(probe.handler, 'httpHeaders') : undefined;
  if (!Array.isArray(headers)) return [];
  const findings: Finding[] = [];
  for (const [index, header] of (headers as unknown[]).entries()) {
    if (findings.length === MOST_PROBE_FINDINGS) break;
    const value = isJsonObject(header) ? stringMember(header, 'value') : undefined;
    const position = value === undefined ? -1 : firstControlCharacter(value);
    if (!isJsonObject(header) || value === undefined || position < 0) continue;
    findings.push({
      probe: probe.kind,
      path: probe.place.path('httpGet', 'httpHeaders', index, 'value'),
      message: problem(container, header, value, position),
      ...whatToWrite(probe, index, value, position),
    });
  }
  return findings;
}

function problem(container: CheckedContainer, header: JsonObject, value: string, position: number): string {
  const name = stringMember(header, 'name') ?? '';
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
