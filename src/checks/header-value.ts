import { beginning } from '../text/cut.ts';
import { firstControlCharacter } from '../probes/header-value.ts';
import { isJsonObject, member, stringMember } from '../json/json-value.ts';
import { defineCheck, MOST_PROBE_FINDINGS } from './check.ts';
import { containerPhrase } from './wording.ts';
import { quote } from '../text/quote.ts';
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
    const path = probe.place.path('httpGet', 'httpHeaders', index, 'value');
    findings.push({ probe: probe.kind, path, message: sentence(container, header, value, position) });
  }
  return findings;
}

function sentence(container: CheckedContainer, header: object, value: string, position: number): string {
  const name = isJsonObject(header) ? (stringMember(header, 'name') ?? '') : '';
  const code = value.charCodeAt(position).toString(16).toUpperCase().padStart(4, '0');
  const atEnd = value.trimEnd().length <= position;
  return (
    `${containerPhrase(container)} sends header ${quote(name)} with the control character U+${code} ` +
    `as character ${position + 1} of ${value.length}, and every probe fails; ` +
    (atEnd
      ? `write value: ${quote(beginning(value, position))} (a YAML block "|" ends in a line break)`
      : 'take it out')
  );
}
