import type { Markup } from '../../base/text/visible.ts';
import type { NextStep, ReportedAdvice } from './report.ts';

/** The values of pages/report/page.eta. Texts are escaped by the template; Markup is inserted unchanged. */
export interface PageView
  extends
    Readonly<Record<'securityPolicy' | 'title' | 'subject' | 'version' | 'containers', string>>,
    Readonly<Record<'style' | 'script' | 'legend' | 'scale' | 'drawings', Markup>> {
  /** RFC 3339, and as people read it. */
  readonly instant: string;
  readonly shownInstant: string;
  /** What injects probes, and how many workloads get fewer than from the webhook. */
  readonly injection: string | undefined;
  readonly parts: readonly Readonly<Record<'id' | 'title', string>>[];
  readonly tiles: readonly TileView[];
  readonly problems: readonly string[];
  readonly coverage: readonly CoverageView[];
  /** The heads of the columns of verdicts, worst first, and of the columns of findings. */
  readonly levels: readonly string[];
  readonly findingLevels: readonly string[];
  readonly namespaces: readonly NamespaceView[];
  readonly checks: readonly CheckView[];
  /** Pods lack probes, so namespaces have a column for them. */
  readonly hasLacking: boolean;
  /** The rows, the worst first, made by pages/report/workload.eta. */
  readonly rows: readonly Markup[];
  readonly workloads: number;
  readonly withoutRow: string | undefined;
  readonly nextSteps: readonly NextStep[];
  readonly policies: readonly PolicyView[];
  readonly exceptions: readonly ExceptionView[];
}

export interface TileView extends CountView {
  /** The choice of rows that the tile makes; none for a tile that leads to the exceptions. */
  readonly shows: Readonly<Partial<Record<'verdict' | 'check', string>>>;
}

/** A number in a cell. The tone is `zero` for 0, so that the eye finds the others. The label is its column's head. */
export interface CountView extends Readonly<Record<'label' | 'tone', string>> {
  readonly number: number;
}

export interface CoverageView extends Readonly<Record<'own' | 'given' | 'missing', number>> {
  readonly probe: string;
  readonly bar: Markup;
}

export interface NamespaceView extends Readonly<Record<'workloads' | 'lacking', number>> {
  readonly namespace: string;
  readonly counts: readonly CountView[];
  readonly shortest: string;
  readonly policies: readonly string[];
}

export interface CheckView extends Readonly<Record<'check' | 'url' | 'summary', string>> {
  readonly counts: readonly CountView[];
  readonly workloads: number;
}

export interface PolicyView {
  readonly source: string;
  readonly workloads: number;
  readonly advice: readonly ReportedAdvice[];
}

export type ExceptionView = Readonly<
  Record<'name' | 'checks' | 'owner' | 'reason' | 'instant' | 'day' | 'state' | 'tone', string> &
    Record<'workloads', Markup>
>;
