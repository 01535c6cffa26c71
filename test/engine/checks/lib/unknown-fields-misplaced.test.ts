import { describe, expect, it } from 'vitest';
import { misplacedProbes, type StrayField } from '../../../../src/engine/checks/lib/unknown-fields.ts';
import { formatPath, withEdits } from '../../../../src/base/json/field-path.ts';
import { appContainer, subjectOf } from '../../../support/worlds.ts';
import { cases } from '../../../support/cases.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';

const probe = { httpGet: { path: '/live', port: 8080 } };

function misplaced(manifest: JsonObject): StrayField[] {
  const { kind, pods } = subjectOf(manifest);
  return pods.flatMap((placed) => misplacedProbes(manifest, kind, placed));
}

/** A Deployment with members at several depths. */
function deployment(
  at: { root?: JsonObject; spec?: JsonObject; metadata?: JsonObject; podSpec?: JsonObject },
  containers: readonly JsonObject[] = [appContainer()],
): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    ...at.root,
    spec: { ...at.spec, template: { metadata: { ...at.metadata }, spec: { containers, ...at.podSpec } } },
  };
}

describe('probes in the wrong place', () => {
  it.each<[string, JsonObject, string]>([
    ['the top of the object', deployment({ root: { livenessProbe: probe } }), 'livenessProbe'],
    ['the spec of the workload', deployment({ spec: { livenessProbe: probe } }), 'spec.livenessProbe'],
    [
      'metadata of the template',
      deployment({ metadata: { livenessProbe: probe } }),
      'spec.template.metadata.livenessProbe',
    ],
    ['the Pod spec', deployment({ podSpec: { livenessProbe: probe } }), 'spec.template.spec.livenessProbe'],
    [
      'the securityContext of the Pod',
      deployment({ podSpec: { securityContext: { livenessProbe: probe } } }),
      'spec.template.spec.securityContext.livenessProbe',
    ],
  ])('is found in %s, and belongs into the only container', (_name, manifest, path) => {
    const found = misplaced(manifest);
    const target = ['spec', 'template', 'spec', 'containers', 0, 'livenessProbe'];
    expect(found.map((field) => ({ ...field, path: formatPath(field.path) }))).toEqual([
      {
        container: 'app',
        path,
        message: 'unknown field, which the API server drops',
        remedy: 'move it into containers[0]',
        edits: [
          { path: found[0]?.path, value: null },
          { path: target, value: probe },
        ],
      },
    ]);
    expect(misplaced(withEdits(manifest, found[0]?.edits ?? []))).toEqual([]);
  });

  it.each(cases('misplaced-probes', 'is found in') as [string, JsonObject, string][])(
    'is found in %s of a container, and belongs up to the container',
    (_name, members, path) => {
      const [field, ...others] = misplaced(deployment({}, [{ name: 'first' }, appContainer(members)]));
      expect(others).toEqual([]);
      expect(formatPath(field?.path ?? [])).toBe(`spec.template.spec.containers[1].${path}`);
      expect(field).toMatchObject({ container: 'app', remedy: 'move it up to containers[1]' });
      expect(field?.edits?.[1]).toEqual({
        path: ['spec', 'template', 'spec', 'containers', 1, 'readinessProbe'],
        value: probe,
      });
    },
  );

  it('has no edits where the container has such a probe, or several containers may be meant', () => {
    const own = appContainer({ livenessProbe: probe });
    expect(misplaced(deployment({ podSpec: { livenessProbe: probe } }, [own]))).toMatchObject([
      { remedy: 'move it into containers[0]' },
    ]);
    expect(misplaced(deployment({ podSpec: { livenessProbe: probe } }, [own]))[0]).not.toHaveProperty('edits');
    const two = misplaced(deployment({ podSpec: { livenessProbe: probe } }, [{ name: 'a' }, { name: 'b' }]));
    expect(two).toMatchObject([{ container: 'a', remedy: 'move it into the container that it is for' }]);
    expect(two[0]).not.toHaveProperty('edits');
  });

  it('leaves out labels and annotations with such a name, and probes of containers', () => {
    const annotations = { livenessProbe: 'yes' };
    const own = appContainer({ livenessProbe: probe, readinessProbe: 7 });
    expect(misplaced(deployment({ metadata: { annotations }, root: { livenessProbe: null } }, [own]))).toEqual([]);
  });

  it('searches only the Pod template of a custom kind', () => {
    const manifest = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      metadata: { name: 'web' },
      spec: { livenessProbe: probe, template: { spec: { containers: [appContainer()], readinessProbe: probe } } },
    };
    expect(misplaced(manifest).map(({ path }) => formatPath(path))).toEqual(['spec.template.spec.readinessProbe']);
  });

  it('searches a document that is nested very deeply, and an aliased value once', () => {
    let deep: JsonObject = { livenessProbe: probe };
    for (let depth = 0; depth < 1000; depth++) deep = { a: deep };
    expect(misplaced(deployment({ podSpec: { deep, again: deep } }))).toHaveLength(1);
  });
});
