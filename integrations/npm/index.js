// Modules run in the order of their imports.
import './dist/refuse-old-node.js';

export * from './dist/api.js';
