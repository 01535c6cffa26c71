import { pageHatchings } from '../drawing/colours.ts';
import { PAGE_SCENE_WIDTH, pageScene, sceneInWords, type Phrase } from '../drawing/page-scene.ts';
import { startStrip, stripTicks } from '../drawing/start-strip.ts';
import { formatPath } from '../../base/json/field-path.ts';
import { count, cut, cutAtWord } from '../../base/text/cut.ts';
import { breakablePieces } from '../../base/text/wrap.ts';
import { utf8Length } from '../../base/text/utf8.ts';
import { escapeXml, type Markup } from '../../base/text/visible.ts';
import { OWN_PROBE, probeTimes } from '../timeline/explained-probes.ts';
import {
  FINDING_ACTIONS,
  VERDICTS,
  causesInWords,
  findingsInWords,
  levelOf,
  shortestGuarantee,
  verdictOfAction,
} from './verdicts.ts';
import { isFailingRule } from '../../engine/facts/live-rules.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { ContainerExplanation } from '../timeline/explanation.ts';
import type { Scene } from '../timeline/scene.ts';
import type { ReportedWorkload } from './report.ts';

/** Bytes that rows and drawings may have together: for each workload, and for a page of up to 1,000 workloads. */
const BUDGET_OF_WORKLOAD = 2_700;
const LEAST_BUDGET = 1_000 * BUDGET_OF_WORKLOAD;

/** How much of a workload a row shows. A text is cut at so many characters: a hostile name is as long as a body. */
interface RowSize {
  readonly findings: number;
  readonly policies: number;
  readonly characters: number;
  /** What is left out, in place of all reasons. */
  readonly note?: string;
}

const MOST_TEXT = 300;
const WHOLE: RowSize = { findings: 30, policies: Infinity, characters: MOST_TEXT };
const BRIEF: RowSize = {
  findings: 1,
  policies: 3,
  characters: MOST_TEXT,
  note: 'Times and further findings are left out, because the page would become too large.',
};
/** Even a row of hostile names keeps to the budget of a workload. */
const SHORTEST: RowSize = {
  findings: 0,
  policies: 0,
  characters: 100,
  note: 'Times and findings are left out, because the page would become too large.',
};

/**
 * The rows of a page within a budget of bytes, so that no fleet or manifest makes a page that no browser opens. The
 * worst workloads get their full rows first. When the budget is used up, rows are brief, and say so.
 */
export function rowsOf(
  workloads: readonly ReportedWorkload[],
  drawings: SceneDrawings,
  template: RowTemplate,
  most = Infinity,
): Map<ReportedWorkload, Markup> {
  const shown = worstFirst(workloads)
    .slice(0, most)
    .map((each) => briefRow(each, template));
  let budget = Math.max(LEAST_BUDGET, shown.length * BUDGET_OF_WORKLOAD);
  // The bytes of the brief rows from the current row on. Brief rows fit into the budget, whatever is in the manifests.
  let reserved = shown.reduce((sum, { size }) => sum + size, 0);
  const rows = new Map<ReportedWorkload, Markup>();
  for (const { workload, row: briefly, size } of shown) {
    const before = drawings.size;
    const row = budget > reserved ? template(rowView(workload, WHOLE, drawings)) : briefly;
    reserved -= size;
    budget -= utf8Length(row) + drawings.size - before;
    rows.set(workload, row);
  }
  return rows;
}

/** A workload with its brief row and the bytes of the row. */
function briefRow(workload: ReportedWorkload, template: RowTemplate) {
  const brief = template(rowView(workload, BRIEF));
  const row = utf8Length(brief) <= BUDGET_OF_WORKLOAD ? brief : template(rowView(workload, SHORTEST));
  return { workload, row, size: utf8Length(row) };
}

/** The workloads with the worst verdicts first. Workloads with the same verdict keep their order. */
function worstFirst(workloads: readonly ReportedWorkload[]): ReportedWorkload[] {
  return workloads.toSorted((a, b) => levelOf(a) - levelOf(b));
}

const MOST_CONTAINERS = 30;

const short = (text: string, most = MOST_TEXT): string => cut(text, most, '…');

/** A remedy is shown whole, unless it has a hostile name. */
const MOST_REMEDY = 600;
const sentence = (text: string, most = MOST_TEXT): string => cutAtWord(text, most);
const remedyOf = (text: string): Markup => breakable(sentence(text, MOST_REMEDY));

/** The values of pages/report/workload.eta. Texts are escaped by the template; Markup is inserted unchanged. */
export type RowView = ReturnType<typeof rowView>;
type RowTemplate = (view: RowView) => Markup;

