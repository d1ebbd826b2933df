import { createHash } from "node:crypto";
import { type DeliveryRoute, deliveryKeyOf, type NewDelivery } from "./delivery.ts";
import { memberAt, readBody, textOf } from "./read-body.ts";

type Paths = ReadonlyArray<readonly string[]>;

const ofResult: Paths = [
	["Result", "OriginatorConversationID"],
	["Result", "ConversationID"],
];
const ofAccount: Paths = [["TransID"]];
/** The members with the id of the object, by route; the first that exists counts. */
const paths: Readonly<Record<DeliveryRoute, Paths>> = {
	callback: [["Body", "stkCallback", "CheckoutRequestID"]],
	validation: ofAccount,
	confirmation: ofAccount,
	"b2c-result": ofResult,
	"b2c-timeout": ofResult,
	"b2b-result": ofResult,
	"b2b-timeout": ofResult,
	"txn-status-result": ofResult,
	"txn-timeout": ofResult,
	"reversal-result": ofResult,
	"balance-result": ofResult,
	"standing-order": [["ResponseHeader", "requestRefID"]],
	timeout: ofResult,
	cardgateway: [
		["data", "transaction", "reference"],
		["data", "transaction_reference"],
		["data", "reference"],
		["data", "subscription", "subscription_code"],
		["data", "subscription_code"],
	],
};

/**
 * The key by which deliveries of one object are applied in order: the id that the gateway gives the object,
 * or the key of the delivery if its body has none. It is also the id of a job.
 */
export function objectKeyOf(delivery: Omit<NewDelivery, "objectKey">): string {
	const body = readBody(delivery.raw);
	const id = paths[delivery.route]
		.map((path) => textOf(memberAt(body, ...path)))
		.find((one) => one !== undefined);
	if (id !== undefined && delivery.route === "callback") return `${delivery.gateway}.${digestOf(id)}`;
	if (id !== undefined && /^[\w.-]{1,150}$/.test(id)) return `${delivery.gateway}.${id}`;
	return `${delivery.gateway}.${deliveryKeyOf({ ...delivery, objectKey: "" }).toString("hex")}`;
}

/** The gateway's id of a prompt contains the phone, which must not be in a job. */
const digestOf = (id: string): string => createHash("sha256").update(id).digest("hex").slice(0, 32);
