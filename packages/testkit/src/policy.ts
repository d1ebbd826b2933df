import { randomUUID } from "node:crypto";
import { canonicalPermissions, type PublicTenant } from "@lango/contracts";
import { callMatrix, type MatrixRoute, routesOfDocument } from "./matrix.ts";
import { accessSamples, mendingSamples } from "./policy-samples.ts";
import type { Answer, Stand } from "./stand.ts";

/** Where a sample is made: a tenant, and the means to make things in it. */
export type Scene = {
	tenant: PublicTenant;
	outletId: string;
	/** The outlet that everything is made at; undefined: at none. */
	at?: string;
	/** A word nobody used before. */
	unique(): string;
	/** The id of a new person of the tenant, whom the service has met. */
	person(): Promise<string>;
	/** Does something in the tenant as the platform's owner, who may do everything; `url` as declared, `:tenant` in it. Throws an Error unless it is done. */
	make(method: string, url: string, body?: object): Promise<Record<string, unknown>>;
};

/** What a route is called with so that it is done if only the caller may. */
export type Sample = {
	/** Ids for the address, by name. */
	params?: Record<string, string>;
	body?: object;
	headers?: Record<string, string>;
	/** Query, with its question mark. */
	query?: string;
	/** The body, too, names things of the tenant: in another they are not found. */
	namesThings?: boolean;
};

/** Samples by `METHOD address`; routes without ids and without a body need none. */
export type Samples = Readonly<Record<string, (scene: Scene) => Sample | Promise<Sample>>>;

export type PolicyOptions = {
	/** The address of the service's routes, as declared: `/api/v1/:tenant/hospital`. */
	base: string;
	/** For the service's own routes; those that every service has are known. */
	samples?: Samples;
	/** Global roles of a viewer, an operator and an administrator of the service. */
	roles?: { viewer: string; operator: string; admin: string };
	/** Kinds of callers that this service has besides; `scene` is of `uhai`. */
	also?: (stand: Stand, scene: Scene) => readonly Caller[] | Promise<readonly Caller[]>;
};

/** A kind of caller: the name of the column, and whose address and credential. */
export type Caller = { name: string; tenant: PublicTenant; token?: string; headers?: Record<string, string> };

export const usualRoles = { viewer: "member", operator: "staff", admin: "admin" };
const operation = new Set(["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs"]);

/**
 * Really calls every route of a service as every kind of caller, each time on things made for that call, and prints what was
 * answered, then which routes ask for no subscription, which are not bound to outlets and which permissions guard nothing yet: the text of its `test/access.txt`.
 */
export async function printPolicy(stand: Stand, options: PolicyOptions): Promise<string> {
	const samples = samplesOf(stand, options);
	const answered = await callMatrix({
		callers: await callersOf(stand, options),
		routes: routesOf(stand),
		call: async (route, caller) => {
			const sample = await sampleFor(route, samples, sceneOf(stand, caller.tenant));
			return (await send(stand, route, { ...caller, address: caller.tenant.slug, sample })).status;
		},
	});
	const exempt = routesOf(stand).filter((route) => route.exempt !== undefined);
	const tenantWide = routesOf(stand).filter((route) => route.tenantWide !== undefined);
	const reserved = (await permissionsOf(stand, options.base)).filter(({ is_reserved }) => is_reserved);
	return [
		answered,
		...listed(
			"no subscription is asked for at",
			exempt.map((route) => `${route.method} ${route.url}: ${route.exempt}`),
		),
		...listed(
			"not bound to the caller's outlets",
			tenantWide.map((route) => `${route.method} ${route.url}: ${route.tenantWide}`),
		),
		...listed(
			"reserved, no route asks for",
			reserved.map(({ code }) => code),
		),
	].join("");
}

const listed = (title: string, lines: readonly string[]) =>
	lines.length === 0 ? [] : [`\n${title}\n`, ...lines.toSorted().map((line) => `  ${line}\n`)];

