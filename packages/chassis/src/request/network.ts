import { isIPv6 } from "node:net";

/**
 * The network that an address is counted under: an IPv4 address as itself, an IPv6 address as its /64,
 * which is what one customer gets (RFC 6177). An IPv4-mapped IPv6 address counts as the IPv4 address. Any
 * other text is returned as it is.
 */
export function networkOf(ip: string): string {
	if (!isIPv6(ip)) return ip;
	const groups = groupsOf(ip);
	if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
		return groups
			.slice(6)
			.flatMap((group) => [group >> 8, group & 0xff])
			.join(".");
	const network = groups.slice(0, 4).map((group) => group.toString(16));
	return `${network.join(":")}::/64`;
}

/** The eight groups of an address, however it is written; a zone (`%eth0`) is left out. */
function groupsOf(ip: string): number[] {
	const plain = new URL(`http://[${ip.split("%")[0]}]`).hostname.slice(1, -1);
	const [head = "", tail] = plain.split("::");
	const read = (part: string) =>
		part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
	const before = read(head);
	if (tail === undefined) return before;
	const after = read(tail);
	return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}
