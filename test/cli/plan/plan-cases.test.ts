import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/plan/plan-cases.test.ts');
