import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasBubblewrap } from '../../sandbox/test/has-bubblewrap.ts';
import { commands } from './shown/commands.ts';
import { httpServer } from './shown/http-server.ts';
import { manyWorkers } from './shown/many-workers.ts';
import { mcpTools } from './shown/mcp-tools.ts';
import { webChat } from './shown/web-chat.ts';

const folder = fileURLToPath(new URL('../../../examples', import.meta.url));

/** What each example shows, in the order in which it shows it. */
const shown: Readonly<Record<string, readonly string[]>> = {
  demo: [
    'alwaysAsk    Bash(git push *)',
    '✖ counts a line without a quantity once',
    'allow: the rule Edit(cart.js) allows it',
    '-    sum += line.price * line.quantity;',
    '+    sum += line.price * (line.quantity ?? 1);',
    'Bash matches your rule Bash(git push *)',
    'Allow? [Y/n] y',
    '✔ the tests pass',
    '✔ the commit is at the origin',
    '$ kill -9 ',
    'goes on with the run, from the log',
    '└ A2 was paid before the crash, says the ledger.',
    '✔ payment A1: already done, not repeated (1 receipt, by ',
    '✔ payment A2: interrupted, looked up, not repeated (1 receipt, by ',
    '✔ two subagents were at work at the same time',
    '✔ every file is as it was, byte for byte',
    '21 model calls of 6 agents',
    'ms a turn',
  ],
  'quick-start': [
    '● Bash',
    '● Edit',
    'success: ',
    '12 messages found',
    'I changed cart.js',
    'The repaired test passes.',
  ],
  'guarded-agent': [
    'allow (allow_rule): the rule Bash(ls *) allows it',
    'deny (deny_rule): the rule Read(**/.env) denies it',
    '⎿ No matches.',
    'deny (hook): this project is built without the network',
    'ask (ask_rule): the rule Bash(rm *) asks for it',
    'deny (can_use_tool): The user said no.',
    'allow (can_use_tool)',
    '(Write was noted in the audit log.)',
    '> CHANGELOG.md must name the version, 1.4.0.',
    'success: ',
    '## 1.4.0',
  ],
  'sandboxed-agent': hasBubblewrap
    ? [
        'allow (sandbox): it runs inside the sandbox',
        'pass 1',
        '! network: collector.example.com',
        '! file: .git/hooks/pre-commit',
        '! file: .mcp.json',
        '! file: /etc/cron.d/job',
        'keys: 0, files of the home: 0',
        'no end of processes: ',
        '⎿ Tested',
        'In the project: .git, cart.test.js, setup.sh; a hook of git: no',
      ]
    : ['No sandbox on this machine', 'bubblewrap: '],
  'http-server': httpServer,
  'mcp-server': [
    '● mcp__warehouse__ask-warehouse {"question":"How many lamps are there?"}',
    '⎿ There are 7 lamps on the shelf.',
    'The warehouse says: There are 7 lamps on the shelf.',
    'closed',
  ],
  'mcp-tools': mcpTools,
  undo: [
    'before       cart.js docs prices.json todo.txt',
    'after        NOTES.md basket.js prices.json todo.txt',
    'would restore cart.js, docs, docs/pay.md, prices.json; remove basket.js; leave NOTES.md',
    'modify prices.json +1 -1',
    'NOTES.md cart.js docs prices.json todo.txt',
    'prices are 0.2 again',
    'yours: todo.txt has "my own plan", and NOTES.md was left',
    'brought back NOTES.md basket.js prices.json todo.txt',
  ],
  subagents: [
    '[reader] Read',
    'Both have answered. The code adds up price times quantity. There are 2 tests.',
    'main > reader',
    'gpt-4.1-nano: 2 calls, $0.0000',
    'in all: 6 calls, ',
  ],
  roles: [
    'Reader\n● Read',
    '● publish {"text":"The cart adds up."}\n  ⎿ 工具 publish 对此岗位不可用',
    'I may not publish; an editor can.',
    'Editor\n● Read',
    '● publish {"text":"The cart adds up."}\n  ⎿ Published: The cart adds up.',
    'It is published.',
  ],
  organisation: [
    '● create_role {"name":"Reader"',
    '● spawn_agent_with_task ',
    'root: cart.js adds up, shop.js opens the shop.',
    'Roles: Reader (workspace); agents: 3',
    'Found again: 3 agents, root knows ',
  ],
  'four-providers': [
    'chat, gpt-4o-mini',
    '● stock {"item":"lamp"}',
    'We have 7 of lamp.',
    'asked at /v1/chat/completions',
    'responses, gpt-5-mini',
    'We have 7 of lamp.',
    'asked at /v1/responses',
    'anthropic, claude-haiku-4-5',
    'We have 7 of lamp.',
    'asked at /v1/messages',
    'gemini, gemini-2.5-flash',
    'We have 7 of lamp.',
    'asked at /v1beta/models/gemini-2.5-flash:streamGenerateContent',
    'azure, my-deployment',
    'We have 7 of lamp.',
    'asked at /openai/v1/chat/completions',
    'chat begins a conversation',
    'responses goes on, with 4 messages',
    'anthropic goes on, with 6 messages',
    'gemini goes on, with 8 messages',
    'azure goes on, with 10 messages',
    'You asked: "How many lamps do we have?"',
  ],
  'structured-output': [
    'HIGH: Cart total is NaN, seen on a Saturday, workaround: none',
    '  1. Add a lamp',
    '"severity":"urgent"',
    '> Your answer was not accepted',
    '- severity: Invalid option',
    '- seenOn: is no date',
    'success: {"title":"Cart total is NaN"',
    'OUTPUT_INVALID after 3 turns, 2 of them repairs: "Roses are red, carts are NaN."',
    '  the answer: The answer is not JSON',
  ],
  'record-and-replay': [
    'The service says: Lisbon Waits for the Sun',
    'Recorded: POST /chat/completions, 200, ',
    '  authorization: REDACTED; the city is not seen',
    '✔ a headline has five words at most, and no full stop',
    'pass 1',
  ],
  'resume-after-crash': [
    '● pay {"invoice":"17","amount":40}',
    'The first process was killed with -9. Its log:',
    'owner 1  tool_started: pay, non_idempotent',
    'owner 1  tool_started: write_letter, non_idempotent',
    'Another process goes on.',
    'reconcile is asked what became of pay',
    '⎿ pay: Invoice 17 is paid, once, as the ledger says.',
    '⎿ write_letter: write_letter was interrupted; its effect is not known.',
    'success: ',
    'owner 2  tool_finished: effect not known',
    'Effects in the world outside: 2, as many as calls.',
  ],
  fork: [
    'Something funny instead. -> Tea-rannosaurus is free.',
    'begins with 4 of 8 messages',
    'Which names have we had? -> In this conversation: Leaf & Kettle.',
    'the conversation itself is as it was',
    'Which names have we had? -> In this conversation: Leaf & Kettle, Tea-rannosaurus.',
    'INVALID_FORK_POINT: ',
    '(a fork of the other)',
  ],
  background: [
    'the sender waits for nobody',
    'Order 1 is delivered.',
    'Order 2 is on its way.',
    'It leaves the run where it is.',
    'And order 8? | I look.\n',
    'its asks are gone',
    'And order 8? | I look. | Order 8 is on its way.',
    'And order 5? | I look. | Order 5 is delivered.',
  ],
  approvals: [
    'ends when only a person can go on:\n  waiting',
    'AskUser {"question":"Where do the lamps go?"',
    'AskUser: The user chose: shop',
    'pay {"supplier":"Lumen","euros":40} -> {"behavior":"allow"}',
    'pay: Paid 40 euros to Lumen.',
    'pay: pay was not run: That is too much for lamps.',
    'success: ',
    'Paid, each once: Lumen 40',
  ],
  worker: [
    'This one sends, and runs nothing.',
    'Anna sees user_message: How many lamps do we have?',
    'Anna sees tool_started',
    'killed with -9 in the middle of its tool',
    'Anna sees run_resumed',
    'Anna sees tool_result: there are 7 lamps',
    'Anna sees result: success',
    'Ben sees permission',
    'Ben sees result: success',
    'Anna has seen 11 events, Ben the last 8 of them, each once.',
    'The conversation has 4 messages.',
  ],
  'many-workers': manyWorkers,
  'web-chat': webChat,
  diagnose: [
    'ok       node       Node ',
    'ok       packages   @x/session ',
    'ok       store      SQLite (wal) wrote, synced and read back in ',
    '  providers  ',
    'Sessions work on this host.',
  ],
  commands,
  'validate-json': [
    "fits: { items: [ 'desk-lamp' ], urgent: false }",
    '/urgnt: Unknown parameter: urgnt',
    'did you mean minLength?',
    'notes: /minlength, /format',
    'steep pattern: Invalid value: expected a match of ^(a+)+$',
  ],
  'judge-commands': [
    'git log --oneline | grep fix\n  run',
    'git log > out.txt\n  ask: an output redirect',
    '-exec rm {} +\n  refuse',
    'ls | xargs rm\n  refuse',
    'eval "$CLEAN"\n  refuse',
  ],
  'custom-agent': ['2 + 3 = 5!\n40 + 2 = 42!', '(2 turns)', '(remembered)', '(success)'],
};

