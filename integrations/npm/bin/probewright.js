#!/usr/bin/env node
// npm only warns about an old Node, and the program would fail somewhere in the middle.
if (Number.parseInt(process.versions.node, 10) < 22) {
  console.error(`probewright: Node.js 22 or later is needed, not ${process.versions.node}`);
  process.exit(2);
}
await import('../dist/probewright.js');
