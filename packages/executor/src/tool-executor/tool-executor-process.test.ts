import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../test/programs/short-calls.ts', import.meta.url));

describe('a program with a ToolExecutor', () => {
  it('ends as soon as its calls have, and hears of no late rejection', async () => {
    // Far below the time-out of 30 seconds, which would keep the process as long as its timer.
    const { stdout } = await run(process.execPath, ['--conditions=@x/source', '--no-warnings', program], {
      timeout: 15_000,
    });

    expect(JSON.parse(stdout)).toEqual({ failure: 'TimeoutError', unhandled: 0, timers: 0 });
  });
});
