import { objectsAt, textAt } from '../../base/json/field-path.ts';
import { listMember, member, type JsonObject } from '../../base/json/json-value.ts';
import { OPT_OUT_LABEL, OPT_OUT_VALUE } from '../../engine/policy/annotations.ts';
import { readLabelSelector } from '../../engine/policy/selector-schema.ts';
import { selects, type Labels, type LabelSelector } from '../../engine/policy/label-selector.ts';
import { PARAM_CONDITIONS } from '../../native/namespace-probes.ts';
import { EXEMPT_NAMESPACES, NAMESPACE_NAME_LABEL } from '../../engine/policy/policy-set.ts';
import { Reader } from '../../engine/policy/reader.ts';

export interface WebhookScope {
  readonly namespaces: LabelSelector;
  readonly pods: LabelSelector;
  /** Names of match conditions that are not the chart's own. Only the API server can evaluate such conditions. */
  readonly foreignConditions: readonly string[];
}

const WEBHOOK_NAME = 'mutate.probewright.dev';

export function isMutatingWebhook({ name }: JsonObject): boolean {
  return name === WEBHOOK_NAME;
}

/** The chart writes the webhook's enforcement and mutation here: `enforcement=Deny,mutation=On`. */
export const SETTINGS_ANNOTATION = 'probewright.dev/settings';

/** A setting of the webhook, as the chart has written it into a configuration. */
export function writtenSetting(configuration: JsonObject, name: 'enforcement' | 'mutation'): string | undefined {
  const settings = textAt(configuration, 'metadata', 'annotations', SETTINGS_ANNOTATION) ?? '';
  return new RegExp(`(?:^|,)${name}=(\\w+)`).exec(settings)?.[1];
}

/** The conditions of ours. The replay finds out all of this by itself. */
const OWN_CONDITIONS: readonly string[] = [
  ...['not-being-deleted', 'not-from-a-node', 'not-a-mirror-pod', 'lacks-a-probe'],
  ...Object.values(PARAM_CONDITIONS),
];

const OPT_OUT = [{ key: OPT_OUT_LABEL, operator: 'NotIn', values: [OPT_OUT_VALUE] }] as const;

/** The scope of an installation without values, for a configuration that has not been read yet. */
export const DEFAULT_SCOPE: WebhookScope = {
  namespaces: [{ key: NAMESPACE_NAME_LABEL, operator: 'NotIn', values: EXEMPT_NAMESPACES }, ...OPT_OUT],
  pods: OPT_OUT,
  foreignConditions: [],
};

/** Undefined without a webhook of ours. A selector that cannot be read counts as a foreign condition. */
export function readWebhookScope(configuration: JsonObject): WebhookScope | undefined {
  const webhook = objectsAt(configuration, 'webhooks').find(isMutatingWebhook);
  return webhook && matchedScope(webhook);
}

/** The scope of a webhook, or of another object that matches Pods by the same fields. */
export function matchedScope(matching: JsonObject): WebhookScope {
  const conditions = listMember(matching, 'matchConditions').map((one) => textAt(one, 'name') ?? '');
  const foreignConditions = conditions.filter((name) => !OWN_CONDITIONS.includes(name));
  const read = (field: string): LabelSelector => {
    const value = member(matching, field) ?? {};
    const problems: Reader['problems'] = [];
    const selector = readLabelSelector(new Reader(value, [field], problems));
    if (selector !== undefined && problems.length === 0) return selector;
    foreignConditions.push(field);
    return [];
  };
  return { namespaces: read('namespaceSelector'), pods: read('objectSelector'), foreignConditions };
}

export function isInScope(
  scope: WebhookScope,
  namespace: string,
  namespaceLabels: ReadonlyMap<string, string> | undefined,
  podLabels: Labels,
): boolean {
  const labels = new Map(namespaceLabels).set(NAMESPACE_NAME_LABEL, namespace);
  return selects(scope.namespaces, labels) && selects(scope.pods, podLabels);
}

/**
 * The requirement that a namespace does not meet, as kubectl writes selectors: `kubernetes.io/metadata.name notin (a)`.
 * Undefined for a namespace that the webhook sees.
 *
 * @param known the labels of the namespace; undefined = only the name is known
 */
export function exemption(
  { namespaces }: WebhookScope,
  namespace: string,
  known: ReadonlyMap<string, string> | undefined,
): string | undefined {
  const labels = new Map(known).set(NAMESPACE_NAME_LABEL, namespace);
  const decidable = namespaces.filter(({ key }) => known !== undefined || key === NAMESPACE_NAME_LABEL);
  const unmet = decidable.find((requirement) => !selects([requirement], labels));
  if (unmet === undefined) return undefined;
  const { key, operator, values } = unmet;
  if (operator === 'Exists') return key;
  return operator === 'DoesNotExist' ? `!${key}` : `${key} ${operator.toLowerCase()} (${values.join(',')})`;
}
