import type { Question, Reply } from 'fake-provider';

const report = {
  title: 'Cart total is NaN',
  severity: 'high',
  steps: ['Add a lamp', 'Clear its quantity', 'Look at the total'],
  seenOn: '2026-03-14',
  workaround: null,
};
const json = (value: unknown): Reply => ({ say: JSON.stringify(value) });

/** Plays a model that is not held to the schema: once it is right, once it learns, and once it does not. */
export function script({ question, messages }: Question): Reply {
  const asked = JSON.stringify(messages);
  if (asked.includes('A poem')) return { say: 'Roses are red, carts are NaN.' };
  const isRepair = question.includes('was not accepted');
  if (asked.includes('since Saturday') && !isRepair) return json({ ...report, severity: 'urgent', seenOn: 'Saturday' });
  return json(report);
}
