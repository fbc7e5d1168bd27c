import { execFile, execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Nothing of the user's git settings, hooks and signing keys takes part. */
export const GIT_ENV = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/** A project whose test fails, under git, with an origin to push to; both are thrown away. */
export interface Project {
  readonly cwd: string;
  /** What has changed since the last commit, as git shows it. */
  diff(color: boolean): string;
  testsPass(): Promise<boolean>;
  /** Subject of the last commit that has arrived at the origin. */
  pushed(): string;
}

export function createProject(folder: string): Project {
  const cwd = join(folder, 'project');
  const origin = join(folder, 'origin.git');
  cpSync(join(import.meta.dirname, '../quick-start/sample'), cwd, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', cwd, ...args], { env: { ...process.env, ...GIT_ENV }, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Demo');
  git('config', 'user.email', 'demo@example.com');
  git('init', '-q', '--bare', '-b', 'main', origin);
  git('remote', 'add', 'origin', '../origin.git');
  git('add', '.');
  git('commit', '-qm', 'A cart');
  git('push', '-q', 'origin', 'main');
  return {
    cwd,
    diff: (color) => git('diff', '-U1', '--no-prefix', `--color=${color ? 'always' : 'never'}`),
    testsPass: async () => {
      const running = promisify(execFile)(process.execPath, ['--test'], { cwd });
      return await running.then(
        () => true,
        () => false,
      );
    },
    pushed: () => git('-C', origin, 'log', '-1', '--format=%s', 'main').trim(),
  };
}
