import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/check/policy-findings.test.ts');
