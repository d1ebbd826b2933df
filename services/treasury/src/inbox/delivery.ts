import { createHash } from "node:crypto";
import type { CallbackRoute } from "./callback-token.ts";

/** The gateway that sends a delivery. */
export type SendingGateway = "mobile_money" | "card_gateway";
/** The route that received it. */
export type DeliveryRoute = CallbackRoute | "cardgateway";

/** A request of a gateway as it arrived. */
export type NewDelivery = {
	gateway: SendingGateway;
	route: DeliveryRoute;
	/** The profile in the address; undefined on the route without one. */
	profileId: string | undefined;
	/** The SHA-256 of the token in the address, in hex. The token itself is not stored. */
	tokenHash: string | undefined;
	/** Deliveries of one object are applied in their order, one at a time. */
	objectKey: string;
	receivedAt: Date;
	remoteIp: string;
	headers: Readonly<Record<string, string>>;
	raw: Buffer;
};

/**
 * `received`: to be applied. `ignored`: it is about nothing that the treasury knows. `parked`: it waits
 * for a
 * person or a later release, and is never removed.
 */
export const deliveryStatuses = ["received", "done", "ignored", "parked"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** How far the sender of a callback is trusted (section 8.3): only `token` and `signature` are applied. */
export type Trust = "signature" | "token" | "address" | "none";

/** A stored request of a gateway. */
export type Delivery = NewDelivery & {
	id: string;
	trust: Trust | undefined;
	status: DeliveryStatus;
	tries: number;
	error: string | undefined;
	/** How often the same bytes came again. */
	duplicates: number;
};

/** The same bytes on the same route are one delivery. */
export const deliveryKeyOf = ({ gateway, route, tokenHash = "", raw }: NewDelivery): Buffer =>
	createHash("sha256").update(`${gateway}\n${route}\n${tokenHash}\n`).update(raw).digest();

/** Headers that are stored. All others are left out, because they may hold secrets. */
const keptHeaders = ["content-type", "user-agent", "x-cardgw-signature", "x-forwarded-for"] as const;

/** The headers to store of a request, each at most 500 characters long. */
export function keepHeaders(
	headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
	const kept = keptHeaders.flatMap((name) => {
		const value = headers[name];
		return value === undefined ? [] : [[name, String(value).slice(0, 500)]];
	});
	return Object.fromEntries(kept);
}
