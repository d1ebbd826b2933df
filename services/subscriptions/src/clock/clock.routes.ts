import { chassisFailures, permit, type Route, route } from "@lango/chassis";
import { FailureBody, Subscription, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { originOf, recordAuditEntry } from "../audit/origin.ts";
import { type SandboxAnswer, sandboxAnswers, setSandboxAnswer } from "../billing/sandbox.store.ts";
import { platformRight } from "../rights.ts";
import { snapshotAt } from "../rules/lifecycle/state.ts";
import { findSubscription } from "../snapshots/snapshot.store.ts";
import { type ClockParts, moveClock } from "./move-clock.ts";

const Params = Type.Object({ tenant_id: Uuid });
const closed = { additionalProperties: false };
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;
const tags = ["development"];
const yearsMax = 10;

/** A tenant's test clock and sandbox answer. These routes exist only in development. */
export const clockRoutes = (moving: ClockParts): readonly Route[] => [
	route({
		method: "PUT",
		url: "/api/v1/test-clock/:tenant_id",
		access: permit(platformRight),
		schema: {
			summary: "Move a tenant's clock forward, and apply what falls due on the way in order",
			description: "From then on the tenant's clock stays where it is until it is moved again.",
			tags,
			params: Params,
			body: Type.Object({ now: Type.String({ format: "date-time" }) }, closed),
			response: {
				200: Type.Object({
					now: Type.String({ format: "date-time" }),
					subscription: Type.Union([Subscription, Type.Null()]),
				}),
				...refusals,
			},
		},
		handler: async (request) => {
			const { tenant_id: tenantId } = request.params;
			if (!moving.clock.hasTestClocks) throw chassisFailures.not_found();
			const to = new Date(request.body.now);
			requireReach(to, moving.clock.now());
			const at = moving.clock.now();
			const entry = {
				tenantId,
				action: "clock.moved",
				subject: tenantId,
				detail: { now: to.toISOString() },
				at,
			};
			await moveClock(moving, { tenantId, to, note: (tx) => recordAuditEntry(tx, originOf(request), entry) });
			const record = await findSubscription(moving.db, tenantId);
			const subscription = record === undefined ? null : snapshotAt(record, to);
			return { now: to.toISOString(), subscription };
		},
	}),
	sandboxRoute(moving),
];

const sandboxRoute = ({ db, clock, sandboxAnswer }: ClockParts): Route =>
	route({
		method: "PUT",
		url: "/api/v1/sandbox/billing/:tenant_id",
		access: permit(platformRight),
		schema: {
			summary: "Set how the sandbox answers a tenant's payment requests",
			tags,
			params: Params,
			body: Type.Object({ answer: Type.Enum(sandboxAnswers, { type: "string" }) }, closed),
			response: { 200: Type.Object({ answer: Type.String() }), ...refusals },
		},
		handler: async (request) => {
			const { tenant_id: tenantId } = request.params;
			if (sandboxAnswer === undefined) throw chassisFailures.not_found();
			const answer: SandboxAnswer = request.body.answer;
			await inTenant(db, tenantId, async (tx) => {
				await setSandboxAnswer(tx, { tenantId, answer });
				const entry = {
					tenantId,
					action: "sandbox.set",
					subject: tenantId,
					detail: { answer },
					at: clock.now(),
				};
				await recordAuditEntry(tx, originOf(request), entry);
			});
			return { answer };
		},
	});

function requireReach(to: Date, now: Date): void {
	const latest = new Date(now);
	latest.setUTCFullYear(latest.getUTCFullYear() + yearsMax);
	if (to <= latest) return;
	throw chassisFailures.invalid_input({
		message: `now is ${yearsMax} years ahead at most.`,
		fields: { field: "now", in: "body" },
	});
}
