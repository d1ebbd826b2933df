import type { Server } from "node:http";
import { BlockList, isIP, isIPv6, type Socket } from "node:net";
import { networkOf } from "../request/network.ts";
import { answerUnreadable } from "./unreadable-request.ts";

/** Limits of the connections of a server; times in milliseconds. */
export type ConnectionLimits = {
	/** Open connections at the same time. */
	connectionsMax: number;
	/** Open connections from one address (IPv6: from one /64); 0: no limit. */
	connectionsPerAddressMax: number;
	/** How long the headers of a request may take to arrive. */
	headersTimeoutMs: number;
	/** How long a whole request may take to arrive, headers and body. */
	requestTimeoutMs: number;
	/** How long a connection is kept open after an answer. */
	keepAliveTimeoutMs: number;
};

/** The default limits. A browser keeps six connections; 64 KB in 30 s is 2 KB/s. */
export const defaultConnectionLimits: ConnectionLimits = {
	connectionsMax: 10_000,
	connectionsPerAddressMax: 1_000,
	headersTimeoutMs: 10_000,
	requestTimeoutMs: 30_000,
	keepAliveTimeoutMs: 72_000,
};

/** The interval at which Node checks for slow requests; its default is 30 s. */
const checkMsMax = 5_000;

/**
 * Returns the Fastify options for these limits. A connection without traffic for twice the request timeout
 * is closed. Requests that are not HTTP, or too late, get a response in the common error format.
 */
export function connectionOptions({
	headersTimeoutMs,
	requestTimeoutMs,
	keepAliveTimeoutMs,
}: ConnectionLimits) {
	return {
		requestTimeout: requestTimeoutMs,
		connectionTimeout: 2 * requestTimeoutMs,
		keepAliveTimeout: keepAliveTimeoutMs,
		clientErrorHandler: answerUnreadable,
		http: {
			headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
			connectionsCheckingInterval: Math.min(headersTimeoutMs, checkMsMax),
		},
	};
}

type Limiting = {
	/** Addresses without their own limit: proxies, which forward the connections of many callers. */
	isExempt?: (address: string) => boolean;
	/** Called for every connection that is refused. */
	onRefused?: (reason: "total" | "address") => void;
};

/** Closes connections over the limits, before a byte of them is read. */
export function limitConnections(
	server: Server,
	{ connectionsMax, connectionsPerAddressMax }: ConnectionLimits,
	{ isExempt = () => false, onRefused = () => {} }: Limiting = {},
): void {
	server.maxConnections = connectionsMax;
	server.on("drop", () => onRefused("total"));
	if (connectionsPerAddressMax === 0) return;
	const open = new Map<string, number>();
	server.on("connection", (socket: Socket) => {
		const { remoteAddress } = socket;
		if (remoteAddress === undefined || isExempt(remoteAddress)) return;
		const network = networkOf(remoteAddress);
		const count = open.get(network) ?? 0;
		if (count >= connectionsPerAddressMax) {
			onRefused("address");
			socket.destroy();
			return;
		}
		open.set(network, count + 1);
		socket.once("close", () => {
			const left = (open.get(network) ?? 1) - 1;
			if (left === 0) open.delete(network);
			else open.set(network, left);
		});
	});
}

/** The ranges that LANGO_TRUSTED_PROXIES may name instead of addresses. */
const namedRanges: Readonly<Record<string, readonly string[]>> = {
	loopback: ["127.0.0.0/8", "::1/128"],
	linklocal: ["169.254.0.0/16", "fe80::/10"],
	uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

/**
 * Whether an address is in one of the ranges (CIDR, single addresses, or the names loopback, linklocal,
 * uniquelocal). Throws an Error that names an invalid range.
 */
export function addressesIn(ranges: readonly string[]): (address: string) => boolean {
	const list = new BlockList();
	for (const range of ranges.flatMap((one) => namedRanges[one] ?? [one])) {
		const [address = "", bits] = range.split("/");
		const family = familyOf(address);
		try {
			if (bits === undefined) list.addAddress(address, family);
			else list.addSubnet(address, Number(bits), family);
		} catch (cause) {
			throw new Error(`"${range}" is not an address or a range of addresses`, { cause });
		}
	}
	// X-Forwarded-For may contain anything.
	return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

const familyOf = (address: string) => (isIPv6(address) ? "ipv6" : "ipv4");
