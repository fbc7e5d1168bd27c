/** Lines that `examples/many-workers` shows without Postgres. */
export const manyWorkers: readonly string[] = [
  'Sessions are kept in a file.',
  'The front listens at http://127.0.0.1:',
  'The client has sent a message to the front: ',
  'the client sees user_message: How many lamps do we have?',
  'the client sees tool_started',
  'was killed with -9 while it counts.',
  'the client sees run_resumed',
  'the client sees tool_result: there are 7 lamps',
  'the client sees message: To "How many lamps do we have?": there are 7 lamps.',
  'the client sees result: success',
  'The session is idle, with 4 messages.',
  'The front and the other worker have ended.',
];
