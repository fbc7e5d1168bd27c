import type { Question, Reply } from 'fake-provider';

/** Pays and writes, both at once; then tells what it was told. */
export function script({ answers }: Question): Reply {
  if (answers.length === 0) return BOTH_AT_ONCE;
  const [paid = '', written = ''] = answers;
  const unknown = written.includes('not known')
    ? ' I cannot tell whether the letter went out, and did not write again.'
    : '';
  return { say: `${paid}${unknown}` };
}

const BOTH_AT_ONCE: Reply = {
  say: 'I pay the invoice and write to ACME. ',
  calls: [
    { name: 'pay', input: { invoice: '17', amount: 40 } },
    { name: 'write_letter', input: { to: 'ACME', text: 'Invoice 17 is paid.' } },
  ],
};
