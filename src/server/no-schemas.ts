/**
 * Fastify's `schemaController` for routes without JSON schemas. Fastify would load its schema compilers even without
 * schemas. The compilers are a third of the program's source, so the server starts sooner without them.
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
