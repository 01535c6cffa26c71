import { quoted } from '../../base/json/quoted-value.ts';
import { parseInstant } from '../../base/text/duration.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import { EXCEPTION_BOUNDS } from './bounds.ts';
import { EXCEPTION_SETTINGS, EXCEPTION_SPEC } from './exception-schema.ts';
import { EXCEPTION_KIND, type ExceptionSettings, type ExceptionSpec, type ProbeException } from './probe-exception.ts';
import { readApiVersion, readMember, readObject, readObjectName } from './read-field.ts';
import { Reader, type Problem } from './reader.ts';
import type { CheckCatalogue } from './check-parameters.ts';
import type { Field } from './field.ts';

export type ExceptionParse =
  { readonly exception: ProbeException; readonly problems?: undefined } | { readonly problems: readonly Problem[] };

/** Reads a ProbeException from a file or a custom resource. Unknown keys are problems; all have their paths. */
export function parseProbeException(catalogue: CheckCatalogue, document: unknown): ExceptionParse {
  const problems: Problem[] = [];
  const exception = readException(catalogue, new Reader(document, [], problems));
  return exception === undefined || problems.length > 0 ? { problems } : { exception };
}

function readException(catalogue: CheckCatalogue, reader: Reader): ProbeException | undefined {
  if (reader.object(['apiVersion', 'kind', 'metadata', 'spec', 'status']) === undefined) return undefined;
  readApiVersion(reader.at('apiVersion'));
  reader.at('kind').oneOf([EXCEPTION_KIND]);
  const metadata = reader.at('metadata');
  const name = readMetadata(metadata);
  const spec = reader.at('spec');
  if (!spec.isGiven) return spec.report('must be given');
  const own = {
    checks: (place: Reader) => readCheckIds(catalogue, place),
    expires: readInstant,
  };
  const read = readObject(EXCEPTION_SPEC, spec, own);
  if (name === undefined || read === undefined) return undefined;
  const at = metadata.at('creationTimestamp').value;
  const created = typeof at === 'string' ? parseInstant(at) : undefined;
  // A required field without a value is a problem, and then nobody uses the exception.
  const { expires, ...rest } = read as ExceptionSpec & { readonly expires: number };
  const text = JSON.stringify(rest);
  return { name, expires, created, text, state: undefined, isLimited: false, lastMatched: undefined };
}

function readMetadata(metadata: Reader): string | undefined {
  if (metadata.anyObject() === undefined) return undefined;
  readObjectName(metadata.at('namespace'));
  return readObjectName(metadata.at('name'));
}

function readInstant(place: Reader, field: Field): number | undefined {
  const text = readMember(field, place, 'absent');
  return typeof text === 'string' ? parseInstant(text) : undefined;
}

/** Reads a list of check ids, without wildcards. */
function readCheckIds(catalogue: CheckCatalogue, reader: Reader): readonly string[] | undefined {
  if (!reader.isGiven) return reader.report('must be given: a list of check ids');
  const ids = Object.keys(catalogue);
  return reader.names('check', EXCEPTION_BOUNDS.checks, undefined, (id) => {
    if (Object.hasOwn(catalogue, id)) return undefined;
    if (id.includes('*')) return `${quoted(id)}: an exception names each check; there is no wildcard`;
    return `unknown check ${quoted(id)}${didYouMean(id, ids) || '; docs/checks.md lists the checks'}`;
  });
}

/** Reads `spec.exceptions` of a ClusterProbePolicy. */
export function readExceptionSettings(catalogue: CheckCatalogue, reader: Reader): ExceptionSettings | undefined {
  if (!reader.isGiven) return undefined;
  const checks = (place: Reader): readonly string[] | null | undefined => {
    if (!place.isGiven) return place.isNull ? null : undefined;
    // No check at all is a rule too.
    return Array.isArray(place.value) && place.value.length === 0 ? [] : readCheckIds(catalogue, place);
  };
  return readObject(EXCEPTION_SETTINGS, reader, { checks }) as ExceptionSettings | undefined;
}
