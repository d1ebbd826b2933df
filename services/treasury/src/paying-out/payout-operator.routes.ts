import { actorOf, callerOf, originOf, platformOwner, type Route, route, tenantWide } from "@lango/chassis";
import { FailureBody, Line, Shape, Uuid } from "@lango/contracts";
import Type from "typebox";
import { findTenantOfPayout } from "../payouts/all-payouts.store.ts";
import { payoutFailures } from "../payouts/failures.ts";
import { PayoutWire } from "../payouts/payout-wire.ts";
import type { Treasury } from "../treasury.ts";
import { giveOtp, renewOtp } from "./give-otp.ts";
import { showPayout } from "./payout.routes.ts";
import { resolvePayout } from "./resolve-payout.ts";

const tags = ["payouts"];
const operator = {
	access: platformOwner(),
	outlets: tenantWide("the platform owner decides about payouts of all tenants"),
	subscription: { exempt: "the platform owner decides regardless of a tenant's subscription" },
	method: "POST",
} as const;
const base = "/api/v1/platform/payouts/:id";
const Params = Type.Object({ id: Uuid });
const refusals = { 401: FailureBody, 403: FailureBody, 404: FailureBody, 409: FailureBody } as const;

/** What the platform owner does about payouts of all tenants. */
export const payoutOperatorRoutes = (domain: Treasury): readonly Route[] => [
	givingOtp(domain),
	renewingOtp(domain),
	resolving(domain),
];

/** Finds the tenant of a payout. Throws `payout_not_found`. */
async function requireTenant({ db }: Treasury, payoutId: string): Promise<string> {
	const tenantId = await findTenantOfPayout(db, payoutId);
	if (tenantId === undefined) throw payoutFailures.payout_not_found();
	return tenantId;
}

const givingOtp = (domain: Treasury): Route =>
	route({
		...operator,
		url: `${base}/otp`,
		schema: {
			summary: "Gives the card gateway the one-time password of a transfer, which reached the platform",
			tags,
			params: Params,
			body: Shape({ otp: Type.String({ pattern: "^[0-9A-Za-z]{4,20}$", maxLength: 20 }) }),
			response: { 202: PayoutWire, 503: FailureBody, ...refusals },
		},
		handler: async (request, reply) => {
			const { id } = request.params;
			const tenantId = await requireTenant(domain, id);
			await giveOtp(domain, { tenantId, payoutId: id, otp: request.body.otp, by: byOf(request) });
			return reply.code(202).send(await showPayout(domain, { tenantId, id }));
		},
	});

const renewingOtp = (domain: Treasury): Route =>
	route({
		...operator,
		url: `${base}/resend-otp`,
		schema: {
			summary: "Asks the card gateway for another one-time password of a transfer",
			tags,
			params: Params,
			response: { 202: PayoutWire, 503: FailureBody, ...refusals },
		},
		handler: async (request, reply) => {
			const { id } = request.params;
			const tenantId = await requireTenant(domain, id);
			await renewOtp(domain, { tenantId, payoutId: id, by: byOf(request) });
			return reply.code(202).send(await showPayout(domain, { tenantId, id }));
		},
	});

const resolving = (domain: Treasury): Route =>
	route({
		...operator,
		url: `${base}/resolve`,
		schema: {
			summary: "Decides what became of a payout that needs a review, by two people of the platform owner",
			description:
				"The gateway is asked first, and what it says counts, unless it says that another amount or currency was paid. Otherwise the first person's decision is recorded, and the same decision of a second person within 24 hours is applied. Of each person the latest decision counts.",
			tags,
			params: Params,
			body: Shape({ as: Type.Enum(["paid", "failed"], { type: "string" }), because: Line(300) }),
			response: { 200: PayoutWire, 503: FailureBody, ...refusals },
		},
		handler: async (request) => {
			const { id } = request.params;
			const tenantId = await requireTenant(domain, id);
			await resolvePayout(domain, { tenantId, payoutId: id, ...request.body, by: byOf(request) });
			return showPayout(domain, { tenantId, id });
		},
	});

const byOf = (request: Parameters<typeof callerOf>[0]) => ({
	...{ actor: actorOf(callerOf(request)), ...originOf(request) },
});
