import { rejection, same } from './contract-case.ts';
import type { WorkspaceCase } from './workspace-case.ts';

const LOOPBACK = ['http://127.0.0.1:9/', 'http://0x7f.1:9/', 'http://[::1]:9/', 'http://localhost:9/'];

/** Cases about requests. */
export const networkCases: readonly WorkspaceCase[] = LOOPBACK.map((url) => [
  `asks about the address of ${url}, and sends nothing when it is refused`,
  async (workspace) => {
    const asked: string[] = [];
    const admitsAddress = (address: string) => {
      asked.push(address);
      return false;
    };

    const code = await rejection(
      workspace.fetch(new Request(url), { admitsAddress }),
      'a request to a refused address',
    );

    same(code, 'AUTHORIZATION_ERROR', 'the code of the refusal');
    same(
      [...new Set(asked)].filter((address) => address !== '127.0.0.1' && address !== '::1'),
      [],
      'other addresses',
    );
    same(asked.length > 0, true, 'whether an address was asked about');
  },
]);