/** A workload as a row of the page. Without `drawings`, which receives its drawings, the row has no containers. */
function rowView(workload: ReportedWorkload, size: RowSize, drawings?: SceneDrawings) {
  const { explanation, violations, policies, live, warnings } = workload;
  const { kind, namespace, name, containers, place } = explanation;
  const level = levelOf(workload);
  const verdict = VERDICTS[level];
  const guaranteed = shortestGuarantee(explanation);
  const limited = guaranteed !== undefined && guaranteed !== Infinity;
  const sorted = violations.toSorted((a, b) => FINDING_ACTIONS.indexOf(a.action) - FINDING_ACTIONS.indexOf(b.action));
  const findings = sorted.slice(0, size.findings);
  const otherChecks = new Set(sorted.map(({ check }) => check));
  for (const { check } of findings) otherChecks.delete(check);
  return {
    kind: short(kind, size.characters),
    namespace: short(namespace, size.characters),
    name: short(name, size.characters),
    /** The place of the verdict in an order from worst to best. */
    level,
    tone: verdict?.tone ?? '',
    verdict: verdict?.label ?? '',
    found: [causesInWords(live), findingsInWords(violations)].filter(Boolean).join(', '),
    /** Seconds that the containers have at least to start; empty without a limit. */
    guaranteed: limited ? String(guaranteed) : '',
    start: limited ? `${guaranteed} s` : guaranteed === undefined ? 'not known' : 'no limit',
    strip: startStrip(containers),
    findings: findings.map(findingView),
    /** Checks with findings that are not shown, separated by spaces: the choice of a check finds the row. */
    otherChecks: [...otherChecks].join(' '),
    live: live.slice(0, size.findings).map((finding) => {
      return {
        ...finding,
        message: sentence(finding.message),
        facts: (finding.facts ?? []).map((fact) => short(fact)),
        remedy: finding.remedy === undefined ? undefined : remedyOf(finding.remedy),
        isFailing: isFailingRule(finding.name),
      };
    }),
    containers:
      drawings === undefined
        ? []
        : containers.slice(0, MOST_CONTAINERS).map((container) => containerView(container, drawings)),
    notInjected:
      size.note === undefined
        ? [...leftOut(workload), ...explanation.notInjected, ...warnings].map((reason) => sentence(reason))
        : [size.note],
    place: short(place, size.characters),
    policies: policies.slice(0, size.policies),
  };
}

function leftOut({ violations, explanation }: ReportedWorkload): string[] {
  const findings = violations.length - WHOLE.findings;
  const containers = explanation.containers.length - MOST_CONTAINERS;
  return [
    ...(findings > 0 ? [`Not shown: ${count(findings, 'more finding')}.`] : []),
    ...(containers > 0 ? [`Not shown: ${count(containers, 'more container')}.`] : []),
  ];
}

function findingView({ action, check, path, message, remedy }: Violation) {
  const { label, tone } = verdictOfAction(action);
  return {
    action: label,
    tone,
    check,
    path: breakable(short(formatPath(path))),
    message: breakable(sentence(message)),
    remedy: remedy === undefined ? undefined : remedyOf(remedy),
  };
}

/** A text that a browser may break inside its long words, as `breakablePieces` tells. */
export function breakable(text: string): Markup {
  // A quotation mark needs its long name in attributes only, and findings have thousands.
  return breakablePieces(text).map(escapeXml).join('<wbr>').replaceAll('&quot;', '"');
}

function containerView(
  { name, role, summary, caveats, probes, scenes, figures }: ContainerExplanation,
  drawings: SceneDrawings,
) {
  return {
    name: short(name),
    role: role === 'sidecar' ? 'native sidecar' : '',
    /** Without its lines about probes and caveats, as all of both follow. */
    summary: summary
      .filter(({ about }) => about !== 'probes' && about !== 'note')
      .map(({ about, text }) => `${about}: ${text}`),
    caveats,
    probes: probes.map(({ kind, handler, from, letters }) => ({
      kind,
      handler: cut(handler, 100, '…'),
      times: probeTimes(letters),
      /** The policy that gave the probe. Undefined for a probe of the manifest. */
      from: from === OWN_PROBE ? undefined : short(from),
    })),
    scenes: figures.length === 0 ? [] : scenes.map((scene) => drawings.add(scene)),
  };
}

/** A reference to a drawing, with its size. */
type SceneView = Readonly<Record<'width' | 'height', number> & Record<'id', string>>;

/** The scenes of a page. Containers with the same times share a drawing: a fleet of thousands has a few dozen. */
export class SceneDrawings {
  readonly #known = new Map<string, SceneView>();
  readonly #markup: Markup[] = [];
  readonly #phrases = new Map<string, { readonly id: string; readonly markup: Markup }>();
  /** Bytes of all drawings. */
  size = 0;

  readonly #phrase: Phrase = (words, y, name) => {
    const known = this.#phrases.get(words);
    const id = known?.id ?? `w${this.#phrases.size}`;
    if (known === undefined)
      this.#phrases.set(words, { id, markup: `<g id=${id}><text class=${name}>${escapeXml(words)}</text></g>` });
    return `<use href=#${id} y=${y} />`;
  };

  /** A reference to the drawing of a scene. */
  add(scene: Scene): SceneView {
    const { markup, height } = pageScene(scene, this.#phrase);
    const words = sceneInWords(scene);
    const key = words + markup;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const id = `s${this.#known.size}`;
    const view = { id, width: PAGE_SCENE_WIDTH, height: Math.ceil(height) };
    this.#known.set(key, view);
    const drawing = `<g id=${id}><title id=${id}t>${escapeXml(words)}</title>${markup}</g>`;
    this.#markup.push(drawing);
    this.size += utf8Length(drawing);
    return view;
  }

  get markup(): Markup {
    const phrases = Array.from(this.#phrases.values(), ({ markup }) => markup).join('');
    return `<defs>${pageHatchings()}${stripTicks()}${phrases}${this.#markup.join('\n')}</defs>`;
  }
}
