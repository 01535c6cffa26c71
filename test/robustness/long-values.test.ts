import { describeLongValues } from '../long-value-times.ts';

// etcd stores objects of at most 1.5 MiB, with all that surrounds the texts.
describeLongValues(1024 * 1024);
