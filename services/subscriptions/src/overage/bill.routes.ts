import { permit, type Route, route } from "@lango/chassis";
import { FailureBody, Page, UsageBill, Uuid } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import Type from "typebox";
import { type BillPlace, listBills } from "../record/overage-bill.store.ts";
import { usageRight } from "../rights.ts";
import type { OverageBill } from "../rules/lifecycle/overage-bill.ts";

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

/** Lists a tenant's overage bills. */
export const billRoutes = ({ db }: { db: Database }): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:tenant_id/subscription/bills",
		access: permit(usageRight),
		schema: {
			summary: "List the bills for usage beyond the limits, latest period first",
			description: "For services by API key and administrators of the tenant.",
			tags: ["usage"],
			params: Type.Object({ tenant_id: Uuid }),
			querystring: Type.Object(
				{
					limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
					cursor: Type.Optional(
						Type.String({
							pattern: `^[0-9]{1,15}_${uuid}$`,
							description: "next_cursor of the previous page",
						}),
					),
				},
				{ additionalProperties: false },
			),
			response: { 200: Page(UsageBill), "4xx": FailureBody, "5xx": FailureBody },
		},
		handler: async ({ params, query: { limit, cursor } }) => {
			const tenantId = params.tenant_id.toLowerCase();
			const after = cursor === undefined ? undefined : readPlace(cursor);
			const found = await inTenant(db, tenantId, (tx) => listBills(tx, { tenantId, after, max: limit + 1 }));
			const items = found.slice(0, limit);
			const last = found.length > limit ? items.at(-1) : undefined;
			return {
				items: items.map(toWire),
				next_cursor: last === undefined ? null : `${last.periodEndsAt.getTime()}_${last.id}`,
			};
		},
	}),
];

function readPlace(cursor: string): BillPlace {
	const [at = "", id = ""] = cursor.split("_");
	return { periodEndsAt: new Date(Number(at)), id };
}

function toWire(bill: OverageBill): UsageBill {
	return {
		id: bill.id,
		period_ends_at: bill.periodEndsAt.toISOString(),
		status: bill.status,
		charge_minor: Number(bill.chargeMinor),
		balance_minor: Number(bill.balanceMinor),
		amount_minor: Number(bill.amountMinor),
		currency: bill.currency,
		lines: bill.lines.map(({ metric, units, unitPriceMinor, amountMinor }) => ({
			metric,
			units: Number(units),
			unit_price_minor: Number(unitPriceMinor),
			amount_minor: Number(amountMinor),
		})),
		attempt: bill.attempt,
		next_attempt_at: bill.nextStepAt?.toISOString() ?? null,
		failure: bill.failure,
		billed_at: bill.billedAt.toISOString(),
		settled_at: bill.settledAt?.toISOString() ?? null,
	};
}
