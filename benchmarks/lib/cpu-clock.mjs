/**
 * The CPU time that this process has used, all threads and garbage collection included, in microseconds; with
 * `spawnsChild`, that of its child processes as well.
 */
export async function createCpuClock({ spawnsChild = false } = {}) {
  if (!spawnsChild) return ownCpu;
  const { childProcesses } = await import('./child-processes.mjs');
  return () => ownCpu() + childProcesses().cpuUs;
}

function ownCpu() {
  const { user, system } = process.cpuUsage();
  return user + system;
}