/**
 * Calls every guarded route as the administrator of a tenant: at another tenant's address, by slug and by id, and at their own with
 * ids of another tenant's things. Tells every call, and those that were answered by anything but 404.
 */
export async function walkForeign(
	stand: Stand,
	options: PolicyOptions,
): Promise<{ called: number; answered: string[] }> {
	const { uhai, kahawa } = stand.tenants;
	const token = stand.token(uhai, (options.roles ?? usualRoles).admin);
	const samples = samplesOf(stand, options);
	const answered: string[] = [];
	let called = 0;
	const expect404 = (what: string, { status, body }: Answer) => {
		called += 1;
		if (status !== 404) answered.push(`${what}: ${status} ${body.code ?? ""}`.trim());
	};
	for (const route of routesOf(stand).filter(({ url }) => url.includes(":tenant"))) {
		const line = `${route.method} ${route.url}`;
		const foreign = await sampleFor(route, samples, sceneOf(stand, kahawa));
		const anonymous = await send(stand, route, { address: kahawa.slug, sample: foreign });
		if (anonymous.status !== 401) continue;
		for (const address of [kahawa.slug, kahawa.id])
			expect404(`${line} at ${address}`, await send(stand, route, { token, address, sample: foreign }));
		if (foreign.params === undefined && foreign.namesThings !== true) continue;
		const own = { token, address: uhai.slug, sample: foreign };
		expect404(`${line} with another's ids`, await send(stand, route, own));
		const proof = await send(stand, route, {
			token: ownerToken(stand),
			address: kahawa.slug,
			sample: foreign,
		});
		if (proof.status >= 400) answered.push(`${line}: its sample is not found where it is (${proof.status})`);
	}
	return { called, answered };
}

/** The samples of a service's own routes and of those that every service has. */
export const samplesOf = (stand: Stand, { base, samples = {} }: PolicyOptions): Samples => ({
	...accessSamples(base),
	...mendingSamples(stand),
	...samples,
});

/** The routes of a service but those of its operation. */
export const routesOf = ({ built }: Stand) =>
	routesOfDocument(built.app.swagger(), "/").filter(({ url }) => !operation.has(url));

/** What a route is called with, made in a scene. */
export async function sampleFor(
	{ method, url }: MatrixRoute,
	samples: Samples,
	scene: Scene,
): Promise<Sample> {
	const make = samples[`${method} ${url}`];
	if (make !== undefined) return make(scene);
	if (/:(?!tenant\b)/.test(url) && url.includes(":tenant"))
		throw new Error(`${method} ${url} names things by id: give it a sample`);
	return {};
}

type Sending = { address: string; sample: Sample; token?: string; headers?: Record<string, string> };

/** Calls a route with a sample. */
export function send(
	stand: Stand,
	{ method, url }: MatrixRoute,
	{ address, sample, token, headers }: Sending,
): Promise<Answer> {
	const { params = {}, query = "", body } = sample;
	const path = url.replaceAll(/:(\w+)/g, (_all, name: string) =>
		name === "tenant" ? address : (params[name] ?? "1"),
	);
	return stand.call({
		method,
		url: `${path}${query}`,
		token,
		headers: { ...sample.headers, ...headers },
		body,
	});
}

/** One person throughout, who owns what scenes are made of. */
const ownerToken = (stand: Stand) => stand.token(stand.tenants.lango, "superuser", { sub: platformOwner });
const platformOwner = randomUUID();

/** The means to make things in a tenant of a stand, as the platform's owner; at an outlet where one is named. */
export function sceneOf(stand: Stand, tenant: PublicTenant, at?: string): Scene {
	const make = async (method: string, url: string, body?: object) => {
		const answer = await stand.call({
			method,
			url: url.replace(":tenant", tenant.slug),
			token: ownerToken(stand),
			...(at !== undefined && { headers: { "x-outlet-id": at } }),
			body,
		});
		if (answer.status < 300) return answer.body;
		throw new Error(`a sample could not be made: ${method} ${url} ${JSON.stringify(answer)}`);
	};
	return {
		tenant,
		outletId: at ?? stand.outletOf(tenant),
		...(at !== undefined && { at }),
		unique: () => `x${randomUUID().replaceAll("-", "").slice(0, 20)}`,
		person: async () => {
			const sub = randomUUID();
			const url = meOf(stand).replace(":tenant", tenant.slug);
			await stand.call({ method: "GET", url, token: stand.token(tenant, usualRoles.viewer, { sub }) });
			return sub;
		},
		make,
	};
}

