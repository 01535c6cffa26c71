/** A probe of a container. */
export type ProbeName = 'startupProbe' | 'livenessProbe' | 'readinessProbe';

/** The value that a layer of policy has for a field of a probe. */
export interface ExplainedSetting {
  /** The layer, such as `ProbePolicy/apps/web` or `annotation`. */
  readonly source: string;
  /** The field of the policy. */
  readonly field: string;
  readonly value: unknown;
  /** `file:line` */
  readonly place?: string;
}

/** A field of a probe, and what set the field. */
export interface ExplainedField {
  /** The field below the probe, such as `httpGet.path`. */
  readonly field: string;
  readonly value: unknown;
  readonly setBy: FieldSetter;
  /** Other values that layers of policy have for the field, the highest layer first. */
  readonly overrides: readonly ExplainedSetting[];
}

export interface FieldSetter {
  readonly by: 'manifest' | 'annotation' | 'policy' | 'default' | 'slow-start' | 'restart' | 'ports' | ProbeName;
  /** The policy that set the field, and its field. */
  readonly source?: string;
  readonly field?: string;
  /** `file:line` */
  readonly place?: string;
  /** The setting that made a rule apply, or the null that restored the default. */
  readonly asked?: ExplainedSetting;
}
