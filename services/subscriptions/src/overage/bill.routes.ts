import { pageOf, permit, type Route, readCursor, route, totalOf } from "@lango/chassis";
import { FailureBody, Page, UsageBill, Uuid } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import Type from "typebox";
import { CountedPageQuery, timeForm } from "../page.ts";
import { listBills } from "../record/overage-bill.store.ts";
import { usageRight } from "../rights.ts";
import type { OverageBill } from "../rules/lifecycle/overage-bill.ts";

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
			querystring: CountedPageQuery,
			response: { 200: Page(UsageBill), "4xx": FailureBody, "5xx": FailureBody },
		},
		handler: async ({ params, query: { limit, cursor, total: isCounted } }) => {
			const tenantId = params.tenant_id.toLowerCase();
			const place = readCursor(cursor, timeForm);
			const after = place && { periodEndsAt: new Date(Number(place[0])), id: place[1] };
			const { rows, ...total } = await inTenant(db, tenantId, async (tx) => ({
				rows: await listBills(tx, { tenantId, after, max: limit + 1 }),
				...(await totalOf(tx, isCounted, (all, { limit: max }) =>
					listBills(all, { tenantId, after: undefined, max }),
				)),
			}));
			const page = pageOf(rows, {
				limit,
				toWire,
				placeOf: ({ periodEndsAt, id }) => [String(periodEndsAt.getTime()), id],
			});
			return { ...page, ...total };
		},
	}),
];

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
