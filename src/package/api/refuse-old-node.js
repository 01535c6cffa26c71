// The npm package imports this file before the API: an old Node stops here with a sentence.
import { oldNode } from '../../base/old-node.js';

if (oldNode !== undefined) throw new Error(oldNode);