function meOf(stand: Stand): string {
	const found = routesOf(stand).find(({ url }) => url.endsWith("/auth/me"));
	if (found === undefined) throw new Error(`${stand.name} has no auth/me`);
	return found.url;
}

async function callersOf(stand: Stand, { base, roles = usualRoles, also }: PolicyOptions): Promise<Caller[]> {
	const { uhai, kahawa, duka } = stand.tenants;
	const at = (tenant: PublicTenant, name: string, token: string): Caller => ({ name, tenant, token });
	const { key, permissions } = await keyOf(stand, base);
	const pending = stand.token(uhai, roles.viewer, { user_status: "pending", roles: [] });
	const client = stand.issuer.token({
		client_id: "program",
		idtyp: "app",
		scope: [...permissions, ...canonicalPermissions].join(" "),
	});
	// A third-party client's token without lango.api: the person may do everything, and the client nothing for them.
	const thirdParty = stand.token(stand.tenants.lango, "superuser", {
		client_id: "third-party",
		scope: "openid profile email tenant roles",
	});
	return [
		{ name: "no token", tenant: uhai },
		at(uhai, "pending", pending),
		at(uhai, "viewer", stand.token(uhai, roles.viewer)),
		at(uhai, "operator", stand.token(uhai, roles.operator)),
		at(uhai, "admin", stand.token(uhai, roles.admin)),
		await outletsAdmin(stand, base, { role: roles.viewer, permissions }),
		at(uhai, "other's", stand.token(kahawa, roles.admin)),
		at(duka, "expired", stand.token(duka, roles.admin)),
		at(uhai, "superuser", stand.token(uhai, "superuser")),
		at(uhai, "owner", ownerToken(stand)),
		{ name: "API key", tenant: uhai, headers: { "x-api-key": key } },
		at(uhai, "client", client),
		at(uhai, "3rd party", thirdParty),
		...((await also?.(stand, sceneOf(stand, uhai))) ?? []),
	];
}

/** A viewer who may do everything at one outlet, and names that outlet wherever they go. */
async function outletsAdmin(
	stand: Stand,
	base: string,
	{ role, permissions }: { role: string; permissions: readonly string[] },
): Promise<Caller> {
	const { uhai } = stand.tenants;
	const { make, outletId, person, unique } = sceneOf(stand, uhai);
	const [code, sub] = [unique(), await person()];
	await make("POST", `${base}/roles`, { code, permissions });
	await make("POST", `${base}/roles/${code}/assignments`, { user_id: sub, outlet_id: outletId });
	const headers = { "x-outlet-id": outletId };
	return { name: "outlet's", tenant: uhai, token: stand.token(uhai, role, { sub }), headers };
}

/** A key that may do everything in the service and carries every canonical code, and what it may in the service. */
async function keyOf(stand: Stand, base: string): Promise<{ key: string; permissions: string[] }> {
	const { make } = sceneOf(stand, stand.tenants.uhai);
	const permissions = (await permissionsOf(stand, base)).map(({ code }) => code);
	const all = [...permissions, ...canonicalPermissions];
	const { key } = await make("POST", `${base}/api-keys`, { name: "program", permissions: all });
	return { key: String(key), permissions };
}

/** What may be granted in the service. */
export async function permissionsOf(
	stand: Stand,
	base: string,
): Promise<{ code: string; is_reserved: boolean }[]> {
	const { make } = sceneOf(stand, stand.tenants.uhai);
	const { items } = await make("GET", `${base}/permissions?limit=200`);
	return items as { code: string; is_reserved: boolean }[];
}
