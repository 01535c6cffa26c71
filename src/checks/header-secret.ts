import { isJsonObject, member, stringMember } from '../json/json-value.ts';
import { quote } from '../text/quote.ts';
import { defineCheck, MOST_PROBE_FINDINGS } from './check.ts';
import { containerPhrase } from './wording.ts';
import type { CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/** The headers of HTTP that carry credentials (RFC 9110, sections 11.6.2 and 11.7.2), in lower case. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization']);

/**
 * Fields: `<probe>.httpGet.httpHeaders[*].name` and `.value`.
 *
 * Rule: no header for credentials has a value. The kubelet sends the value as written (pkg/probe/http/request.go), so
 * the credentials stand in the Pod's spec, and a Secret cannot hold them.
 */
export const headerSecret = defineCheck({
  id: 'header-secret',
  summary: 'A probe header holds credentials, which everyone who may read the Pod sees.',
  action: 'Audit',
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
    const name = isJsonObject(header) ? stringMember(header, 'name') : undefined;
    const value = isJsonObject(header) ? stringMember(header, 'value') : undefined;
    if (name === undefined || !CREDENTIALS.has(name.toLowerCase()) || (value ?? '').trim() === '') continue;
    findings.push({
      probe: probe.kind,
      path: probe.place.path('httpGet', 'httpHeaders', index, 'value'),
      message:
        `${containerPhrase(container)} has the credentials of the header ${quote(name)} in its ${probe.kind}, ` +
        'where everyone who may read the Pod sees them',
      remedy:
        'let the endpoint answer without credentials, or write an exec probe that reads them from an environment ' +
        'variable of a Secret',
    });
  }
  return findings;
}
