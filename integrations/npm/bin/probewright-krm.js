#!/usr/bin/env node
// kustomize and kpt start a function without arguments.
process.argv.splice(2, process.argv.length, 'krm-function');
await import('./probewright.js');
