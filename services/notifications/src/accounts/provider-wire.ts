import { Shape, Uuid } from "@lango/contracts";
import Type from "typebox";
import type { Provider } from "./provider.store.ts";

const DateTime = Type.String({ format: "date-time" });
const Channel = Type.Enum(["email", "sms", "push", "whatsapp"], { type: "string" });
const Weight = Type.Integer({
	minimum: 0,
	maximum: 100,
	description: "Its share of the messages among the providers of one owner and channel, while it works well",
});
const PerSecond = Type.Integer({
	minimum: 1,
	maximum: 10_000,
	description:
		"The most calls in a second, of all processes together; bulk messages get at most 80 %. A tenth is kept back, so that no second has more",
});
const InFlight = Type.Integer({
	minimum: 1,
	maximum: 1_000,
	description:
		"The most calls at once, of each process: with several processes set the provider's limit divided by their number",
});
const Name = Type.String({ minLength: 1, maxLength: 60 });
const BaseUrl = Type.String({
	format: "uri",
	pattern: "^https?://",
	maxLength: 300,
	description: "Where its API is, if not at the vendor's own address; only the platform owner sets it",
	"x-error": "must be an address that begins with http:// or https://",
});
const Credentials = Type.Record(Type.String({ maxLength: 60 }), Type.Unknown(), {
	description:
		"Written only. Their members depend on the kind. Those of a tenant's own provider of e-mail have a `fromAddress`, the sender's address of mails through it; it is refused for the platform's providers, whose mail comes from the platform's address",
});

/** A provider; its credentials are never returned. */
export const ProviderWire = Type.Object({
	id: Uuid,
	owner: Type.Enum(["tenant", "platform"], { type: "string" }),
	channel: Channel,
	kind: Type.String(),
	name: Type.String(),
	weight: Type.Integer({ description: "Its share now: it falls with errors and delays" }),
	resting_weight: Weight,
	per_second: PerSecond,
	in_flight_max: InFlight,
	enabled: Type.Boolean(),
	from_address: Type.Union([Type.String(), Type.Null()], {
		description: "The sender's address of mails through a tenant's own provider of e-mail",
	}),
	degraded_at: Type.Union([DateTime, Type.Null()], {
		description: "Since when its weight is below its resting weight",
	}),
	created_at: DateTime,
});

export const NewProviderBody = Shape({
	channel: Channel,
	kind: Type.String({ maxLength: 40 }),
	name: Name,
	credentials: Credentials,
	base_url: Type.Optional(BaseUrl),
	resting_weight: Type.Optional(Weight),
	per_second: Type.Optional(PerSecond),
	in_flight_max: Type.Optional(InFlight),
	enabled: Type.Optional(Type.Boolean()),
});

export const ProviderChangeBody = Type.Object(
	{
		name: Type.Optional(Name),
		credentials: Type.Optional(Credentials),
		base_url: Type.Optional(BaseUrl),
		resting_weight: Type.Optional(Weight),
		per_second: Type.Optional(PerSecond),
		in_flight_max: Type.Optional(InFlight),
		enabled: Type.Optional(Type.Boolean()),
	},
	{ additionalProperties: false, minProperties: 1 },
);

export const toProviderWire = (provider: Provider) => ({
	...{ id: provider.id, owner: provider.isPlatform ? ("platform" as const) : ("tenant" as const) },
	...{ channel: provider.channel as "email", kind: provider.kind, name: provider.name },
	...{ weight: provider.weight, resting_weight: provider.restingWeight, per_second: provider.perSecond },
	...{ in_flight_max: provider.inFlightMax, enabled: provider.isEnabled },
	from_address: provider.fromAddress ?? null,
	degraded_at: provider.degradedAt?.toISOString() ?? null,
	created_at: provider.createdAt.toISOString(),
});
