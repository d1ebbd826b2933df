import { Page, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import type { Vault } from "../addresses/sealed-address.ts";
import { channels } from "../channel.ts";
import type { StoredData } from "../message.ts";
import type { ExportedDelivery } from "./export.store.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });
const ChannelWire = Type.Enum([...channels], { type: "string" });

const DeliveryWire = Type.Object({
	id: Uuid,
	message_id: Uuid,
	channel: ChannelWire,
	template: Type.String(),
	category: Type.String(),
	status: Type.String(),
	address: OrNull(Type.String({ description: "Null after 30 days, and for devices" })),
	data: OrNull(
		Type.Record(Type.String(), Type.Unknown(), {
			description: "The variables. Null after 30 days, and for messages with a password or a code",
		}),
	),
	created_at: DateTime,
});

/** Everything that is held of a person. */
export const ExportWire = Type.Object({
	person: Type.Object({
		id: Uuid,
		name: Type.String(),
		email: OrNull(Type.String()),
		is_email_verified: Type.Boolean(),
		roles: Type.Array(Type.String()),
		status: Type.String(),
		locale: OrNull(Type.String()),
		time_zone: OrNull(Type.String()),
		quiet_hours: OrNull(Type.Object({ from: Type.String(), until: Type.String() })),
		created_at: DateTime,
	}),
	contact_points: Type.Array(
		Type.Object({
			channel: ChannelWire,
			address: Type.String(),
			verified_at: OrNull(DateTime),
			created_at: DateTime,
		}),
	),
	devices: Type.Array(
		Type.Object({ platform: Type.String(), token_masked: Type.String(), created_at: DateTime }),
	),
	preferences: Type.Array(
		Type.Object({ category: Type.String(), channel: ChannelWire, is_on: Type.Boolean() }),
	),
	suppressions: Type.Array(
		Type.Object({
			channel: ChannelWire,
			address_masked: Type.String(),
			category: OrNull(Type.String()),
			reason: Type.String(),
			created_at: DateTime,
		}),
	),
	inbox: Type.Array(
		Type.Object({
			id: Uuid,
			title: Type.String(),
			body: Type.String(),
			link: OrNull(Type.String()),
			category: Type.String(),
			created_at: DateTime,
			read_at: OrNull(DateTime),
		}),
	),
	deliveries: Page(DeliveryWire),
});

/** Converts a delivery for the export. A device token counts as a secret. */
export function toDeliveryWire(
	vault: Vault,
	{ address, data, messageId, createdAt, ...delivery }: ExportedDelivery,
): Static<typeof DeliveryWire> {
	const { id, channel, template, category, status } = delivery;
	return {
		...{ id, message_id: messageId, channel, template, category, status },
		address: address === undefined || channel === "push" ? null : vault.openAddress(address),
		data: data === undefined ? null : { ...(vault.openData(data) as StoredData).values },
		created_at: createdAt.toISOString(),
	};
}
