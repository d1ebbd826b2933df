import Type, { type Static } from "typebox";
import { Uuid } from "./shape.ts";

/** The products of the suite (spec §2.6). */
export const products = [
	"ordering", "logistics", "treasury", "pos", "analytics", "notifications", "auth", "inventory", "hospital",
] as const;
export type Product = (typeof products)[number];

export const subscriptionStatuses = ["TRIAL", "ACTIVE", "PAST_DUE", "EXPIRED"] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** What is gated on: full = TRIAL, ACTIVE, PAST_DUE; grace = EXPIRED before grace_until; read_only = the rest. */
export const accessLevels = ["full", "grace", "read_only"] as const;
export type AccessLevel = (typeof accessLevels)[number];

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });

/** `GET /api/v1/tenants/{tenant_id}/subscription` (spec §4.2): everything a gate needs, as it stands now. */
export const Subscription = Type.Object({
	tenant_id: Uuid,
	status: Type.Enum(subscriptionStatuses, { type: "string" }),
	plan: Type.String(),
	features: Type.Array(Type.String()),
	limits: Type.Record(Type.String(), Type.Integer()),
	products: Type.Array(Type.String()),
	expires_at: DateTime,
	expiry: Type.Integer({ description: "expires_at in Unix seconds" }),
	access: Type.Enum(accessLevels, { type: "string" }),
	grace_until: OrNull(DateTime),
	trial_end: OrNull(DateTime),
	pending_change: OrNull(Type.Object({ plan: Type.String(), effective_at: OrNull(DateTime) })),
	version: Type.Integer(),
	next_change_at: OrNull(DateTime),
});
export type Subscription = Static<typeof Subscription>;
