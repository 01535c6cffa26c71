import fc from 'fast-check';

/** How the yaml package may write a document: arbitraries by the option. */
export const YAML_STYLE = {
  indent: fc.constantFrom(1, 2, 3, 4, 8),
  indentSeq: fc.boolean(),
  collectionStyle: fc.constantFrom('any' as const, 'block' as const, 'flow' as const),
  defaultStringType: fc.constantFrom(
    'PLAIN' as const,
    'QUOTE_DOUBLE' as const,
    'QUOTE_SINGLE' as const,
    'BLOCK_FOLDED' as const,
  ),
  defaultKeyType: fc.constantFrom('PLAIN' as const, 'QUOTE_DOUBLE' as const),
  flowCollectionPadding: fc.boolean(),
  lineWidth: fc.constantFrom(0, 20, 80),
};
