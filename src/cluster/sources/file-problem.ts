import type { YamlProblem } from '../../yaml/reading/documents.ts';

/** Something wrong with a policy file. Line and column count from 1. */
export type FileProblem = YamlProblem;
