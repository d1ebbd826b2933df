import { permit, type Route, route } from "@lango/chassis";
import { billingIntervals, FailureBody, Name, Page } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import Type, { type Static } from "typebox";
import { originOf, recordAuditEntry } from "../audit/origin.ts";
import { failures } from "../failures.ts";
import { platformRight } from "../rights.ts";
import {
	addPlan,
	addVersion,
	type KeptVersion,
	listUnknown,
	listVersions,
	lockPlan,
	type NewVersion,
	retireVersion,
} from "./plan-version.store.ts";
import { unknownCode } from "./unknown-code.ts";

const Code = Type.String({ pattern: "^[A-Z][A-Z0-9_]{1,62}$" });
const Word = Type.String({ pattern: "^[a-z][a-z0-9_]{1,62}$" });
const closed = { additionalProperties: false };
const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
const Minor = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** What costs nothing is no overage: the limit is higher then. */
const UnitPrice = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

const Version = {
	bundle: Word,
	price_minor: Minor,
	currency: Type.String({ pattern: "^[A-Z]{3}$" }),
	interval: Type.Enum(billingIntervals, { type: "string" }),
	trial_days: Type.Integer({ minimum: 0, maximum: 365 }),
	grace_days: Type.Integer({ minimum: 0, maximum: 365 }),
	features: Type.Array(Word, { maxItems: 100, uniqueItems: true }),
	limits: Type.Record(Word, Type.Integer({ minimum: -1, maximum: 2_147_483_647 }), { maxProperties: 100 }),
	overage: Type.Record(Word, Type.Object({ unit_price_minor: UnitPrice, cap: Count }, closed), {
		maxProperties: 100,
		description: "What a unit beyond the limit costs, and how many are sold at most",
	}),
};
const NewVersionBody = Type.Object(Version, closed);
const Kept = Type.Object({
	...Version,
	version: Type.Integer(),
	created_at: Type.String({ format: "date-time" }),
	retired_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
});
const Made = Type.Object({ code: Code, version: Type.Integer() });
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;
const tags = ["platform"];

type Parts = { db: Database; now: () => Date };

/** What is sold, for the platform owner. What was published is never changed: it gets a next version, or is retired. */
export const catalogueAdminRoutes = (parts: Parts): readonly Route[] => [
	planRoute(parts),
	listRoute(parts),
	versionRoute(parts),
	retireRoute(parts),
];

const planRoute = ({ db, now }: Parts): Route =>
	route({
		method: "POST",
		url: "/api/v1/admin/plans",
		access: permit(platformRight),
		schema: {
			summary: "Makes a plan; nobody can select it before it has a version",
			tags,
			body: Type.Object(
				{
					code: Code,
					name: Name(100),
					position: Type.Integer({ minimum: 0, maximum: 999_999_999 }),
				},
				closed,
			),
			response: { 201: Type.Object({ code: Code }), ...refusals },
		},
		handler: async (request, reply) => {
			const { body } = request;
			await db.transaction(async (tx) => {
				if (!(await addPlan(tx, body))) throw failures.plan_exists();
				const entry = { action: "plan.made", subject: body.code, detail: { after: body }, at: now() };
				await recordAuditEntry(tx, originOf(request), entry);
			});
			return reply.code(201).send({ code: body.code });
		},
	});

const listRoute = ({ db }: Parts): Route =>
	route({
		method: "GET",
		url: "/api/v1/admin/plans/:code/versions",
		access: permit(platformRight),
		schema: {
			summary: "The versions of a plan, the newest first, retired ones too",
			tags,
			params: Type.Object({ code: Code }),
			querystring: Type.Object(
				{
					limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
					cursor: Type.Optional(Type.String({ pattern: "^[0-9]{1,9}$" })),
				},
				closed,
			),
			response: { 200: Page(Kept), ...refusals },
		},
		handler: async (request) => {
			const { limit, cursor } = request.query;
			const before = cursor === undefined ? undefined : Number(cursor);
			const found = await listVersions(db, { code: request.params.code, before, limit: limit + 1 });
			const items = found.slice(0, limit);
			const last = found.length > limit ? items.at(-1) : undefined;
			return { items: items.map(toWire), next_cursor: last === undefined ? null : String(last.version) };
		},
	});

const versionRoute = ({ db, now }: Parts): Route =>
	route({
		method: "POST",
		url: "/api/v1/admin/plans/:code/versions",
		access: permit(platformRight),
		schema: {
			summary:
				"Makes the next version of a plan: it is on offer from now on, and who has an older one keeps it",
			tags,
			params: Type.Object({ code: Code }),
			body: NewVersionBody,
			response: { 201: Made, ...refusals },
		},
		handler: async (request, reply) => {
			const { code } = request.params;
			const version = await db.transaction(async (tx) => {
				if (!(await lockPlan(tx, code))) throw failures.plan_not_found();
				const wanted = fromWire(request.body);
				const [unknown] = await listUnknown(tx, wanted);
				if (unknown !== undefined) throw unknownCode(unknown);
				const made = await addVersion(tx, code, wanted);
				const detail = { version: made, after: request.body };
				await recordAuditEntry(tx, originOf(request), {
					action: "plan_version.made",
					subject: code,
					detail,
					at: now(),
				});
				return made;
			});
			return reply.code(201).send({ code, version });
		},
	});

const retireRoute = ({ db, now }: Parts): Route =>
	route({
		method: "POST",
		url: "/api/v1/admin/plans/:code/versions/:version/retire",
		access: permit(platformRight),
		schema: {
			summary: "Takes a version off offer: the newest one left is offered, and when none is, the plan is not",
			tags,
			params: Type.Object({ code: Code, version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) }),
			response: { 200: Made, ...refusals },
		},
		handler: (request) =>
			db.transaction(async (tx) => {
				const { code, version } = request.params;
				const outcome = await retireVersion(tx, { code, version, now: now() });
				if (outcome === "absent") throw failures.plan_version_not_found();
				if (outcome === "already") throw failures.version_retired();
				const entry = { action: "plan_version.retired", subject: code, detail: { version }, at: now() };
				await recordAuditEntry(tx, originOf(request), entry);
				return { code, version };
			}),
	});

function fromWire(body: Static<typeof NewVersionBody>): NewVersion {
	const { price_minor, trial_days, grace_days, ...same } = body;
	return { ...same, priceMinor: BigInt(price_minor), trialDays: trial_days, graceDays: grace_days };
}

function toWire({
	priceMinor,
	trialDays,
	graceDays,
	createdAt,
	retiredAt,
	...same
}: KeptVersion): Static<typeof Kept> {
	return {
		...same,
		features: [...same.features],
		price_minor: Number(priceMinor),
		trial_days: trialDays,
		grace_days: graceDays,
		created_at: createdAt.toISOString(),
		retired_at: retiredAt?.toISOString() ?? null,
	};
}
