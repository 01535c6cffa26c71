import { isJsonObject } from '../../src/base/json/json-value.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Manifest } from '../chart/helm.ts';

/**
 * Fields that the chart renders and that older servers do not know, with the minor version of Kubernetes 1 that has them on by default. A name
 * is enough: none of them means something else elsewhere.
 */
const FIELDS: Readonly<Record<string, number>> = {
  'x-kubernetes-validations': 25,
  matchLabelKeys: 27,
  unhealthyPodEvictionPolicy: 27,
  matchConditions: 28,
  sleep: 30,
};

/** What was taken out of manifests for a server, and why. */
export interface Adapted {
  readonly manifests: readonly Manifest[];
  /** Sentences for people. */
  readonly omissions: readonly string[];
}

/** The manifests as the server can take them: without kinds that it does not serve, and without fields that are newer than it is. */
export async function forServer(controlPlane: ControlPlane, manifests: readonly Manifest[]): Promise<Adapted> {
  const newer = Object.keys(FIELDS).filter((field) => (FIELDS[field] ?? 0) > controlPlane.minor);
  const omissions = new Set<string>();
  const kept: Manifest[] = [];
  for (const manifest of manifests) {
    if (await isServed(controlPlane, manifest)) kept.push(without(manifest, newer, omissions) as Manifest);
    else omissions.add(`${manifest.kind} of ${manifest.apiVersion}: ${controlPlane.version} does not serve it`);
  }
  return { manifests: kept, omissions: [...omissions].sort() };
}

async function isServed(controlPlane: ControlPlane, { apiVersion, kind }: Manifest): Promise<boolean> {
  const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { status, body } = await controlPlane.request('GET', path);
  if (status !== 200) return false;
  return (JSON.parse(body) as { resources: { kind: string }[] }).resources.some((resource) => resource.kind === kind);
}

/** The value without the fields, and without what holds nothing else: a `preStop` without its `sleep` would be refused. */
function without(value: unknown, fields: readonly string[], omissions: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((element) => without(element, fields, omissions));
  if (!isJsonObject(value)) return value;
  const members: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (fields.includes(key)) {
      omissions.add(`${key}: known from 1.${String(FIELDS[key])} on`);
      continue;
    }
    const rest = without(member, fields, omissions);
    const isEmptied =
      isJsonObject(rest) && Object.keys(rest).length === 0 && isJsonObject(member) && Object.keys(member).length > 0;
    if (!isEmptied) members.push([key, rest]);
  }
  return Object.fromEntries(members);
}
