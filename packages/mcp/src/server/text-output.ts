/** Takes lines. */
export interface TextOutput {
  /** True while the other side does not read. */
  readonly isFull: boolean;
  write(line: string): void;
  /** Resolves when the other side has read enough, or is gone. */
  drained(): Promise<void>;
  giveBack(): void;
}

/**
 * An output for lines. The standard output is taken for them alone until it is given back: what a tool prints meanwhile goes to the
 * standard error, for a line that is no message would end the conversation.
 */
export function lentOutput(given: NodeJS.WritableStream | undefined): TextOutput {
  const stream = given ?? process.stdout;
  const write = stream.write.bind(stream);
  let isFull = false;
  let isGone = false;
  let waiting = Promise.withResolvers<void>();
  const goOn = () => {
    isFull = false;
    waiting.resolve();
    waiting = Promise.withResolvers();
  };
  const leave = () => {
    isGone = true;
    goOn();
  };
  stream.on('drain', goOn).on('error', leave).on('close', leave);
  const own = stream.write;
  if (!given) stream.write = process.stderr.write.bind(process.stderr);
  return {
    get isFull() {
      return isFull;
    },
    write(line) {
      if (!isGone) isFull = !write(`${line}\n`);
    },
    drained: async () => (isFull ? await waiting.promise : undefined),
    giveBack() {
      stream.off('drain', goOn).off('error', leave).off('close', leave);
      if (!given) stream.write = own;
    },
  };
}
