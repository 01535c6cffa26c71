/**
 * The one class that is used of client-node, in a module of its own: imported when needed only, and small in the
 * bundle, where the rest of client-node is left out.
 */
export { KubeConfig } from '@kubernetes/client-node';
