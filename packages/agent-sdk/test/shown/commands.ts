/** What `examples/commands` shows. */
export const commands: readonly string[] = [
  '/compact [instructions]          Puts a summary',
  '/git:message                     Writes a commit message',
  '/review <file> [what to heed]    Reviews a file',
  'I was sent: "Review cart.js. Heed above all: the rounding of cents."',
  'I was sent: "Write a commit message for this change, in one line: Cents are rounded once, at the end."',
  'I was sent: "/usr/local is full, by the way."',
  'The conversation was compacted: 6 messages became 3',
  'I was sent: "What have we done?", and know 3 messages before it',
];
