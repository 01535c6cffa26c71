import { isJsonObject } from '../../../src/base/json/json-value.ts';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';
import { StatusError } from './fake-status.ts';
import type { Collection, Target } from './fake-paths.ts';

/** An object as the fake API server keeps it. */
export type FakeObject = KubernetesObject & Readonly<Record<string, unknown>>;

/** One change in the history. */
export interface StoredEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly collection: Collection;
  readonly version: number;
  readonly object: FakeObject;
}

/** The objects of the fake API server, and how they became so. Nothing in it is ever changed in place. */
export class FakeStore {
  onEvent: (event: StoredEvent) => void = () => undefined;
  #version = 1000;
  #oldestVersion = 1;
  #objects = new Map<string, Entry>();
  #history: readonly StoredEvent[] = [];

  /** That of the last change. */
  get version(): number {
    return this.#version;
  }

  /** A watch from an older one would miss something. */
  get oldestVersion(): number {
    return this.#oldestVersion;
  }

  /** In the order of namespaces and names, as etcd has them. */
  list(collection: Collection): readonly FakeObject[] {
    const { resource, namespace } = collection;
    return [...this.#objects]
      .filter(([, { collection: own }]) => own.resource === resource && (namespace ?? own.namespace) === own.namespace)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([, { object }]) => object);
  }

  find(collection: Collection, name: string): FakeObject | undefined {
    return this.#objects.get(keyOf(collection, name))?.object;
  }

  read(collection: Collection, name: string): FakeObject {
    const found = this.find(collection, name);
    if (found === undefined) throw StatusError.notFound(collection.resource, name);
    return found;
  }

  create(collection: Collection, body: unknown): FakeObject {
    const given = named(collection, body);
    const { name } = given.metadata;
    if (this.find(collection, name) !== undefined) throw StatusError.alreadyExists(collection.resource, name);
    return this.#store(collection, given, undefined);
  }

  put(collection: Collection, object: object): FakeObject {
    const given = named(collection, object);
    const before = this.find(collection, given.metadata.name);
    const status = given['status'] ?? before?.['status'];
    return this.#store(collection, { ...given, ...(status !== undefined && { status }) }, before);
  }

  /** A write to the object leaves its status alone, a write to its status leaves all else alone. One that changes nothing is none. */
  update(target: Target, body: unknown): FakeObject {
    const { collection, name = '', subresource } = target;
    const given = named(collection, body);
    if (given.metadata.name !== name) {
      const why = `the name of the object (${given.metadata.name}) does not match the name on the URL (${name})`;
      throw StatusError.badRequest(why);
    }
    const before = this.read(collection, name);
    const { resourceVersion, uid } = given.metadata;
    if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== before.metadata.resourceVersion)
      throw StatusError.conflict(collection.resource, name);
    if (uid !== undefined && uid !== before.metadata.uid) throw StatusError.conflict(collection.resource, name);
    const isStatus = subresource === 'status';
    const status = (isStatus ? given : before)['status'];
    const after = {
      ...without(isStatus ? before : given, 'status'),
      ...(status !== undefined && { status }),
    } as FakeObject;
    if (isDeepStrictEqual(finished(collection, after, before, before.metadata.resourceVersion), before)) return before;
    return this.#store(collection, after, before);
  }

  delete(collection: Collection, name: string): FakeObject {
    const object = this.read(collection, name);
    this.#objects.delete(keyOf(collection, name));
    const version = ++this.#version;
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    this.#happened({ type: 'DELETED', collection, version, object: last });
    return last;
  }

  eventsAfter(version: number): readonly StoredEvent[] {
    return this.#history.filter((event) => event.version > version);
  }

  compact(): void {
    this.#oldestVersion = this.#version;
    this.#history = [];
  }

  snapshot(): () => void {
    const objects = new Map(this.#objects);
    const kept = { version: this.#version, oldest: this.#oldestVersion, history: this.#history };
    return () => {
      this.#objects = new Map(objects);
      this.#version = kept.version;
      this.#oldestVersion = kept.oldest;
      this.#history = kept.history;
    };
  }

  #store(collection: Collection, given: FakeObject, before: FakeObject | undefined): FakeObject {
    const version = ++this.#version;
    const object = finished(collection, given, before, String(version));
    const own = { ...collection, namespace: collection.namespace };
    this.#objects.set(keyOf(collection, object.metadata.name), { collection: own, object });
    this.#happened({ type: before ? 'MODIFIED' : 'ADDED', collection, version, object });
    return object;
  }

  #happened(event: StoredEvent): void {
    this.#history = [...this.#history, event];
    this.onEvent(event);
  }
}

