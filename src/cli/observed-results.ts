import { member } from '../base/json/json-value.ts';
import { readObserverReport } from '../cluster/sources/observer-reports.ts';
import type { JsonObject } from '../base/json/json-value.ts';
import type { Inputs } from './input/inputs.ts';
import type { ObservedResult } from '../cluster/sources/observer-reports.ts';

/** The reports of an observer about the live Pods of an object. */
export type ObservedResults = (object: JsonObject, namespace: string, name: string) => readonly ObservedResult[];

/** The results of an observer's reports: those among the manifests, and those of a cluster. */
export function observedResults({ texts, observed = [] }: Inputs): ObservedResults {
  const manifests = texts.flatMap((text) => text.manifests);
  const ofFiles = manifests.flatMap(({ object }) => readObserverReport(object) ?? []);
  const byWorkload = Map.groupBy([...ofFiles, ...observed], ({ apiVersion, kind, namespace, name }) =>
    keyOf(apiVersion, kind, namespace, name),
  );
  return (object, namespace, name) => {
    const key = keyOf(String(member(object, 'apiVersion')), String(member(object, 'kind')), namespace, name);
    return byWorkload.get(key)?.flatMap(({ results }) => results) ?? [];
  };
}

/** The API group of an object; empty for the core group. */
export function apiGroup(object: JsonObject): string {
  return groupOfVersion(String(member(object, 'apiVersion')));
}

function groupOfVersion(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

/** The version of a kind may differ between two readers, so the group counts. A NUL is in no name. */
function keyOf(apiVersion: string, kind: string, namespace: string, name: string): string {
  return [groupOfVersion(apiVersion), kind, namespace, name].join('\0');
}
