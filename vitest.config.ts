import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const support = join(import.meta.dirname, 'test', 'support');

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Far above what any test takes: a limit is for a hang, not for a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // The same for a state that is waited for: one limit for all, so that none is named beside a poll.
    expect: { poll: { timeout: 60_000, interval: 10 } },
    // Tests start real engine processes: more workers than cores only makes them slower.
    maxWorkers: 2,
    globalSetup: join(support, 'builtProcesses.ts'),
    // Engine processes are those that are built once for the run.
    alias: [{ find: './engineCommand.ts', replacement: join(support, 'builtEngineCommand.ts') }],
  },
});
