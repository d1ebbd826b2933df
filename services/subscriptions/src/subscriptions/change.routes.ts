import { callerOf, chassisFailures, permit, type Route, route } from "@lango/chassis";
import { FailureBody, Subscription, Uuid } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import Type from "typebox";
import { audited } from "../audit/audited-change.ts";
import { originOf, recordAuditEntry } from "../audit/origin.ts";
import { failures } from "../failures.ts";
import { beginSubscription, type ChangeParts, changeSubscription } from "../record/change-subscription.ts";
import { getOfferedPlan } from "../record/plan.store.ts";
import { lockSubscription } from "../record/subscription.store.ts";
import { findTimeZone, recordSlugOfToken } from "../record/tenant-calendar.store.ts";
import { timeFor } from "../record/tenant-time.ts";
import { changeRight } from "../rights.ts";
import { cancel, resume, withdrawPending } from "../rules/changes/cancel.ts";
import { beginTrial, selectPlan } from "../rules/changes/select-plan.ts";
import { snapshotAt } from "../rules/lifecycle/state.ts";
import type { FullSubscription, Moment } from "../rules/lifecycle/subscription.ts";

const Params = Type.Object({ tenant_id: Uuid });
const Choice = Type.Object(
	{ plan: Type.String({ pattern: "^[A-Z][A-Z0-9_]{1,62}$" }) },
	{ additionalProperties: false },
);
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;
const tags = ["subscription"];

type RouteParts = ChangeParts & { platformOwnerSlug: string };
type Request = Parameters<typeof originOf>[0];

/** Selects a plan, cancels and resumes a subscription, and withdraws a pending change. */
export const changeRoutes = (parts: RouteParts): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/tenants/:tenant_id/subscription",
		access: permit(changeRight),
		schema: {
			summary: "Start a trial, or select another plan before anything is paid",
			description:
				"The first selection starts a trial (201). During a trial the plan changes and the end of the trial stays. After an expiry the plan waits for its payment. Use a quote to change a paid subscription.",
			tags,
			params: Params,
			body: Choice,
			response: { 200: Subscription, 201: Subscription, ...refusals },
		},
		handler: async (request, reply) => {
			const choice = { tenantId: request.params.tenant_id, code: request.body.plan };
			const { isFirst, snapshot } = await select(parts, request, choice);
			return reply.code(isFirst ? 201 : 200).send(snapshot);
		},
	}),
	...(
		[
			["DELETE", "pending-change", "Withdraw a pending change", "change.withdrawn", withdrawPending],
			[
				"POST",
				"cancel",
				"Cancel the subscription at the end of the paid period",
				"subscription.cancelled",
				cancel,
			],
			["POST", "resume", "Resume a cancelled subscription", "subscription.resumed", resume],
		] as const
	).map(([method, word, summary, action, rule]) =>
		plainRoute(parts, { method, word, summary, action, rule }),
	),
];

type Plain = {
	method: "POST" | "DELETE";
	word: string;
	summary: string;
	action: string;
	rule: (subscription: FullSubscription, moment: Moment) => FullSubscription;
};

function plainRoute(parts: RouteParts, { method, word, summary, action, rule }: Plain): Route {
	return route({
		method,
		url: `/api/v1/tenants/:tenant_id/subscription/${word}`,
		access: permit(changeRight),
		schema: { summary, tags, params: Params, response: { 200: Subscription, ...refusals } },
		handler: async (request) => {
			const { subscription, now } = await audited(parts, request, {
				tenantId: request.params.tenant_id,
				action,
				work: async (before, { moment }) => ({
					subscription: rule(before, moment),
					announcements: [],
					result: undefined,
				}),
			});
			return snapshotAt(subscription, now);
		},
	});
}

async function select(
	parts: RouteParts,
	request: Request,
	{ tenantId, code }: { tenantId: string; code: string },
) {
	refusePlatform(parts, request, tenantId);
	const { isKnown, timeZone } = await findTimeZone(parts.db, tenantId);
	return inTenant(parts.db, tenantId, async (tx) => {
		const plan = await getOfferedPlan(tx, code);
		const locked = await lockSubscription(tx, { tenantId });
		const now = await timeFor(tx, tenantId, parts.clock);
		const changing = { ...parts, db: tx };
		const isFirst = locked === undefined;
		if (isFirst) await requireTenant(tx, request, { tenantId, isKnown });
		const subscription = isFirst
			? await beginSubscription(changing, {
					tx,
					subscription: beginTrial({ tenantId: tenantId.toLowerCase(), plan, timeZone }, now),
					now,
					correlationId: request.id,
				})
			: (
					await changeSubscription(
						changing,
						{ tenantId, correlationId: request.id },
						async (before, { moment }) => ({
							subscription: selectPlan(before, plan, moment),
							announcements: [],
							result: undefined,
						}),
					)
				).subscription;
		const entry = { tenantId, action: "plan.selected", subject: tenantId, detail: { plan: code }, at: now };
		await recordAuditEntry(tx, originOf(request), entry);
		return { isFirst, snapshot: snapshotAt(subscription, now) };
	});
}

/** The platform owner cannot have a subscription (spec §2.1). */
function refusePlatform({ platformOwnerSlug }: RouteParts, request: Request, tenantId: string): void {
	const caller = callerOf(request);
	if (caller.kind !== "user" || caller.claims.tenant_slug !== platformOwnerSlug) return;
	if (caller.claims.tenant_id?.toLowerCase() === tenantId.toLowerCase())
		throw failures.platform_has_no_subscription();
}

/**
 * A member's token proves that the tenant exists; for other callers the tenant must be known. Throws
 * `tenant_not_found`.
 */
async function requireTenant(
	tx: Database,
	request: Request,
	{ tenantId, isKnown }: { tenantId: string; isKnown: boolean },
): Promise<void> {
	const caller = callerOf(request);
	const claims = caller.kind === "user" ? caller.claims : undefined;
	const isMember = claims?.tenant_id?.toLowerCase() === tenantId.toLowerCase();
	if (!isMember && !isKnown) throw chassisFailures.tenant_not_found();
	if (isMember && claims?.tenant_slug !== undefined)
		await recordSlugOfToken(tx, { tenantId, slug: claims.tenant_slug });
}
