import { resumeSession } from '@x/agent-sdk';
import { show } from './terminal.ts';

const [sessionId = ''] = process.argv.slice(2);
const baseUrl = process.env['OPENAI_BASE_URL'];

const session = await resumeSession({
  sessionId,
  provider: { type: 'openai-compatible', ...(baseUrl ? { baseUrl } : {}) },
  model: process.env['MODEL'] ?? 'gpt-4o-mini',
});
console.log(`Session ${session.sessionId}: ${session.messages.length} messages found\n`);
try {
  await session.send('Which file did you change, and what was wrong with it?');
  await show(session.stream());
} finally {
  await session.close();
}
