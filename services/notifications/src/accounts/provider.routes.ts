import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	chassisFailures,
	originOf,
	pageOf,
	permit,
	type Route,
	readCursor,
	route,
	tenantOf,
	tenantWide,
	timeForm,
	totalOf,
} from "@lango/chassis";
import { Page, PageQuery, TotalQuery, Uuid } from "@lango/contracts";
import { type Database, inTenant, violatedConstraint } from "@lango/postgres";
import { hashSecret, mintSecret } from "@lango/tokens";
import Type from "typebox";
import { failures } from "../failures.ts";
import type { Notifications } from "../parts.ts";
import { isAtPlatform } from "../platform-owner.ts";
import { findWebhookProvider } from "../providers/account.store.ts";
import { webhookUrlOf } from "../providers/webhook-url.ts";
import { publishHealth } from "../providers/weigh-providers.ts";
import { requireAdapter, requireCredentials, tryCredentials } from "./check-credentials.ts";
import {
	findProvider,
	listMinutes,
	listProviders,
	type Provider,
	type ProviderChange,
	removeProvider,
	saveProvider,
} from "./provider.store.ts";
import { NewProviderBody, ProviderChangeBody, ProviderWire, toProviderWire } from "./provider-wire.ts";

const tags = ["providers"];
const ofTheTenant = tenantWide("providers are the tenant's");
const viewing = { access: permit("notifications.providers.view"), outlets: ofTheTenant };
const managing = {
	...{ access: permit("notifications.providers.manage"), outlets: ofTheTenant },
	product: "notifications",
};
const Path = Type.Object({ tenant: Type.String(), id: Uuid });
const minuteMs = 60_000;

/**
 * The routes of accounts at providers. A tenant sees the platform's, and manages its own. At the platform's
 * own address the platform owner manages the platform's.
 */
export const providerRoutes = (domain: Notifications): readonly Route[] => [
	listing(domain),
	showing(domain),
	showingHealth(domain),
	adding(domain),
	changing(domain),
	removing(domain),
	checking(domain),
	issuingToken(domain),
];

type Request = Parameters<typeof callerOf>[0];

/** The id of the tenant whose providers the request concerns; undefined for those of the platform. */
function ownerOf({ settings }: Notifications, request: Request): string | undefined {
	const { id, slug } = tenantOf(request);
	return isAtPlatform(callerOf(request), slug, settings.platformOwnerSlug) ? undefined : id;
}

const within = <T>({ db }: Notifications, request: Request, work: (tx: Database) => Promise<T>): Promise<T> =>
	inTenant(db, tenantOf(request).id, work);

/** Finds a provider that the caller may see. Throws `provider_not_found`. */
async function requireProvider(domain: Notifications, request: Request, id: string): Promise<Provider> {
	const found = await within(domain, request, (tx) => findProvider(tx, id));
	if (found === undefined) throw failures.provider_not_found();
	return found;
}

/** Finds a provider that the caller may change: a tenant's own, or one of the platform for its owner. */
async function requireOwn(domain: Notifications, request: Request, id: string): Promise<Provider> {
	const found = await requireProvider(domain, request, id);
	if (found.isPlatform !== (ownerOf(domain, request) === undefined)) throw failures.provider_not_found();
	return found;
}

const audit = (
	domain: Notifications,
	tx: Database,
	{
		request,
		...entry
	}: { request: Request; action: string; subject: string; detail: Record<string, unknown> },
) =>
	recordAudit(tx, {
		...{ tenantId: tenantOf(request).id, at: domain.now(), actor: actorOf(callerOf(request)) },
		...{ ...entry, ...originOf(request) },
	});

