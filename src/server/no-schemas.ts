/**
 * Fastify's `schemaController` for routes without JSON schemas. Fastify would load the compilers of schemas for them all the same, which are a third of
 * the program's source: it starts sooner without.
 */
export const NO_SCHEMAS = {
  compilersFactory: {
    buildValidator: noCompiler,
    buildSerializer: noCompiler,
  },
};

function noCompiler(): never {
  throw new Error('no route has a schema: there is nothing that compiles one');
}
