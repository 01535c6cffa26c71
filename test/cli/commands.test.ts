import { describeCommands, isOf } from './command-cases.ts';

const ELSEWHERE = ['explain', 'fix', 'plan'].map(isOf);

describeCommands((file) => !ELSEWHERE.some((isThere) => isThere(file)));