/** Runs a program of an example without a key, on the sources; rejects when it fails. */
async function outputOf(path: string, more: NodeJS.ProcessEnv = {}): Promise<string> {
  const { OPENAI_API_KEY: _, REAL_SERVICES: __, ...env } = process.env;
  const running = promisify(execFile)(process.execPath, [join(folder, path)], {
    env: { ...env, ...more, NODE_OPTIONS: '--conditions=@x/source' },
    timeout: 200_000,
  });
  running.child.stdin?.end();
  return (await running).stdout;
}

function positionsOf(texts: readonly string[], output: string): readonly number[] {
  const positions: number[] = [];
  for (const text of texts) positions.push(output.indexOf(text, positions.at(-1) ?? 0));
  return positions;
}

describe('the examples', () => {
  it('are all known here', () => {
    const found = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'main.ts')));

    expect(found.toSorted()).toEqual(Object.keys(shown).toSorted());
  });

  it.concurrent.each(Object.entries(shown))(
    '%s runs without a key, shows its point and ends by itself',
    async (name, texts) => {
      const output = await outputOf(`${name}/main.ts`);

      const missing = texts.filter((_, index) => positionsOf(texts, output)[index] === -1);
      expect(missing).toEqual([]);
    },
    240_000, // many start at once, on a machine that may be busy
  );

  it('have a demo that fails when its tool claims to be repeatable and pays twice (control)', async () => {
    const error: unknown = await outputOf('demo/main.ts', { DEMO_PAY_EFFECT: 'idempotent' }).catch((caught) => caught);

    expect(error).toMatchObject({ code: 1, stdout: expect.stringContaining('✖ payment A2') });
  }, 240_000);

  it('would be seen to fail (control)', async () => {
    await expect(outputOf('quick-start/none.ts')).rejects.toThrow('Command failed');
    expect(positionsOf(['b', 'a'], 'ab')).toEqual([1, -1]);
  });
});
