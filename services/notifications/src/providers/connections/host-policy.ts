import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";

/** A mail server that an account names. `isEncrypted`: TLS from the start, or STARTTLS that is required. */
export type MailHost = {
	host: string;
	port: number;
	isEncrypted: boolean;
	owner: "platform" | "tenant";
};

/** An address of a host, as `net.connect` takes it from a look-up. */
export type HostAddress = { address: string; family: number };

/** Resolves a host to all of its addresses. Tests replace it. */
export type Resolve = (host: string) => Promise<readonly HostAddress[]>;

/** Why a tenant's host is refused. */
export type HostProblem = "port_forbidden" | "tls_required" | "address_forbidden";

/** Thrown if a tenant names a host that it must not reach through the platform. */
export class HostForbidden extends Error {
	override name = "HostForbidden";
	readonly code: HostProblem;
	constructor(code: HostProblem) {
		super(code);
		this.code = code;
	}
}

/** The ports of submission (RFC 6409, RFC 8314), and the one that vendors offer beside them. */
const tenantPorts: ReadonlySet<number> = new Set([465, 587, 2525]);

/**
 * Resolves a mail server once and returns its addresses; the caller connects to these and does not resolve
 * again. A tenant's server must have port 465, 587 or 2525, TLS, and public addresses only: one private
 * address among several is refused, too. The platform owner operates the network, so its servers may have any
 * port and any address. Throws `HostForbidden`, or the error of the resolver.
 */
export async function resolveMailHost(
	{ host, port, isEncrypted, owner }: MailHost,
	resolve: Resolve = resolveAll,
): Promise<readonly HostAddress[]> {
	if (owner === "platform") return resolve(host);
	if (!tenantPorts.has(port)) throw new HostForbidden("port_forbidden");
	if (!isEncrypted) throw new HostForbidden("tls_required");
	const addresses = await resolve(host);
	if (!addresses.every(({ address }) => isPublicAddress(address)))
		throw new HostForbidden("address_forbidden");
	return addresses;
}

const resolveAll: Resolve = (host) => lookup(host, { all: true });

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an address is on the public internet: not loopback, private, link-local, shared, multicast,
 * reserved, or one that carries another address inside (IPv4-mapped addresses are unpacked, 6to4, Teredo and
 * NAT64 are refused).
 */
export function isPublicAddress(text: string): boolean {
	if (!ipaddr.isValid(text)) return false;
	const address = ipaddr.process(text);
	if (address.range() !== "unicast") return false;
	return address.kind() === "ipv4" || address.match(globalUnicast);
}
