import type { SandboxViolation } from '../../driver/driver.ts';

/** How programs tell that the kernel has refused something: by the text of the error (strerror(3)), behind what it was about. */
const OF_FILES =
  /(?:['"‘`]([^'"‘’`]+)['"’`]|(?:^|[\s(:])([^\s'"‘’`:()]+))\)?(?: for (?:reading|writing))?: (?:(?:Read-only file system|Permission denied|Device or resource busy)|(Is a directory))/;
/** As Node and Python tell it. */
const OF_RUNTIMES = /(?:\b(?:EROFS|EACCES): |\[Errno (?:13|30)\] )[^']*'([^']+)'/;
const OF_HOSTS = [
  /[Cc]ould not resolve (?:host|proxy|hostname):? ([^\s;,():]+)/,
  /(?:getaddrinfo|ENOTFOUND|EAI_AGAIN) (?:EAI_AGAIN |ENOTFOUND )?([a-z0-9][\w.-]*\.[a-z]{2,})/i,
  /(?:connect )?ENETUNREACH (\S+)/,
  /unable to resolve host address ['"‘]([^'"’]+)/,
  /[Ff]ailed to connect to (\S+) port/,
];
const MOST = 50;

/**
 * The refused accesses that a command has told on stderr. Only these can be known from outside: the kernel refuses without a record. Refused
 * are writes to what is read-only or covered, and hosts without a network; what is hidden is simply not there. `isCovered`
 * tells where a directory stands in for a protected file.
 */
export function violationsIn(stderr: string, isCovered: (path: string) => boolean): SandboxViolation[] {
  const found = new Map<string, SandboxViolation>();
  for (const line of stderr.split('\n')) {
    const [, quoted, bare, isDirectory] = OF_FILES.exec(line) ?? [];
    const path = quoted ?? bare;
    if (path !== undefined && (!isDirectory || isCovered(path)))
      found.set(`file ${path}`, { kind: 'file', detail: path });
    const told = OF_RUNTIMES.exec(line)?.[1];
    if (told !== undefined) found.set(`file ${told}`, { kind: 'file', detail: told });
    for (const pattern of OF_HOSTS) {
      const host = pattern.exec(line)?.[1];
      if (host !== undefined) found.set(`network ${host}`, { kind: 'network', detail: host });
    }
    if (found.size >= MOST) break;
  }
  return [...found.values()];
}
