import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { AuditEvent } from './audit-log.ts';

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** What the placeholders in the written rules stand for. */
export interface ReleaseNames {
  readonly name: string;
  readonly caSecret: string;
  /** A serving pair from a Secret of the user's own: its rule then stands in for those on the CA's Secret. */
  readonly tlsSecret?: string;
}

/** The rules of one release. */
export interface WrittenRules {
  /** Bound by a ClusterRoleBinding. */
  readonly cluster: readonly PolicyRule[];
  /** Bound by a RoleBinding in the release's namespace. */
  readonly namespace: readonly PolicyRule[];
}

const file = join(import.meta.dirname, '../../charts/probewright/files/rbac.yaml');

/** The rules as the chart ships them, for one release. */
export async function readWrittenRules(names: ReleaseNames): Promise<WrittenRules> {
  const values: Record<string, string> = { ...names };
  const text = (await readFile(file, 'utf8'))
    .replaceAll(/^\s*#.*$/gm, '')
    .replaceAll(/\{\{ \.(\w+) \}\}/g, (_, placeholder: string) => values[placeholder] ?? '');
  const sections = parse(text) as Record<'cluster' | 'policyImpact' | 'namespace' | 'ownSecret', PolicyRule[]>;
  const cluster = [...sections.cluster, ...sections.policyImpact];
  if (names.tlsSecret === undefined) return { cluster, namespace: sections.namespace };
  const others = sections.namespace.filter((rule) => !rule.resources.includes('secrets'));
  return { cluster, namespace: [...others, ...sections.ownSecret] };
}

/** One verb on one resource, the least that can be granted: `list secrets "probewright-ca"`. */
export function grants(rules: WrittenRules): string[] {
  return [...rules.cluster, ...rules.namespace].flatMap((rule) =>
    rule.verbs.flatMap((verb) => rule.resources.map((resource) => grant(rule, resource, verb))),
  );
}

/** The grant that allows an audited request; undefined when none does. */
export function usedGrant(rules: WrittenRules, event: AuditEvent): string | undefined {
  const { apiGroup = '', resource, subresource, name = '' } = event.objectRef ?? {};
  if (resource === undefined) return undefined;
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  const rule = [...rules.cluster, ...rules.namespace].find(
    (candidate) =>
      candidate.apiGroups.includes(apiGroup) &&
      candidate.resources.includes(full) &&
      candidate.verbs.includes(event.verb) &&
      (candidate.resourceNames === undefined || candidate.resourceNames.includes(name)),
  );
  return rule && grant(rule, full, event.verb);
}

function grant(rule: PolicyRule, resource: string, verb: string): string {
  const names = rule.resourceNames?.map((name) => ` "${name}"`).join('') ?? '';
  return `${verb} ${[resource, ...rule.apiGroups].filter((part) => part !== '').join('.')}${names}`;
}
