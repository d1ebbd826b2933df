import { Shape, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { normaliseAddress } from "../addresses/address.ts";
import { failures } from "../failures.ts";
import { type Contact, type ContactChannel, contactChannels } from "./contact.store.ts";

const DateTime = Type.String({ format: "date-time" });
/** An address as the API shows it. */
export const ContactWire = Type.Object({
	id: Uuid,
	channel: Type.Enum([...contactChannels], { type: "string" }),
	address_masked: Type.String(),
	verified_at: Type.Union([DateTime, Type.Null()], { description: "Null: messages do not go to it yet" }),
	invalid_at: Type.Union([DateTime, Type.Null()], {
		description: "Since when messages cannot be delivered to it",
	}),
	created_at: DateTime,
});
/** An address as it is sent. */
export const ContactBody = Shape({
	channel: Type.Enum([...contactChannels], { type: "string" }),
	address: Type.String({ minLength: 1, maxLength: 320 }),
});

/** Normalises an address. Throws `address_invalid`. */
export function readContactAddress(
	{ channel, address: text }: { channel: ContactChannel; address: string },
	region: string,
): string {
	const read = normaliseAddress(channel, text, region);
	if ("ok" in read && read.ok.kind === "address") return read.ok.address;
	throw failures.address_invalid({
		...("problem" in read && { message: read.problem }),
		fields: { field: "address", in: "body" },
	});
}

/** Converts an address for the API. */
export const toContactWire = (contact: Contact): Static<typeof ContactWire> => ({
	...{ id: contact.id, channel: contact.channel, address_masked: contact.masked },
	verified_at: contact.verifiedAt?.toISOString() ?? null,
	invalid_at: contact.invalidAt?.toISOString() ?? null,
	created_at: contact.createdAt.toISOString(),
});
