import { isJsonObject, member, stringMember, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { unaskedSelectors } from '../input/unasked-selectors.ts';
import { worldOf, type World } from '../input/world.ts';
import { STDIN_NAME } from '../input/standard-input.ts';
import { jsonText } from '../../base/text/visible.ts';
import { KNOWN_KINDS } from '../../engine/workload/kinds.ts';
import { YamlFieldEditor } from '../../yaml/editing/field-editing.ts';
import { parseYamlDocuments } from '../../yaml/reading/documents.ts';
import { checkManifests } from '../check/check-manifests.ts';
import { withoutRepeatsByObject, type PlacedViolation } from '../check/report.ts';
import { SHOWN_BY_DEFAULT } from '../fix/advice.ts';
import { fixFile } from '../fix/fix-file.ts';
import { EXIT_DENIED, EXIT_OK, EXIT_USAGE, PROGRAM, printLine, type CommandIo } from '../io.ts';
import { reportProblems } from '../output/messages.ts';
import { readFunctionConfig, type FunctionSettings } from './function-config.ts';
import { partsOf } from '../check/finding-parts.ts';
import { namespaceOf, workloadsIn } from '../input/manifest.ts';
import type { ParsedText } from '../input/manifests.ts';
import { POLICY_API_VERSION } from '../../engine/policy/object-names.ts';
import { LEVELS_OF } from '../../engine/verdict/levels.ts';

/** `probewright krm-function`: a ResourceList in, a ResourceList out, as kustomize and kpt run functions. */
export async function runKrmFunction(_line: unknown, io: CommandIo): Promise<number> {
  const text = await io.readStdin();
  try {
    return runFunction(text, io);
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    for (const problem of error.errors as readonly string[])
      printLine(io.stderr, `${PROGRAM} krm-function: ${problem}`);
    return EXIT_USAGE;
  }
}

function runFunction(text: string, io: CommandIo): number {
  const list = readList(text);
  const settings = readFunctionConfig(member(list, 'functionConfig'));
  const { namespace, policies, now = io.now() } = settings;
  const { manifests, world } = worldOf(
    { texts: [{ file: STDIN_NAME, text }], problems: [] },
    { texts: policies, problems: [] },
    { kinds: KNOWN_KINDS, namespace, now },
  );
  // Without one of the policies, another verdict would be given than the webhook gives.
  if (manifests.problems.length > 0) {
    reportProblems(manifests.problems, io);
    return EXIT_USAGE;
  }
  const [source = { file: STDIN_NAME, text, manifests: [], problems: [] }] = manifests.texts;
  const isFix = settings.mode === 'fix';
  const done = isFix ? fixed(source, world, settings) : checked(source, world, list, settings);
  io.stdout.write(withResults(done.text, list, done.results));
  if (!done.fails) return EXIT_OK;
  for (const { message, resourceRef, severity } of done.results)
    printLine(io.stderr, `${severity}: ${objectOf(resourceRef)}: ${message}`);
  return EXIT_DENIED;
}

function readList(text: string): JsonObject {
  const { documents, problems } = parseYamlDocuments(STDIN_NAME, text);
  const [problem] = problems;
  if (problem !== undefined) throw new AggregateError([`line ${problem.line}: ${problem.message}`]);
  const values = documents.map(({ value }) => value).filter((value) => value !== null);
  const [list] = values;
  if (values.length !== 1 || !isJsonObject(list))
    throw new AggregateError([`standard input must be one ResourceList, not ${values.length} documents`]);
  const [apiVersion, kind] = [stringMember(list, 'apiVersion') ?? '', member(list, 'kind')];
  if (kind === 'ResourceList' && apiVersion.startsWith('config.kubernetes.io/')) return list;
  throw new AggregateError([`standard input must be a ResourceList of config.kubernetes.io, not ${quoted(kind)}`]);
}

function fixed(source: ParsedText, world: World, { advice }: FunctionSettings) {
  const { after, remarks, problems } = fixFile(source, world, advice ? SHOWN_BY_DEFAULT : undefined);
  if (problems.length > 0) throw new AggregateError(problems.map(({ message }) => message));
  // Without the labels of a namespace, the function adds nothing, and its user sees no reason.
  const notes = unaskedSelectors(workloadsIn({ texts: [source] }, world), world).map((note) =>
    note.message.replace(/^note: /, ''),
  );
  const info = (remark: string): FunctionResult => ({ message: withoutPosition(remark), severity: 'info' });
  return { text: after, results: [...remarks, ...notes].map(info), fails: false };
}

/** The lines of the ResourceList mean nothing to its user. */
function withoutPosition(remark: string): string {
  return remark.startsWith(STDIN_NAME) ? remark.slice(STDIN_NAME.length).replace(/^(:\d+)*: /, '') : remark;
}

function checked(source: ParsedText, world: World, list: JsonObject, { strict }: FunctionSettings) {
  const { violations } = checkManifests({ texts: [source], problems: [], warnings: [] }, world);
  const items = member(list, 'items');
  const results = withoutRepeatsByObject(violations)
    .map((violation) => violationResult(violation, Array.isArray(items) ? items : []))
    .filter(({ severity }) => severity !== 'info');
  return { text: source.text, results, fails: results.some(({ severity }) => strict || severity === 'error') };
}

/** The text with the results behind those of functions before. A text that cannot be edited is printed as JSON. */
function withResults(text: string, before: JsonObject, results: readonly FunctionResult[]): string {
  if (results.length === 0) return text;
  const earlier = member(before, 'results');
  const value = [...(Array.isArray(earlier) ? (earlier as readonly unknown[]) : []), ...results];
  const editor = new YamlFieldEditor(text);
  const plan = editor.verifiedPlan(0, [{ path: ['results'], value }]);
  if (plan.kind === 'planned') return editor.apply([plan]);
  const [document] = parseYamlDocuments(STDIN_NAME, text).documents;
  const list = isJsonObject(document?.value) ? document.value : {};
  return `${jsonText({ ...list, results: value }, undefined, 2)}\n`;
}

function objectOf(reference: JsonObject = {}): string {
  const { kind, namespace, name } = reference as Readonly<Record<string, string | undefined>>;
  return `${kind ?? 'object'} ${namespace === undefined ? '' : `${namespace}/`}${name ?? ''}`;
}

interface FunctionResult {
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly resourceRef?: JsonObject;
  readonly field?: { readonly path: string };
  readonly file?: JsonObject;
  readonly tags?: JsonObject;
}

/**
 * Returns a violation as a result.
 *
 * @param items the items of the ResourceList
 */
function violationResult(violation: PlacedViolation, items: readonly unknown[]): FunctionResult {
  const { check, action, object, kind, namespace, name } = violation;
  const { message, path, url } = partsOf(violation);
  const position = object?.path[0] === 'items' ? object.path[1] : undefined;
  const found = typeof position === 'number' ? items[position] : undefined;
  const item = isJsonObject(found) ? found : undefined;
  const apiVersion = item === undefined ? POLICY_API_VERSION : stringMember(item, 'apiVersion');
  // A reference names the item as the item is, and not the namespace that stands in for a missing one.
  const given = item === undefined ? namespace || undefined : namespaceOf(item);
  const file = item && fileOf(item);
  return {
    message: `${message} (${check})`,
    severity: LEVELS_OF[action].krm,
    resourceRef: {
      ...(apiVersion !== undefined && { apiVersion }),
      kind,
      ...(given !== undefined && { namespace: given }),
      name,
    },
    field: { path },
    ...(file !== undefined && { file }),
    tags: { check, url },
  };
}

/** The names under which orchestrators write where an object comes from, the newer first. */
const PREFIXES = ['internal.config.kubernetes.io', 'config.kubernetes.io'];

function fileOf(item: JsonObject): JsonObject | undefined {
  const annotations = objectMember(objectMember(item, 'metadata') ?? {}, 'annotations') ?? {};
  const written = (name: string): unknown =>
    PREFIXES.map((prefix) => member(annotations, `${prefix}/${name}`)).find((value) => typeof value === 'string');
  const [path, index] = [written('path'), Number(written('index'))];
  if (typeof path !== 'string') return undefined;
  return { path, ...(Number.isInteger(index) && { index }) };
}
