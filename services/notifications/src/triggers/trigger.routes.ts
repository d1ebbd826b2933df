import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	originOf,
	pageBy,
	pageOf,
	permit,
	type Route,
	readCursor,
	readKey,
	route,
	tenantOf,
	tenantWide,
	timeForm,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant, violatedConstraint } from "@lango/postgres";
import Type from "typebox";
import { failures } from "../failures.ts";
import type { Notifications } from "../parts.ts";
import { tenantEventTypes } from "./listening.ts";
import {
	changeTrigger,
	countOwnTriggers,
	findTriggerView,
	listRuns,
	listTriggers,
	recordTrigger,
	removeTrigger,
	reopenRun,
	switchTrigger,
	type TriggerView,
} from "./trigger-admin.store.ts";
import { findTriggerProblem, type TriggerTerms } from "./trigger-problem.ts";
import {
	NewTrigger,
	RunPage,
	readTerms,
	TriggerChange,
	TriggerPage,
	TriggerWire,
	toRunWire,
	toTriggerWire,
} from "./trigger-wire.ts";

const tags = ["triggers"];
const ofTheTenant = tenantWide("rules are the tenant's");
const Params = Type.Object({ tenant: Type.String(), id: Uuid });
const Listing = Type.Object({
	cursor: PageQuery.cursor,
	limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
});
const triggersMax = 200;
const refusals =
	"A rule that is not valid is refused with trigger_invalid, the place as field and a stable reason, such as channel_unsupported.";

const newTerms: Pick<TriggerTerms, "mode" | "conditions" | "delaySeconds" | "digest" | "isEnabled"> = {
	...{ mode: "all", conditions: [], delaySeconds: 0, digest: null, isEnabled: true },
};

/** The routes of triggers: the rules by which events become messages, and what became of events. */
export const triggerRoutes = (domain: Notifications): readonly Route[] => [
	listing(domain),
	listingEventTypes(),
	creating(domain),
	showing(domain),
	changing(domain),
	removing(domain),
	listingRuns(domain),
	replaying(domain),
];

const listing = ({ db }: Notifications): Route =>
	route({
		method: "GET",
		url: "/triggers",
		access: permit("notifications.triggers.view"),
		outlets: ofTheTenant,
		schema: {
			summary: "Lists the tenant's rules and those of the platform",
			tags,
			querystring: Listing,
			response: { 200: TriggerPage },
		},
		handler: async (request) => {
			const { cursor, limit = 50 } = request.query;
			const { id: tenantId } = tenantOf(request);
			const query = { tenantId, after: readKey(cursor, uuidForm), limit: limit + 1 };
			const found = await inTenant(db, tenantId, (tx) => listTriggers(tx, query));
			return pageBy(found, { limit, toWire: toTriggerWire, keyOf: ({ id }) => id });
		},
	});

const listingEventTypes = (): Route =>
	route({
		method: "GET",
		url: "/event-types",
		access: permit("notifications.triggers.view"),
		outlets: ofTheTenant,
		schema: {
			summary: "Lists the known types of events that rules can listen to, besides custom.*",
			tags,
			response: {
				200: Type.Object({
					items: Type.Array(
						Type.Object({
							type: Type.String(),
							because: Type.String(),
							data: Type.Unknown({ description: "JSON Schema of the event's data" }),
						}),
					),
				}),
			},
		},
		handler: async () => ({
			items: tenantEventTypes.map(({ type, because, data }) => ({ type, because, data })),
		}),
	});

/** Rules of a tenant are part of the product; the platform's rules and sending are not. */
const managing = {
	...{ access: permit("notifications.triggers.change"), outlets: ofTheTenant },
	product: "notifications",
} as const;

