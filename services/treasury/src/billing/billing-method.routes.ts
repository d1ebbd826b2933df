import { recordAudit } from "@lango/access";
import { actorOf, callerOf, originOf, permit, type Route, route, tenantOf, tenantWide } from "@lango/chassis";
import { Shape } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import { gatewayFailures } from "../gateways/calls/failures.ts";
import { readPhone } from "../money/phone.ts";
import { paymentFailures } from "../payments/failures.ts";
import type { Treasury } from "../treasury.ts";
import { type BillingMethod, findBillingMethod, updateBillingMethod } from "./billing-method.store.ts";

const tags = ["billing"];
const ofBills = {
	withoutProduct: { because: "every tenant pays the platform, also without the product treasury" },
	subscription: { exempt: "an expired tenant must be able to pay" },
	outlets: tenantWide("the tenant pays the platform as a whole"),
} as const;

const Kind = Type.Enum(["none", "push", "standing_order", "card_subscription"], {
	type: "string",
	description:
		"none: a person pays each bill; push: a phone is asked to pay. standing_order and card_subscription are not available yet",
});
const Email = Type.String({ format: "email", maxLength: 254 });
const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const BillingMethodWire = Type.Object({
	kind: Kind,
	phone: OrNull(Type.String()),
	email: OrNull(Type.String()),
	version: Type.Integer(),
});

/** The routes of how a tenant's renewals are collected. */
export const billingMethodRoutes = ({ db, now }: Treasury): readonly Route[] => [
	route({
		method: "GET",
		url: "/billing-method",
		access: permit("treasury.billing.view"),
		...ofBills,
		schema: {
			summary: "Returns how renewals of the tenant are collected",
			tags,
			response: { 200: BillingMethodWire },
		},
		handler: async (request) => inTenant(db, tenantOf(request).id, findBillingMethod),
	}),
	route({
		method: "PUT",
		url: "/billing-method",
		access: permit("treasury.billing.manage"),
		...ofBills,
		schema: {
			summary: "Changes how renewals of the tenant are collected",
			tags,
			body: Shape({
				kind: Kind,
				phone: Type.Optional(Type.String({ minLength: 9, maxLength: 20 })),
				email: Type.Optional(Email),
			}),
			response: { 200: BillingMethodWire },
		},
		handler: async (request) => {
			const tenantId = tenantOf(request).id;
			const actor = actorOf(callerOf(request));
			const method = readMethod(request.body);
			return inTenant(db, tenantId, async (tx) => {
				const stored = await updateBillingMethod(tx, tenantId, method);
				await recordAudit(tx, {
					...{ tenantId, at: now(), actor, action: "billing_method.changed", subject: tenantId },
					...{ detail: { kind: method.kind }, ...originOf(request) },
				});
				return stored;
			});
		},
	}),
];

type Wanted = { kind: Static<typeof Kind>; phone?: string; email?: string };

/** Throws `channel_unavailable` and `phone_invalid`. */
function readMethod({ kind, phone: typed, email }: Wanted): Omit<BillingMethod, "version"> {
	if (kind !== "none" && kind !== "push") throw gatewayFailures.channel_unavailable();
	const phone = typed === undefined ? undefined : readPhone(typed);
	if (kind === "push" && phone === undefined)
		throw paymentFailures.phone_invalid({ fields: { field: "phone", in: "body" } });
	return { kind, phone: kind === "push" ? (phone ?? null) : null, email: email ?? null };
}
