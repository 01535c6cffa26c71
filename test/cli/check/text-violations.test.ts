import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/check/text-violations.test.ts');
