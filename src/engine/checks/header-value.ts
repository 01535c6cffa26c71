import { beginning, quote } from '../../base/text/cut.ts';
import { firstControlCharacter } from '../probe/handler-values.ts';
import { containerPhrase, defineCheck, located, quotedValue, type Advice } from './check.ts';
import type { FieldPath } from '../../base/json/field-path.ts';

/** The API server accepts any value, and Go refuses to send this one (golang.org/x/net/http/httpguts). */
export const headerValue = defineCheck({
  id: 'header-value',
  summary: 'A probe header has a control character, so the probe fails every time.',
  action: 'Deny',
  cannotWork: true,
  handlers: ['httpGet'],
  judgesProbeAlone: true,
  eachProbe: (probe) =>
    probe.handler.headers.flatMap(({ name, value, index }) => {
      const position = firstControlCharacter(value);
      if (position < 0) return [];
      const code = value.charCodeAt(position).toString(16).toUpperCase().padStart(4, '0');
      const place = located(probe, 'httpGet', 'httpHeaders', index, 'value');
      return {
        ...place,
        message:
          `${containerPhrase(probe.container)} sends header ${quotedValue(name)} with the control character U+${code} ` +
          `as character ${position + 1} of ${value.length}, so every probe fails`,
        ...whatToWrite(place.path, value, position),
      };
    }),
});

/** A line break at the end is an accident of YAML. Nobody knows what a control character elsewhere was meant to be. */
function whatToWrite(path: FieldPath, value: string, position: number): Advice {
  const isAtEnd = value.trimEnd().length <= position;
  if (!isAtEnd || position === 0) return { remedy: 'remove the control character' };
  const meant = beginning(value, position);
  const remedy = meant.length > LONGEST_SHOWN ? 'remove the line break at the end' : `write value: ${quote(meant)}`;
  return { remedy: `${remedy} (a YAML block "|" ends with a line break)`, edits: [{ path, value: meant }] };
}

/** A longer value would be cut in the remedy, and a cut value is wrong. */
const LONGEST_SHOWN = 60;
