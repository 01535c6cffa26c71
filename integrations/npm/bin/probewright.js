#!/usr/bin/env node
await import('../dist/probewright.js');
