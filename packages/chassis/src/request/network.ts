import { isIPv6 } from "node:net";

/**
 * What an address is counted as: an IPv4 address as itself, an IPv6 one as its /64, which is what one customer is given (RFC
 * 6177); an IPv4 address written in IPv6 is the IPv4 one. What is no address is itself.
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
