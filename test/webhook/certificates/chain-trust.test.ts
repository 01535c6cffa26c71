import { describe, expect, it } from 'vitest';
import { createAuthority, issueLeaf } from '../../../src/webhook/certificates/certificate-authority.ts';
import { isChainTrusted } from '../../../src/webhook/certificates/chain-trust.ts';
import { makeIntermediate } from './intermediate.ts';

const NOW = Date.now();
const DAY = 86_400_000;
const [root, namesake, other] = await Promise.all(
  ['root', 'root', 'other'].map((name) => createAuthority(name, NOW, DAY)),
);
if (root === undefined || namesake === undefined || other === undefined) throw new Error('no CAs');
const names = { commonName: 'x', dns: ['x'] };
const leaf = await issueLeaf(root, names, NOW, DAY);
const intermediate = await makeIntermediate(root, 'intermediate', NOW, DAY);
const deepLeaf = await issueLeaf(intermediate, names, NOW, DAY);

describe('a chain is trusted', () => {
  it.each([
    ['when a root has signed the leaf', leaf.cert, root.cert, true],
    ['when one root of several has', leaf.cert, other.cert + root.cert, true],
    ['by way of an intermediate certificate', deepLeaf.cert + intermediate.cert, root.cert, true],
    ['with the root at the end of the chain', deepLeaf.cert + intermediate.cert + root.cert, root.cert, true],
    ['when the intermediate itself is what clients trust', deepLeaf.cert, intermediate.cert, true],
    ['when the leaf itself is what clients trust', leaf.cert, leaf.cert, true],
    ['not without the intermediate certificate', deepLeaf.cert, root.cert, false],
    ['not by another root', leaf.cert, other.cert, false],
    ['not by a root that only has the name of the right one', leaf.cert, namesake.cert, false],
    ['not because the chain brings its root along', deepLeaf.cert + intermediate.cert + root.cert, other.cert, false],
    ['not without roots', leaf.cert, 'no PEM', false],
    ['not when there is no chain', '', root.cert, false],
  ])('%s', (_when, chain, roots, expected) => {
    expect(isChainTrusted(chain, roots)).toBe(expected);
  });
});
