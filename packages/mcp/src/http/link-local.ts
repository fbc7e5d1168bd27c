import { BlockList, isIPv6 } from 'node:net';

let blocked: BlockList | undefined;

/** True for an address of the own link, where clouds keep the keys of a machine, and for the other addresses of such services. */
export function isLinkLocal(address: string): boolean {
  blocked ??= addressesOfLinks();
  return blocked.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function addressesOfLinks(): BlockList {
  const list = new BlockList();
  list.addSubnet('169.254.0.0', 16); // RFC 3927; IPv4-mapped addresses are found by it too
  list.addSubnet('fe80::', 10, 'ipv6'); // RFC 4291
  list.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6'); // the same through NAT64 (RFC 6052)
  list.addAddress('fd00:ec2::254', 'ipv6'); // AWS
  list.addAddress('168.63.129.16'); // Azure
  list.addAddress('100.100.100.200'); // Alibaba
  list.addAddress('192.0.0.192'); // Oracle
  return list;
}