const creating = (domain: Notifications): Route =>
	route({
		method: "POST",
		url: "/triggers",
		...managing,
		schema: {
			summary: "Creates a rule",
			description: refusals,
			tags,
			body: Shape(NewTrigger),
			response: { 201: TriggerWire },
		},
		handler: async (request, reply) => {
			const { id: tenantId } = tenantOf(request);
			const { event: eventType, name, template, channels, recipients, map } = request.body;
			const required = { eventType, name, template, channels, recipients, map };
			const terms = readTerms(request.body, { ...newTerms, ...required });
			await requireValid(domain, tenantId, terms);
			const [at, actor] = [domain.now(), actorOf(callerOf(request))];
			const created = await inTenant(domain.db, tenantId, async (tx) => {
				if ((await countOwnTriggers(tx, tenantId)) >= triggersMax) throw failures.too_many_triggers();
				const id = await recordTrigger(tx, { tenantId, terms, by: actor.id, now: at });
				await recordAudit(tx, {
					...{ tenantId, at, actor, action: "trigger.created", subject: id, detail: { name } },
					...originOf(request),
				});
				return getTrigger(tx, { tenantId, id });
			}).catch(explainName);
			return reply.code(201).send(toTriggerWire(created));
		},
	});

const showing = ({ db }: Notifications): Route =>
	route({
		method: "GET",
		url: "/triggers/:id",
		access: permit("notifications.triggers.view"),
		outlets: ofTheTenant,
		schema: { summary: "Returns a rule", tags, params: Params, response: { 200: TriggerWire } },
		handler: async (request) => {
			const about = { tenantId: tenantOf(request).id, id: request.params.id };
			return toTriggerWire(await inTenant(db, about.tenantId, (tx) => getTrigger(tx, about)));
		},
	});

const changing = (domain: Notifications): Route =>
	route({
		method: "PATCH",
		url: "/triggers/:id",
		...managing,
		schema: {
			summary: "Changes a rule of the tenant, or switches one of the platform on or off",
			description: refusals,
			tags,
			params: Params,
			body: Shape(TriggerChange),
			response: { 200: TriggerWire },
		},
		handler: async (request) => {
			const { id: tenantId } = tenantOf(request);
			const { id } = request.params;
			const before = await inTenant(domain.db, tenantId, (tx) => getTrigger(tx, { tenantId, id }));
			const terms = readTerms(request.body, before);
			if (before.isPlatform) await requireSwitch(domain, tenantId, { before, body: request.body });
			else await requireValid(domain, tenantId, terms);
			const [at, actor] = [domain.now(), actorOf(callerOf(request))];
			const changed = await inTenant(domain.db, tenantId, async (tx) => {
				const isOn = terms.isEnabled;
				if (before.isPlatform) await switchTrigger(tx, { tenantId, id, isOn, by: actor.id, now: at });
				else await changeTrigger(tx, { id, terms, now: at });
				await recordAudit(tx, {
					...{ tenantId, at, actor, action: "trigger.changed", subject: id },
					...{ detail: { name: terms.name, enabled: isOn }, ...originOf(request) },
				});
				return getTrigger(tx, { tenantId, id });
			}).catch(explainName);
			return toTriggerWire(changed);
		},
	});

const removing = ({ db, now }: Notifications): Route =>
	route({
		method: "DELETE",
		url: "/triggers/:id",
		...managing,
		schema: {
			summary: "Removes a rule of the tenant with its runs",
			tags,
			params: Params,
			response: { 204: Type.Null() },
		},
		handler: async (request, reply) => {
			const { id: tenantId } = tenantOf(request);
			const { id } = request.params;
			await inTenant(db, tenantId, async (tx) => {
				const { isPlatform, name } = await getTrigger(tx, { tenantId, id });
				if (isPlatform) throw platformKept("id", "params");
				if (!(await removeTrigger(tx, id))) throw failures.trigger_not_found();
				await recordAudit(tx, {
					...{ tenantId, at: now(), actor: actorOf(callerOf(request)), action: "trigger.removed" },
					...{ subject: id, detail: { name }, ...originOf(request) },
				});
			});
			return reply.code(204).send(null);
		},
	});

