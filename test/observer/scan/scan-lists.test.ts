import { collectionPath } from '../../../src/cluster/client/api-path.ts';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_CLUSTER_KINDS } from '../../../src/cluster/sources/cluster-kinds.ts';
import { BUILT_IN_KINDS, workloadKind } from '../../../src/engine/workload/kinds.ts';
import { NamespaceShares } from '../../../src/observer/namespace-shares.ts';
import { OBSERVED_POD, workloadKey, type ObservedKind } from '../../../src/observer/observed-workload.ts';
import { kindKey, listsFor } from '../../../src/observer/scan/scan-lists.ts';
import type { WorkloadRecords } from '../../../src/observer/scan/verdicts.ts';
import type { AffectedNamespaces } from '../../../src/observer/scan/affected-namespaces.ts';

const kinds = ['Deployment', 'StatefulSet'].map((name): ObservedKind => {
  const served = BUILT_IN_CLUSTER_KINDS.find(({ kind }) => kind === name);
  const templates = workloadKind('apps', name, BUILT_IN_KINDS);
  if (served === undefined || templates === undefined) throw new Error(`no kind ${name}`);
  return { served, templates };
});

/** The records of these workloads, as `namespace/kind/count`. */
function recordsOf(...given: readonly string[]): WorkloadRecords {
  const records: WorkloadRecords = new NamespaceShares(Infinity);
  for (const each of given) {
    const [namespace = '', kind = '', count] = each.split('/');
    for (let index = 0; index < Number(count); index++) {
      const workload = {
        apiVersion: 'apps/v1',
        group: 'apps',
        kind,
        namespace,
        name: `w-${index}`,
        uid: `${each}${index}`,
      };
      records.set(namespace, workloadKey(workload), { workload, digest: '', isClean: true, version: 1, findings: [] });
    }
  }
  return records;
}
const lists = (scope: AffectedNamespaces, records: WorkloadRecords, podNamespaces: readonly string[] = []): string[] =>
  listsFor(scope, kinds, podNamespaces, records).map(({ kind, namespace, query }) =>
    [collectionPath(kind.served, namespace), ...Object.values(query)].join('?'),
  );

describe('the lists of a scan', () => {
  it('of all namespaces are one for each kind, and Pods where there are some without a controller', () => {
    expect(lists('all', recordsOf('shop/Deployment/1'), ['blog', 'shop'])).toEqual([
      '/apis/apps/v1/deployments',
      '/apis/apps/v1/statefulsets',
      '/api/v1/namespaces/blog/pods?status.phase!=Succeeded',
      '/api/v1/namespaces/shop/pods?status.phase!=Succeeded',
    ]);
  });

  it('of some namespaces are those of the kinds that each has', () => {
    const records = recordsOf('shop/Deployment/2', 'blog/StatefulSet/1', 'other/Deployment/1');
    expect(lists(new Set(['shop', 'blog', 'empty']), records, ['blog', 'other'])).toEqual([
      '/apis/apps/v1/namespaces/shop/deployments',
      '/apis/apps/v1/namespaces/blog/statefulsets',
      '/api/v1/namespaces/blog/pods?status.phase!=Succeeded',
    ]);
    expect(lists(new Set(), records, ['blog'])).toEqual([]);
  });

  it('are of the whole cluster when that needs fewer requests', () => {
    const both = new Set(['a', 'b']);
    // Of 500 workloads, one page has all; of 501, two pages.
    expect(lists(both, recordsOf('a/Deployment/1', 'b/Deployment/499'))).toEqual(['/apis/apps/v1/deployments']);
    expect(lists(both, recordsOf('a/Deployment/1', 'b/Deployment/500'))).toEqual([
      '/apis/apps/v1/namespaces/a/deployments',
      '/apis/apps/v1/namespaces/b/deployments',
    ]);
  });

  it('know a kind by its group, too', () => {
    expect([kindKey({ group: 'apps', kind: 'Deployment' }), kindKey(OBSERVED_POD.served)]).toEqual([
      'apps/Deployment',
      '/Pod',
    ]);
  });
});