const listing = (domain: Notifications): Route =>
	route({
		...viewing,
		method: "GET",
		url: "/providers",
		schema: {
			summary: "Lists the tenant's providers and those of the platform, the newest first",
			tags,
			querystring: Type.Object({
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(ProviderWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted } = request.query;
			const after = readCursor(cursor, timeForm);
			const onlyPlatform = ownerOf(domain, request) === undefined;
			return within(domain, request, async (tx) => {
				const found = await listProviders(tx, { onlyPlatform, after, limit: limit + 1 });
				return {
					...pageOf(found, { limit, toWire: toProviderWire, placeOf: ({ place, id }) => [place, id] }),
					...(await totalOf(tx, isCounted, (all, page) => listProviders(all, { onlyPlatform, ...page }))),
				};
			});
		},
	});

const showing = (domain: Notifications): Route =>
	route({
		...viewing,
		method: "GET",
		url: "/providers/:id",
		schema: { summary: "Returns a provider", tags, params: Path, response: { 200: ProviderWire } },
		handler: async (request) => toProviderWire(await requireProvider(domain, request, request.params.id)),
	});

const showingHealth = (domain: Notifications): Route =>
	route({
		...viewing,
		method: "GET",
		url: "/providers/:id/health",
		schema: {
			summary: "Returns how a provider did by the minute, the newest first",
			tags,
			params: Path,
			querystring: Type.Object({
				minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_440, default: 60 })),
			}),
			response: {
				200: Type.Object({
					items: Type.Array(
						Type.Object({
							minute: Type.String({ format: "date-time" }),
							sent: Type.Integer({ description: "Messages that the provider accepted or refused" }),
							errors: Type.Integer({ description: "Calls without an answer" }),
							slow: Type.Integer({ description: "Messages accepted five minutes after they were due" }),
						}),
					),
				}),
			},
		},
		handler: async (request) => {
			const { id } = await requireProvider(domain, request, request.params.id);
			const since = new Date(domain.now().getTime() - (request.query.minutes ?? 60) * minuteMs);
			const items = await within(domain, request, (tx) => listMinutes(tx, id, since));
			return { items: items.map(({ minute, ...counts }) => ({ minute: minute.toISOString(), ...counts })) };
		},
	});

/** Throws `forbidden` if a tenant names an address: it could reach the platform's own network. */
function requireNoAddress(tenantId: string | undefined, baseUrl: string | undefined): void {
	if (tenantId !== undefined && baseUrl !== undefined)
		throw chassisFailures.forbidden({
			message: "Only the platform owner sets the address of a provider.",
			fields: { field: "base_url", in: "body" },
		});
}

/**
 * Saves in a transaction, and publishes that the provider has recovered if the change ends its degraded
 * state. Throws `provider_exists` if the name is taken, and `too_many_providers`.
 */
async function save(
	domain: Notifications,
	request: Request,
	{ id, change, action }: { id?: string; change: ProviderChange; action: string },
): Promise<Provider> {
	const tenantId = ownerOf(domain, request);
	const { secrets, webhookTokenHash, createdBy: _by, ...seen } = change;
	const detail = { ...seen, ...(secrets !== undefined && { credentials: "changed" }) };
	try {
		return await within(domain, request, async (tx) => {
			const before = id === undefined ? undefined : await findProvider(tx, id);
			const saved = await saveProvider(tx, {
				...(id !== undefined && { id }),
				tenantId,
				change,
				now: domain.now(),
			});
			const found = saved === undefined ? undefined : await findProvider(tx, saved);
			if (found === undefined) throw failures.provider_not_found();
			await audit(domain, tx, { request, action, subject: found.id, detail });
			if (before?.degradedAt !== undefined && found.degradedAt === undefined)
				await publishHealth(tx, { ...recovered, ...found, tenantId }, domain.now());
			return found;
		});
	} catch (error) {
		const violated = violatedConstraint(error);
		if (violated === "providers__count") throw failures.too_many_providers();
		if (!violated?.endsWith("providers__name_unique")) throw error;
		throw failures.provider_exists({ fields: { field: "name", in: "body" } });
	}
}

const recovered = { isDegraded: false, errors: 0, sent: 0, slow: 0 };

const adding = (domain: Notifications): Route =>
	route({
		...managing,
		method: "POST",
		url: "/providers",
		schema: {
			summary: "Adds a provider",
			description:
				"Messages of the tenant on this channel go through its own providers from then on. There are at most 20 on a channel. Credentials are stored encrypted and never returned.",
			tags,
			body: NewProviderBody,
			response: { 201: ProviderWire },
		},
		handler: async (request, reply) => {
			const { channel, kind, name, credentials, base_url: baseUrl, ...body } = request.body;
			const tenantId = ownerOf(domain, request);
			requireNoAddress(tenantId, baseUrl);
			const owner = tenantId === undefined ? "platform" : "tenant";
			const checked = await requireCredentials(requireAdapter(kind, channel), { credentials, owner });
			const webhookToken = mintSecret();
			const change: ProviderChange = {
				...{ channel, kind, name, ...(baseUrl !== undefined && { baseUrl }), ...checked.sender },
				secrets: domain.vault.sealCredentials({ credentials: checked.secrets, webhookToken }),
				webhookTokenHash: hashSecret(webhookToken),
				...{ restingWeight: body.resting_weight ?? 100, perSecond: body.per_second ?? 10 },
				...{ inFlightMax: body.in_flight_max ?? 10, isEnabled: body.enabled ?? true },
				createdBy: actorOf(callerOf(request)).id,
			};
			const added = await save(domain, request, { change, action: "provider.added" });
			return reply.code(201).send(toProviderWire(added));
		},
	});

