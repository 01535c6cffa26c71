import { readNamespaceLabels } from '../../engine/facts/namespace-labels.ts';
import type { LabelsOfNamespace } from '../../engine/facts/namespace-labels.ts';
import type { KindToMirror } from '../client/mirrored-kind.ts';

/** Namespaces: only their labels are asked for and kept. */
export const NAMESPACE_KIND: KindToMirror<LabelsOfNamespace> = {
  path: '/api/v1/namespaces',
  metadataOnly: true,
  omit: ['annotations'],
  project: ({ metadata }) => readNamespaceLabels(metadata.labels),
};
