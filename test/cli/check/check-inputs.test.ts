import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/check/check-inputs.test.ts');
