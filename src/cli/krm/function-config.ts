import { isJsonObject, member, stringMember } from '../../base/json/json-value.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { POLICY_API_VERSION } from '../../engine/policy/object-names.ts';
import { formatProblem, Reader, type Problem } from '../../engine/policy/reader.ts';
import { parseInstant } from '../../base/text/duration.ts';
import type { ManifestText } from '../input/manifest.ts';

/** The job of a KRM function: `fix` changes the objects, `check` only reports. */
export const KRM_MODES = ['check', 'fix'] as const;
type KrmMode = (typeof KRM_MODES)[number];

/** The kind of our own functionConfig. A ConfigMap with the same fields as texts is accepted too. */
export const FUNCTION_KIND = 'ProbewrightFunction';

export interface FunctionSettings {
  readonly mode: KrmMode;
  readonly advice: boolean;
  readonly strict: boolean;
  readonly namespace: string;
  /** The instant of the verdict, in milliseconds since the epoch. Undefined = the present. */
  readonly now: number | undefined;
  readonly policies: readonly ManifestText[];
}

/**
 * Reads the functionConfig.
 *
 * @throws AggregateError of the problems, each a text with its path below functionConfig
 */
export function readFunctionConfig(config: unknown): FunctionSettings {
  const problems: Problem[] = [];
  const reader = new Reader(config ?? undefined, ['functionConfig'], problems);
  const settings = reader.isAbsent ? DEFAULTS : readKind(reader);
  if (settings === undefined || problems.length > 0) throw new AggregateError(problems.map(formatProblem));
  return settings;
}

const DEFAULTS: FunctionSettings = {
  mode: 'check',
  advice: false,
  strict: false,
  namespace: 'default',
  now: undefined,
  policies: [],
};
const FIELDS = Object.keys(DEFAULTS);

function readKind(reader: Reader): FunctionSettings | undefined {
  const config = reader.anyObject();
  if (config === undefined) return undefined;
  const [apiVersion, kind] = [stringMember(config, 'apiVersion'), stringMember(config, 'kind')];
  if (apiVersion === 'v1' && kind === 'ConfigMap') return readFields(reader.at('data'), flagOfText, policiesOfText);
  if (apiVersion === POLICY_API_VERSION && kind === FUNCTION_KIND)
    return readFields(reader.at('spec'), (field) => field.boolean(), policiesOfList);
  const given = `${quoted(member(config, 'apiVersion'))} ${quoted(member(config, 'kind'))}`;
  return reader.report(`must be a ${POLICY_API_VERSION} ${FUNCTION_KIND} or a v1 ConfigMap, not ${given}`);
}

function readFields(
  fields: Reader,
  flag: (field: Reader) => boolean | undefined,
  policies: (field: Reader) => readonly ManifestText[] | undefined,
): FunctionSettings | undefined {
  if (fields.isAbsent || fields.isNull) return DEFAULTS;
  if (fields.object(FIELDS) === undefined) return undefined;
  const read = <T>(name: keyof FunctionSettings, of: (field: Reader) => T | undefined): T | undefined =>
    fields.at(name).isAbsent ? undefined : of(fields.at(name));
  return {
    mode: read('mode', (field) => field.oneOf(KRM_MODES)) ?? DEFAULTS.mode,
    advice: read('advice', flag) ?? DEFAULTS.advice,
    strict: read('strict', flag) ?? DEFAULTS.strict,
    namespace: read('namespace', (field) => field.string()) ?? DEFAULTS.namespace,
    now: read('now', instantOf),
    policies: read('policies', policies) ?? DEFAULTS.policies,
  };
}

function instantOf(field: Reader): number | undefined {
  const text = field.string();
  if (text === undefined) return undefined;
  return parseInstant(text) ?? field.report('must be an instant such as 2027-01-31T00:00:00Z');
}

function flagOfText(field: Reader): boolean | undefined {
  const word = field.oneOf(['true', 'false']);
  return word === undefined ? undefined : word === 'true';
}

function policiesOfText(field: Reader): readonly ManifestText[] | undefined {
  const text = field.string();
  return text === undefined ? undefined : [{ file: 'functionConfig.data.policies', text }];
}

function policiesOfList(field: Reader): readonly ManifestText[] | undefined {
  return field.list()?.map(({ value }, index) => ({
    file: `functionConfig.spec.policies[${index}]`,
    text: isJsonObject(value) ? JSON.stringify(value) : 'not an object',
  }));
}
