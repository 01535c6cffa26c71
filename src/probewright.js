#!/usr/bin/env node
// The only entry point, in JavaScript that every Node can read: an older Node stops here with a sentence, and not with
// the stack trace of the first thing that it lacks.
import { oldNode } from './base/old-node.js';

if (oldNode !== undefined) {
  console.error(oldNode);
  process.exitCode = 2;
} else {
  // A command compiles half of what it runs only once. Node finds the directory, and goes on without one that it cannot
  // write. A server starts once in its container, and there the directory is new.
  const isServer = ['serve', 'observe'].includes(process.argv[2] ?? '');
  if (!isServer) process.getBuiltinModule?.('node:module').enableCompileCache?.();
  // Node's own exit code for a program that cannot be loaded is 1, which means that a violation is denied.
  import('./main.ts').catch((error) => {
    console.error(error);
    process.exit(2);
  });
}
