import Type, { type Static } from "typebox";
import { Uuid } from "../values/shape.ts";

/** The products of the suite (spec §2.6). */
export const products = [
	"ordering",
	"logistics",
	"treasury",
	"pos",
	"analytics",
	"notifications",
	"auth",
	"inventory",
	"hospital",
] as const;
export type Product = (typeof products)[number];

export const subscriptionStatuses = ["TRIAL", "ACTIVE", "PAST_DUE", "EXPIRED"] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/**
 * The access level that gates check: full = TRIAL, ACTIVE, PAST_DUE; grace = EXPIRED before grace_until;
 * read_only = the rest.
 */
export const accessLevels = ["full", "grace", "read_only"] as const;
export type AccessLevel = (typeof accessLevels)[number];

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });

/**
 * `GET /api/v1/tenants/{tenant_id}/subscription` (spec §4.2): the current state of everything that gates
 * check.
 */
export const Subscription = Type.Object({
	tenant_id: Uuid,
	status: Type.Enum(subscriptionStatuses, { type: "string" }),
	plan: Type.String({ description: "Code of the current plan" }),
	features: Type.Array(Type.String(), {
		description: "Features that are enabled now; empty if access is read_only",
	}),
	limits: Type.Record(Type.String(), Type.Integer(), {
		description: "A missing limit means 0, -1 means unlimited",
	}),
	products: Type.Array(Type.String()),
	expires_at: DateTime,
	expiry: Type.Integer({ description: "expires_at in Unix seconds" }),
	access: Type.Enum(accessLevels, { type: "string", description: "The access level that gates check" }),
	grace_until: OrNull(DateTime),
	trial_end: OrNull(DateTime),
	pending_change: OrNull(Type.Object({ plan: Type.String(), effective_at: OrNull(DateTime) })),
	version: Type.Integer({ description: "Increases with every stored change" }),
	next_change_at: OrNull(DateTime),
});
export type Subscription = Static<typeof Subscription>;

export const billingIntervals = ["month", "year"] as const;
export type BillingInterval = (typeof billingIntervals)[number];

const LimitValues = Type.Record(Type.String(), Type.Integer(), {
	description: "A missing limit means 0, -1 means unlimited",
});
const PriceOfInterval = {
	price_minor: Type.Integer({ description: "Price of one interval, in the currency's minor units" }),
	currency: Type.String(),
	interval: Type.Enum(billingIntervals, { type: "string" }),
};

/** The price of usage beyond a limit (spec §2.5), and the maximum per day or period. */
const OverageOffer = Type.Object({
	unit: Type.String({ description: "The metric; one unit is a count of one" }),
	unit_price_minor: Type.Integer({ description: "In the currency's minor units" }),
	cap: Type.Integer({ description: "Maximum units beyond the limit per window" }),
	window: Type.Enum(["day", "period"], { type: "string" }),
});

/** A public plan in its newest version: `GET /api/v1/plans` (spec §4.2). */
export const Plan = Type.Object({
	code: Type.String(),
	name: Type.String(),
	version: Type.Integer(),
	...PriceOfInterval,
	trial_days: Type.Integer(),
	grace_days: Type.Integer(),
	products: Type.Array(Type.String()),
	features: Type.Array(Type.String()),
	limits: LimitValues,
	overage: Type.Record(Type.String(), OverageOffer, {
		description: "By limit; other limits cannot be exceeded",
	}),
});
export type Plan = Static<typeof Plan>;

/** A public add-on in its newest version: `GET /api/v1/add-ons`. */
export const AddOn = Type.Object({
	code: Type.String(),
	name: Type.String(),
	version: Type.Integer(),
	...PriceOfInterval,
	products: Type.Array(Type.String()),
	features: Type.Array(Type.String()),
	limits: Type.Record(Type.String(), Type.Integer(), {
		description: "Added to the plan's limits; -1 makes a limit unlimited",
	}),
});
export type AddOn = Static<typeof AddOn>;
