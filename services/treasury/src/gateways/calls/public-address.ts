import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** IPv4 blocks that are not on the public internet (IANA special-purpose registry). */
const notPublic = new BlockList();
for (const [network, bits] of [
	["0.0.0.0", 8],
	["10.0.0.0", 8],
	["100.64.0.0", 10],
	["127.0.0.0", 8],
	["169.254.0.0", 16],
	["172.16.0.0", 12],
	["192.0.0.0", 24],
	["192.0.2.0", 24],
	["192.88.99.0", 24],
	["192.168.0.0", 16],
	["198.18.0.0", 15],
	["198.51.100.0", 24],
	["203.0.113.0", 24],
	["224.0.0.0", 3],
] as const)
	notPublic.addSubnet(network, bits);
/** IPv6 blocks inside 2000::/3 that are not public, or carry another address inside. */
for (const [network, bits] of [
	["2001::", 23],
	["2001:db8::", 32],
	["2002::", 16],
	["3fff::", 20],
] as const)
	notPublic.addSubnet(network, bits, "ipv6");
const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");

/** Whether an IP address is on the public internet. */
function isPublicAddress(address: string): boolean {
	const version = isIP(address);
	if (version === 4) return !notPublic.check(address);
	return version === 6 && globalUnicast.check(address, "ipv6") && !notPublic.check(address, "ipv6");
}

/** The code of the error of a host that has an address outside of the public internet. */
export const addressRefused = "address_refused";

const refusal = () =>
	Object.assign(new Error("the host has an address that is not public"), { code: addressRefused });

/**
 * Resolves a host for one connection, which goes to these addresses only. Refuses it if one of its
 * addresses is not public.
 */
export const lookupPublic: LookupFunction = (hostname, options, done) => {
	lookup(hostname, { ...options, all: true }, (error, addresses) => {
		if (error !== null) return done(error, "");
		const [first] = addresses;
		if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
			return done(refusal(), "");
		return options.all === true ? done(null, addresses) : done(null, first.address, first.family);
	});
};

/** Whether the host of an address is an IP address that is not public: it is not looked up. */
export function isPrivateLiteral({ hostname }: URL): boolean {
	const host = hostname.replace(/^\[|\]$/g, "");
	return isIP(host) !== 0 && !isPublicAddress(host);
}
