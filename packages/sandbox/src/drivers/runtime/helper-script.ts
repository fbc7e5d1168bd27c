/**
 * The program of the helper process: it holds the runtime, whose settings belong to a whole process, with the settings of one sandbox. Its
 * own directory is that of the sandbox, which is where the runtime looks for files to protect. Answers to messages on its channel, and ends
 * with it.
 */
export const HELPER = `
const { SandboxManager: runtime, SandboxRuntimeConfigSchema } = await import(process.argv[1]);
const { dirname } = await import('node:path');
const { rmSync } = await import('node:fs');
process.on('disconnect', async () => {
  await runtime.reset().catch(() => undefined);
  rmSync(dirname(process.env.HOME), { recursive: true, force: true });
  process.exit();
});
const jobs = {
  async open({ config }) {
    const { errors } = runtime.checkDependencies(config.ripgrep);
    if (errors.length > 0) throw new Error(errors.join('; '));
    const checked = SandboxRuntimeConfigSchema.safeParse(config);
    if (!checked.success) throw new Error(checked.error.issues.map(({ message }) => message).join('; '));
    await runtime.initialize(config);
    await runtime.waitForNetworkInitialization();
    return [runtime.getLinuxHttpSocketPath(), runtime.getLinuxSocksSocketPath()].filter(Boolean);
  },
  async wrap({ line, filesystem, commandId }) {
    const { argv } = await runtime.wrapWithSandboxArgv(line, '/bin/bash', { filesystem }, undefined, undefined, { commandId });
    return argv;
  },
  async finish({ commandId }) {
    runtime.cleanupAfterCommand();
    return runtime.getSandboxViolationStore().getViolationsForCommand(commandId).map(({ line }) => line);
  },
};
process.on('message', async ({ id, job, ...rest }) => {
  try {
    process.send({ id, value: (await jobs[job](rest)) ?? null });
  } catch (error) {
    process.send({ id, error: String(error?.message ?? error) });
  }
});
process.send({ ready: true });
`;