const listingRuns = ({ db }: Notifications): Route =>
	route({
		method: "GET",
		url: "/triggers/:id/runs",
		access: permit("notifications.triggers.view"),
		outlets: ofTheTenant,
		schema: {
			summary: "Lists what became of events by a rule, the newest first",
			tags,
			params: Params,
			querystring: Type.Object({ ...Listing.properties, ...TotalQuery }),
			response: { 200: RunPage },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted } = request.query;
			const { id: tenantId } = tenantOf(request);
			const triggerId = request.params.id;
			const after = readCursor(cursor, timeForm);
			return inTenant(db, tenantId, async (tx) => {
				await getTrigger(tx, { tenantId, id: triggerId });
				const found = await listRuns(tx, { tenantId, triggerId, after, limit: limit + 1 });
				return {
					...pageOf(found, { limit, toWire: toRunWire, placeOf: ({ place, id }) => [place, id] }),
					...(await totalOf(tx, isCounted, (all, page) => listRuns(all, { tenantId, triggerId, ...page }))),
				};
			});
		},
	});

const replaying = ({ db, now }: Notifications): Route =>
	route({
		method: "POST",
		url: "/triggers/:id/replay",
		...managing,
		schema: {
			summary: "Runs a rule again for an event whose run failed",
			description: "Messages that the run has made are not made again. The event is stored for seven days.",
			tags,
			params: Params,
			body: Shape({ event_id: Uuid }),
			response: { 202: Type.Object({ run_id: Uuid }) },
		},
		handler: async (request, reply) => {
			const { id: tenantId } = tenantOf(request);
			const query = { triggerId: request.params.id, eventId: request.body.event_id, now: now() };
			const run = await inTenant(db, tenantId, async (tx) => {
				const reopened = await reopenRun(tx, query);
				if (reopened === undefined) throw failures.run_not_found();
				if (reopened === "gone") throw failures.data_gone();
				await enqueueJob(tx, { name: "triggers.run" }, { id: reopened.id, tenantId });
				await recordAudit(tx, {
					...{ tenantId, at: query.now, actor: actorOf(callerOf(request)), action: "trigger.replayed" },
					...{ subject: query.triggerId, detail: { event_id: query.eventId }, ...originOf(request) },
				});
				return reopened;
			});
			return reply.code(202).send({ run_id: run.id });
		},
	});

async function getTrigger(tx: Database, about: { tenantId: string; id: string }): Promise<TriggerView> {
	const found = await findTriggerView(tx, about);
	if (found === undefined) throw failures.trigger_not_found();
	return found;
}

/** Throws `trigger_invalid` if a tenant's rule is not valid. */
async function requireValid(
	{ templates }: Notifications,
	tenantId: string,
	terms: TriggerTerms,
): Promise<void> {
	const problem = findTriggerProblem(terms, await templates.find(tenantId, terms.template));
	if (problem === undefined) return;
	const { message, ...place } = problem;
	throw failures.trigger_invalid({ message, fields: { ...place, in: "body" } });
}

/** Throws `trigger_invalid` if a change of a platform's rule is more than a switch, or it must stay on. */
async function requireSwitch(
	{ templates }: Notifications,
	tenantId: string,
	{ before, body }: { before: TriggerView; body: object },
): Promise<void> {
	const other = Object.keys(body).find((member) => member !== "enabled");
	if (other !== undefined) throw platformKept(other, "body");
	const found = await templates.find(tenantId, before.template);
	if (found?.template.category !== "security") return;
	throw failures.trigger_invalid({
		message: "Rules of the category security cannot be switched off.",
		fields: { field: "enabled", reason: "security_kept", in: "body" },
	});
}

const platformKept = (field: string, place: "body" | "params") =>
	failures.trigger_invalid({
		message: "A rule of the platform can be switched off, but not changed or removed.",
		fields: { field, reason: "platform_kept", in: place },
	});

/** Throws the failure of a name that is in use, or the error itself. */
function explainName(error: unknown): never {
	if (violatedConstraint(error) !== "triggers__name_unique") throw error;
	throw failures.trigger_invalid({
		message: "A rule with this name exists.",
		fields: { field: "name", reason: "name_used", in: "body" },
	});
}
