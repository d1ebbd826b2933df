import { BlockList, isIP, isIPv6 } from "node:net";
import type { AddressRule } from "../../gateways/profiles/profile.ts";
import type { Delivery } from "../delivery.ts";

/** Where a delivery came from, by the list of its gateway: on it, not on it, or unknown without a list. */
export type SenderAddress = "expected" | "foreign" | "unknown";

/** Compares the address of a delivery with the list of its gateway. Pure. */
export function addressOf(
	{ remoteIp }: Pick<Delivery, "remoteIp">,
	{ allow_ips }: AddressRule,
): SenderAddress {
	if (allow_ips.length === 0 || isIP(remoteIp) === 0) return "unknown";
	return listOf(allow_ips).check(remoteIp, familyOf(remoteIp)) ? "expected" : "foreign";
}

/**
 * Whether a delivery is only a hint because of its address, whatever its token or signature (design section
 * 12). Pure.
 */
export const isHintByAddress = (address: SenderAddress, { ip_mode }: AddressRule): boolean =>
	ip_mode === "enforce" && address === "foreign";

const familyOf = (address: string) => (isIPv6(address) ? "ipv6" : "ipv4");

function listOf(networks: readonly string[]): BlockList {
	const list = new BlockList();
	for (const one of networks) {
		const [address = "", bits] = one.split("/");
		if (bits === undefined) list.addAddress(address, familyOf(address));
		else list.addSubnet(address, Number(bits), familyOf(address));
	}
	return list;
}
