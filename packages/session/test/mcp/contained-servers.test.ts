import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasBubblewrap, NEEDS_BUBBLEWRAP } from '../support/has-bubblewrap.ts';
import { only, say, scriptedSession } from '../support/makers.ts';

/** A server in one file, whose tool writes beside itself and outside. */
const SERVER = `
const { createInterface } = require('node:readline');
const { writeFileSync } = require('node:fs');
const tried = (path) => { try { writeFileSync(path, 'x'); return 'written'; } catch (error) { return error.code; } };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'write', description: 'Writes.', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: ['inside', process.argv[2]].map(tried).join() }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: (answers[method] ?? (() => ({})))(params) }));
});
`;

describe.skipIf(!hasBubblewrap)(`stdio servers of a session with a sandbox${NEEDS_BUBBLEWRAP}`, () => {
  it.each([true, false])(
    'write nothing outside of it with sandbox.mcp: %s (B23; false is the control)',
    async (mcp) => {
      const around = mkdtempSync(join(tmpdir(), 'contained-mcp-'));
      onTestFinished(() => rmSync(around, { recursive: true }));
      const [cwd, outside] = [join(around, 'work'), join(around, 'outside')];
      mkdirSync(cwd);
      writeFileSync(join(cwd, 'server.cjs'), SERVER);
      const { session } = await scriptedSession(
        ({ messages }) =>
          messages.length === 1 ? { toolCalls: [{ name: 'mcp__own__write', input: {} }] } : { text: 'Done.' },
        {
          cwd,
          allowedTools: ['mcp__own__write'],
          permissionMode: 'bypassPermissions',
          sandbox: { enabled: true, mcp, filesystem: { allowRead: [dirname(process.execPath)] } },
          mcpServers: { own: { command: process.execPath, args: ['server.cjs', outside] } },
          mcpStartWait: 20_000,
        },
      );
      onTestFinished(() => session.close());

      const [result] = only(await say(session, 'Begin.'), 'tool_result');

      expect(result?.output).toMatch(/^written,/); // what it calls /tmp is its own
      expect(readFileSync(join(cwd, 'inside'), 'utf8')).toBe('x');
      expect(existsSync(outside)).toBe(!mcp);
    },
  );
});
