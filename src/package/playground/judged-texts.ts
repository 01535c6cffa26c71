import { messageOf } from '../../base/text/error-message.ts';
import { unifiedDiff, type DiffLine } from '../../base/text/unified-diff.ts';
import { checkManifests } from '../../cli/check/check-manifests.ts';
import { jsonReport } from '../../cli/check/json.ts';
import { NOTHING_LEFT_OUT, shownReport, type ShownReport } from '../../cli/check/report.ts';
import { SHOWN_BY_DEFAULT } from '../../cli/fix/advice.ts';
import { fixFile } from '../../cli/fix/fix-file.ts';
import { manifestsIn, placeOfManifest } from '../../cli/input/manifest.ts';
import type { ReadTexts } from '../../cli/input/manifests.ts';
import { worldOf } from '../../cli/input/world.ts';
import type { NamedInputs } from '../../cli/input/live.ts';
import { KNOWN_KINDS } from '../../engine/workload/kinds.ts';
import { explainManifest } from '../../explain/timeline/explain-manifest.ts';
import type { WorkloadExplanation } from '../../explain/timeline/explanation.ts';

/** The results of `check`, `fix` and `explain` for two texts. */
export interface JudgedTexts {
  readonly report: ShownReport;
  readonly json: string;
  readonly patch: Patch;
  readonly workloads: readonly WorkloadExplanation[];
}

/** The result of `fix` for the manifests. */
export interface Patch {
  readonly after: string;
  /** The output of `fix --diff`. */
  readonly diff: readonly DiffLine[];
  readonly probes: number;
  readonly advice: number;
  readonly remarks: readonly string[];
}

/** The inputs of a decision beside the texts. */
export interface PlaygroundSettings {
  readonly now: number;
  readonly appliesAdvice: boolean;
}

/** Judges manifests by policies with the code of the commands, so the page and the commands cannot differ. */
export function judgeTexts(texts: PlaygroundTexts, { now, appliesAdvice }: PlaygroundSettings): JudgedTexts {
  const given = worldOf(judgedText(MANIFESTS_FILE, texts.manifests), judgedText(POLICIES_FILE, texts.policies), {
    kinds: KNOWN_KINDS,
    namespace: 'default',
    now,
  });
  const { manifests, world } = given;
  const found = checkManifests(manifests, world);
  return {
    report: shownReport(found, { ...NOTHING_LEFT_OUT, minLevel: 'note' }),
    json: jsonReport(shownReport(found, NOTHING_LEFT_OUT)),
    patch: patchOf(given, appliesAdvice),
    workloads: manifestsIn(manifests).flatMap(
      (manifest) => explainManifest(manifest.object, placeOfManifest(manifest), world) ?? [],
    ),
  };
}

function patchOf({ manifests, world }: NamedInputs, appliesAdvice: boolean): Patch {
  const [source] = manifests.texts;
  const before = source?.text ?? '';
  const unchanged = { after: before, diff: [], probes: 0, advice: 0 };
  // Without one of the policies, other probes would be written than the webhook adds.
  if (world.policyProblems.length > 0)
    return { ...unchanged, remarks: ['A policy cannot be read. Correct the policy to see the patch.'] };
  if (source === undefined) return { ...unchanged, remarks: [] };
  try {
    const { after, probes, advice, remarks, problems } = fixFile(
      source,
      world,
      // The page shows notes, too.
      appliesAdvice ? { ...SHOWN_BY_DEFAULT, minLevel: 'note' } : undefined,
    );
    const diff = unifiedDiff(MANIFESTS_FILE, before, after);
    return { after, diff, probes, advice, remarks: [...remarks, ...problems.map(({ message }) => message)] };
  } catch (error) {
    // A text with a syntax error has no patch. The problem is in the report.
    return { ...unchanged, remarks: [messageOf(error)] };
  }
}

function judgedText(file: string, text: string): ReadTexts {
  if (text.length <= LONGEST_TEXT) return { texts: [{ file, text }], problems: [] };
  const limit = `the playground judges at most ${LONGEST_TEXT}: use probewright check`;
  const message = `has ${text.length} characters; ${limit}`;
  return { texts: [{ file, text: '' }], problems: [{ file, line: 1, column: 1, message }] };
}

export interface PlaygroundTexts {
  readonly manifests: string;
  readonly policies: string;
}

/** The names that messages give to the texts. */
export const MANIFESTS_FILE = 'manifests.yaml';
const POLICIES_FILE = 'policies.yaml';

/** A longer text is not judged: the page judges while a person types. */
export const LONGEST_TEXT = 400_000;