const changing = (domain: Notifications): Route =>
	route({
		...managing,
		method: "PATCH",
		url: "/providers/:id",
		schema: {
			summary: "Changes a provider",
			description:
				"Credentials replace the ones before as a whole. A new resting weight counts at once: a provider that had lost weight has recovered.",
			tags,
			params: Path,
			body: ProviderChangeBody,
			response: { 200: ProviderWire },
		},
		handler: async (request) => {
			const { id } = request.params;
			const { credentials, base_url: baseUrl, name, ...body } = request.body;
			const tenantId = ownerOf(domain, request);
			requireNoAddress(tenantId, baseUrl);
			const { kind, channel } = await requireOwn(domain, request, id);
			const owner = tenantId === undefined ? "platform" : "tenant";
			const checked =
				credentials && (await requireCredentials(requireAdapter(kind, channel), { credentials, owner }));
			const change: ProviderChange = {
				...(name !== undefined && { name }),
				...(baseUrl !== undefined && { baseUrl }),
				...(checked && { ...checked.sender, secrets: await resealed(domain, id, checked.secrets) }),
				...(body.resting_weight !== undefined && { restingWeight: body.resting_weight }),
				...(body.per_second !== undefined && { perSecond: body.per_second }),
				...(body.in_flight_max !== undefined && { inFlightMax: body.in_flight_max }),
				...(body.enabled !== undefined && { isEnabled: body.enabled }),
			};
			return toProviderWire(await save(domain, request, { id, change, action: "provider.changed" }));
		},
	});

/** New credentials, with the token of the webhook as it is. */
async function resealed({ db, vault }: Notifications, id: string, credentials: unknown) {
	const stored = await findWebhookProvider(db, id);
	if (stored === undefined) throw failures.provider_not_found();
	const { webhookToken } = vault.openCredentials(stored.credentials);
	return vault.sealCredentials({ credentials, ...(webhookToken !== undefined && { webhookToken }) });
}

const removing = (domain: Notifications): Route =>
	route({
		...managing,
		method: "DELETE",
		url: "/providers/:id",
		schema: {
			summary: "Removes a provider",
			description: "Later reports about what it sent are refused. To keep them, switch it off instead.",
			tags,
			params: Path,
			response: { 204: Type.Null() },
		},
		handler: async (request, reply) => {
			const { id, kind, name, channel } = await requireOwn(domain, request, request.params.id);
			const tenantId = ownerOf(domain, request);
			await within(domain, request, async (tx) => {
				if (!(await removeProvider(tx, { id, tenantId }))) throw failures.provider_not_found();
				const detail = { kind, name, channel };
				await audit(domain, tx, { request, action: "provider.removed", subject: id, detail });
			});
			return reply.code(204).send(null);
		},
	});

const checking = (domain: Notifications): Route =>
	route({
		...managing,
		method: "POST",
		url: "/providers/:id/check",
		schema: {
			summary: "Tries the credentials of a provider by a call that sends nothing",
			tags,
			params: Path,
			response: {
				200: Type.Object({
					ok: Type.Boolean(),
					code: Type.Union([Type.String(), Type.Null()], { description: "Why it failed" }),
				}),
			},
		},
		handler: async (request) => {
			const { id } = await requireOwn(domain, request, request.params.id);
			const outcome = await tryCredentials(domain, id);
			return { ok: outcome.is === "accepted", code: "code" in outcome ? outcome.code : null };
		},
	});

const issuingToken = (domain: Notifications): Route =>
	route({
		...managing,
		method: "POST",
		url: "/providers/:id/webhook-token",
		schema: {
			summary: "Issues a new token for the webhook of a provider, and returns its address",
			description: "The address with the token is shown once. The token before is invalid from now on.",
			tags,
			params: Path,
			response: { 200: Type.Object({ webhook_url: Type.String() }) },
		},
		handler: async (request) => {
			const { id } = await requireOwn(domain, request, request.params.id);
			const stored = await findWebhookProvider(domain.db, id);
			if (stored === undefined) throw failures.provider_not_found();
			const { credentials } = domain.vault.openCredentials(stored.credentials);
			const webhookToken = mintSecret();
			const change = {
				secrets: domain.vault.sealCredentials({ credentials, webhookToken }),
				webhookTokenHash: hashSecret(webhookToken),
			};
			await save(domain, request, { id, change, action: "provider.webhook_token_issued" });
			return { webhook_url: webhookUrlOf({ publicUrl: domain.settings.publicUrl, id, webhookToken }) };
		},
	});
