/** In a module of its own: imported when needed only, and the bundle leaves out the rest of client-node. */
export { KubeConfig } from '@kubernetes/client-node';
