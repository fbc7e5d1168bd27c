import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkpointed, made, picture, place, write } from '../support/checkpointed.ts';

describe('a rewind of a session that is aborted (ZC14)', () => {
  const begun = async () => {
    const { folder } = place();
    const session = await checkpointed(folder);
    await made(session, write('a', 'old'));
    const [before, kept] = [picture(folder), session.messages];
    const message = await made(session, write('a', 'new'), write('b', 'new'));
    return { folder, session, message, before, kept, after: picture(folder), messages: session.messages };
  };
  const isRestored = (folder: string) => readFileSync(join(folder, 'a'), 'utf8') === 'old';

  it('before something is changed changes neither files nor conversation, and the session goes on', async () => {
    const { folder, session, message, before, after, messages } = await begun();
    const signal = AbortSignal.abort();

    for (const act of [
      () => session.rewindFiles(message, { signal }),
      () => session.rewind({ messageId: message, signal }),
      () => session.rewind({ messageId: message, files: false, signal }),
    ]) {
      await expect(act()).rejects.toMatchObject({ code: 'ABORTED' });
    }

    expect(picture(folder)).toEqual(after);
    expect(session.messages).toEqual(messages);
    expect(await session.rewindFiles(message)).toMatchObject({ success: true });
    expect(picture(folder)).toEqual(before);
  });

  it('between the look at the files and the first change changes nothing either', async () => {
    const { folder, session, message, after, messages } = await begun();
    const { signal } = new AbortController();
    let looks = 0;
    Object.defineProperty(signal, 'aborted', { get: () => ++looks > 3 });

    await expect(session.rewind({ messageId: message, signal })).rejects.toMatchObject({ code: 'ABORTED' });

    expect(picture(folder)).toEqual(after);
    expect(session.messages).toEqual(messages);
  });

  it('once a file is changed is completed, files and conversation', async () => {
    const { folder, session, message, before, kept } = await begun();
    const { signal } = new AbortController();
    Object.defineProperty(signal, 'aborted', { get: () => isRestored(folder) });

    const result = await session.rewind({ messageId: message, signal });

    expect(result).toMatchObject({
      success: true,
      files: { success: true },
      conversation: { message: { id: message } },
    });
    expect([picture(folder), session.messages]).toEqual([before, kept]);
  });

  it('is refused with an option that is misspelt, or a signal that is none', async () => {
    const { session, message } = await begun();
    const wrong = { messageId: message, singal: AbortSignal.abort() };

    await expect(session.rewind(wrong)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(session.rewindFiles(message, { signal: {} as AbortSignal })).rejects.toMatchObject({
      field: 'signal',
    }); // wrong on purpose
  });
});
