import type { Question, Reply } from 'fake-provider';

/** Plays root and its readers, told apart by their instructions. */
export function script(asked: Question): Reply {
  return asked.instruction.includes('You are root.') ? leads(asked) : reads(asked);
}

function leads({ question, turn, answers, messages }: Question): Reply {
  if (!question.startsWith('What do')) {
    // Answers come one by one; all of them are in the conversation.
    const said = JSON.stringify(messages);
    const both = said.includes('It adds up.') && said.includes('It opens the shop.');
    return { say: both ? 'cart.js adds up, shop.js opens the shop.' : 'One has answered, I wait for the other.' };
  }
  if (turn === 0) {
    const input = { name: 'Reader', rolePrompt: 'You are a reader. Be brief.', toolGroups: ['workspace'] };
    return { say: '', calls: [{ name: 'create_role', input }] };
  }
  const roleId = /"roleId":"([^"]+)"/.exec(answers[0] ?? '')?.[1] ?? '';
  const task = (file: string) => ({ name: 'spawn_agent_with_task', input: { roleId, task: `What does ${file} do?` } });
  if (turn === 1) return { say: '', calls: [task('cart.js'), task('shop.js')] };
  return { say: 'Two readers are at work.' };
}

function reads({ question, turn }: Question): Reply {
  const path = /What does (\S+) do/.exec(question)?.[1] ?? '';
  if (turn === 0) return { say: '', calls: [{ name: 'read_file', input: { path } }] };
  return { say: path === 'cart.js' ? 'It adds up.' : 'It opens the shop.' };
}
