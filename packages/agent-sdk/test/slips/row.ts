/** An export that takes options, and how they may be written wrongly. */
export interface Row {
  /** `<package>: <export>`, with more where one export takes several objects. */
  readonly name: string;
  /** Where the options are among those of their owner, such as `hooks`; absent for the whole of them. */
  readonly path?: string;
  /** Gives the options to the export. May reject, or return a stream that fails at its first step. */
  readonly act: (options: never) => unknown;
  /** Options that are taken: the control of all others. Made afresh for each case. */
  readonly valid: () => object;
  /** Keys it knows, to be misspelt. */
  readonly keys: readonly string[];
  /** Values of a wrong type, by key. */
  readonly wrong?: Readonly<Record<string, unknown>>;
}

/** What people give in place of an object. */
export const IN_PLACE: Readonly<Record<string, unknown>> = {
  'a class': class Options {},
  'a function': () => ({}),
  'a text': 'options',
  null: null,
};

/** What comes of it: an error, or nothing. */
export async function outcomeOf(act: () => unknown): Promise<unknown> {
  try {
    const answer = await act();
    if (isStream(answer)) {
      await answer.next();
      await answer.return(undefined);
    } else await disposeOf(answer);
    return undefined;
  } catch (error) {
    return error;
  }
}

function isStream(value: unknown): value is AsyncGenerator {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

async function disposeOf(value: unknown): Promise<void> {
  const open = value as Partial<AsyncDisposable> | null | undefined; // read as possibly absent
  await open?.[Symbol.asyncDispose]?.();
}
