import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, objectSchema } from '@x/agent-sdk';
import type { SessionProfile } from '@x/agent-sdk/http/sessions';
import type { Question, Reply, Service } from 'fake-provider';

/** Profiles of the front and the workers: a client chooses a name, a worker finds the options under it. */
export function profilesOf({ provider, model }: Omit<Service, 'stop'>): Record<string, SessionProfile> {
  const count = defineTool({
    name: 'count',
    description: 'Counts what is in the warehouse.',
    kind: 'readonly',
    effect: 'pure', // may be run again after a crash
    inputSchema: objectSchema({ what: { type: 'string', description: 'What to count.' } }),
    async execute({ what }, { signal }) {
      console.log(`  worker ${process.pid} counts ${what}`);
      await sleep(Number(process.env['COUNT_MS'] ?? 5_000), undefined, { signal });
      return `there are 7 ${what}`;
    },
  });
  return { warehouse: { provider, model, tools: [count], allowedTools: ['count'] } };
}

/** Lines of the scripted model: it counts before it answers. */
export function script({ question, answers: [answer] }: Question): Reply {
  if (answer === undefined) return { say: 'I count.', calls: [{ name: 'count', input: { what: 'lamps' } }] };
  return { say: `To "${question}": ${answer}.` };
}