interface Entry {
  readonly collection: Collection;
  readonly object: FakeObject;
}

/** The kind of a collection's objects. */
export function kindOf(collection: Collection): string {
  const { plural } = collection;
  const known: Readonly<Record<string, string>> = {
    configmaps: 'ConfigMap',
    mutatingwebhookconfigurations: 'MutatingWebhookConfiguration',
    validatingwebhookconfigurations: 'ValidatingWebhookConfiguration',
    customresourcedefinitions: 'CustomResourceDefinition',
    serviceaccounts: 'ServiceAccount',
    probepolicies: 'ProbePolicy',
    clusterprobepolicies: 'ClusterProbePolicy',
  };
  const singular = plural.endsWith('ies') ? `${plural.slice(0, -3)}y` : plural.replace(/s$/, '');
  return known[plural] ?? singular.charAt(0).toUpperCase() + singular.slice(1);
}

/** True for the kinds that kube-apiserver brings along, as against those of a CustomResourceDefinition. */
export function isBuiltIn(collection: Collection): boolean {
  return !collection.group.includes('.') || collection.group.endsWith('.k8s.io');
}

function keyOf({ resource, namespace }: Collection, name: string): string {
  return `${resource}/${namespace ?? ''}/${name}`;
}

/** The object that a request or a test brings, at least with a name. */
function named(collection: Collection, body: unknown): FakeObject {
  if (!isJsonObject(body) || !isJsonObject(body['metadata']))
    throw StatusError.badRequest('the body is no object with metadata');
  const { name, namespace } = body['metadata'];
  if (typeof name !== 'string' || name === '')
    throw StatusError.invalid(
      collection.resource,
      '',
      'metadata.name: Required value: name or generateName is required',
    );
  if (namespace !== undefined && namespace !== collection.namespace)
    throw StatusError.badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  return structuredClone(body) as unknown as FakeObject;
}

/** With all that the server adds by itself. */
function finished(
  collection: Collection,
  given: FakeObject,
  before: FakeObject | undefined,
  resourceVersion: string | undefined,
): FakeObject {
  const {
    generation = 0,
    uid = randomUUID(),
    // A test may give the age of an object, which a real server sets itself.
    creationTimestamp = (given.metadata as { creationTimestamp?: string }).creationTimestamp,
  } = { ...before?.metadata } as Record<string, unknown> & {
    generation?: number;
    uid?: string;
    creationTimestamp?: string;
  };
  const metadata = {
    ...given.metadata,
    ...(collection.namespace !== undefined && { namespace: collection.namespace }),
    uid,
    resourceVersion,
    creationTimestamp: creationTimestamp ?? new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  const object = { kind: kindOf(collection), apiVersion: collection.apiVersion, ...given, metadata } as FakeObject;
  const sameSpec = before !== undefined && isDeepStrictEqual(specOf(object), specOf(before));
  return { ...object, metadata: { ...metadata, generation: sameSpec ? generation : generation + 1 } } as FakeObject;
}

/** All but metadata and status: what a generation counts. */
function specOf(object: FakeObject): object {
  return without(object, 'metadata', 'status');
}

/** The object without these fields. */
export function without(object: object, ...fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}
