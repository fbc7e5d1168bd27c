import { installPeer } from './install-peer.mjs';
import { locateWorkspaceDriver } from './locate-workspace-driver.mjs';

/** @typedef {import('./driver-catalog.mjs').Driver & { path: string }} ReadyDriver */

/**
 * Makes every driver ready to run. A peer that cannot be installed is left out, with the reason; without its floor
 * and without ours there is nothing to compare, so these must be there.
 * @param {readonly import('./driver-catalog.mjs').Driver[]} drivers
 * @param {{ mayInstall: boolean, log: (text: string) => void }} options
 * @returns {Promise<{ ready: ReadyDriver[], missing: Array<{ name: string, reason: string }> }>}
 * @throws when a floor or a driver of ours cannot run
 */
export async function prepareDrivers(drivers, options) {
  const ready = [];
  const missing = [];
  // Ours first: to learn after five minutes of installing that nothing was built helps nobody.
  const order = [...drivers].sort((left, right) => Number(!left.workspace) - Number(!right.workspace));
  for (const driver of order) {
    try {
      const path = await (driver.workspace ? locateWorkspaceDriver(driver) : installPeer(driver, options));
      ready.push({ ...driver, path });
    } catch (error) {
      if (driver.workspace) throw new Error(`${driver.name} cannot run: ${error.message}${HINT}`, { cause: error });
      if (driver.name === driver.floor) throw new Error(`${driver.name}, a floor, cannot run: ${error.message}`);
      missing.push({ name: driver.name, reason: error.message });
      options.log(`leaving out ${driver.name}: ${error.message}`);
    }
  }
  return { ready: drivers.flatMap(({ name }) => ready.filter((each) => each.name === name)), missing };
}

const HINT = '\n(without ours: --drivers with the names of the others)';
