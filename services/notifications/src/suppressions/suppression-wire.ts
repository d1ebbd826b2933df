import { Page, Shape, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { channels } from "../channel.ts";
import { categories } from "../template.ts";
import { type Suppression, suppressionReasons } from "./suppression.store.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });

/** The channels on which an address can be suppressed: an inbox has preferences instead. */
const addressChannels = channels.filter((channel) => channel !== "in_app");
export const AddressChannel = Type.Enum(addressChannels, { type: "string" });
export const Address = Type.String({
	minLength: 1,
	maxLength: 4_096,
	description: "An e-mail address, a phone number or a device token",
});
const CategoryWire = Type.Enum([...categories], { type: "string" });

/** The body of a new suppression. */
export const NewSuppressionBody = Shape({
	channel: AddressChannel,
	address: Address,
	category: Type.Optional(
		Type.Enum([...categories], {
			type: "string",
			description: "Default: every category that is not critical",
		}),
	),
});

/** A suppression as the API shows it. */
export const SuppressionWire = Type.Object({
	id: Uuid,
	channel: Type.Enum([...channels], { type: "string" }),
	address_masked: Type.String(),
	category: OrNull(CategoryWire),
	reason: Type.Enum([...suppressionReasons], { type: "string" }),
	is_platform: Type.Boolean({
		description: "It counts for every tenant, and only the platform owner lifts it",
	}),
	expires_at: OrNull(DateTime),
	created_by: OrNull(Type.String()),
	created_at: DateTime,
});
export const SuppressionPage = Page(SuppressionWire);

/** Converts a suppression for the API. */
export function toSuppressionWire(suppression: Suppression): Static<typeof SuppressionWire> {
	const { id, channel, masked, category, reason, isPlatform, expiresAt, createdBy, createdAt } = suppression;
	return {
		...{ id, channel, address_masked: masked, category, reason, is_platform: isPlatform },
		...{ expires_at: expiresAt?.toISOString() ?? null, created_by: createdBy },
		created_at: createdAt.toISOString(),
	};
}
