import { randomUUID } from "node:crypto";
import { canonicalPermissions, type PublicTenant } from "@lango/contracts";
import { callMatrix, type MatrixRoute, routesOfDocument } from "./matrix.ts";
import { accessSamples, deadLetterSamples } from "./policy-samples.ts";
import type { Answer, Stand } from "./stand.ts";

/** The scene of a sample: a tenant, and functions that create things in it. */
export type Scene = {
	tenant: PublicTenant;
	outletId: string;
	/** The outlet that everything is created at; undefined: without an outlet. */
	at?: string;
	/** Returns a unique word. */
	unique(): string;
	/** Returns the id of a new person of the tenant who is known to the service. */
	person(): Promise<string>;
	/**
	 * Sends a request in the tenant as the platform owner, who has every permission. `url` as declared, with
	 * `:tenant`. Throws an Error unless it succeeds.
	 */
	make(method: string, url: string, body?: object): Promise<Record<string, unknown>>;
	/** As `make`, with headers. */
	send(request: SceneRequest): Promise<Record<string, unknown>>;
};
type SceneRequest = { method: string; url: string; body?: object; headers?: Record<string, string> };

/** The parameters with which a call of a route succeeds if the caller is permitted. */
export type Sample = {
	/** Path parameters by name. */
	params?: Record<string, string>;
	body?: object;
	headers?: Record<string, string>;
	/** The query, with its question mark. */
	query?: string;
	/** The body contains ids of the tenant's things, which must not be found in another tenant. */
	namesThings?: boolean;
	/** It belongs to one person: other callers, the platform owner too, do not find it. */
	isPersonal?: true;
	/** It is the platform's: every tenant finds it. */
	isShared?: true;
};

/** Samples by `METHOD path`. Routes without ids and body need none. */
export type Samples = Readonly<Record<string, (scene: Scene) => Sample | Promise<Sample>>>;

export type PolicyOptions = {
	/** The base path of the service's routes, as declared: `/api/v1/:tenant/hospital`. */
	base: string;
	/** Samples of the service's own routes. Those that every service has are known. */
	samples?: Samples;
	/** The global roles of a viewer, an operator and an administrator of the service. */
	roles?: { viewer: string; operator: string; admin: string };
	/** Additional kinds of callers of this service. `scene` is in the tenant `uhai`. */
	also?: (stand: Stand, scene: Scene) => readonly Caller[] | Promise<readonly Caller[]>;
	/**
	 * Signs a person of the tenant in at a till of the scene's outlet, and returns the till's token. Only for
	 * services that have tills.
	 */
	signInAtTill?: (scene: Scene, subject: string) => Promise<string>;
};

/** A kind of caller: the name of its column, its tenant and its credential. */
export type Caller = { name: string; tenant: PublicTenant; token?: string; headers?: Record<string, string> };

export const usualRoles = { viewer: "member", operator: "staff", admin: "admin" };
const operation = new Set(["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs"]);

/**
 * Calls every route of a service as every kind of caller, with new sample data for another tenant and after
 * each change, and prints the statuses, the routes that need no subscription, the routes that are not limited
 * to outlets, and the unused permissions: the text of its `test/access.txt`.
 */
export async function printPolicy(stand: Stand, options: PolicyOptions): Promise<string> {
	const samples = samplesOf(stand, options);
	/** Kept while it is the newest: another one may have changed what they share. */
	let newest: { key: string; sample: Promise<Sample> } | undefined;
	const answered = await callMatrix({
		callers: await callersOf(stand, options),
		routes: routesOf(stand),
		call: async (route, caller) => {
			const { slug: address } = caller.tenant;
			const key = `${address} ${route.method} ${route.url}`;
			if (newest?.key !== key)
				newest = { key, sample: sampleFor(route, samples, sceneOf(stand, caller.tenant)) };
			const { status } = await send(stand, route, { ...caller, address, sample: await newest.sample });
			if (status < 300 && route.method !== "GET") newest = undefined;
			return status;
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
 * Calls every guarded route as the administrator of a tenant: at another tenant's path, by slug and by id,
 * and at their own with ids of another tenant's things. Returns every call, and those that were not answered
 * with 404.
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
		if (!namesForeignThings(foreign)) continue;
		const own = { token, address: uhai.slug, sample: foreign };
		expect404(`${line} with another's ids`, await send(stand, route, own));
		const refused = await refusalToOwner(stand, route, foreign);
		if (refused !== undefined) answered.push(`${line}: its sample is not found where it is (${refused})`);
	}
	return { called, answered };
}

const namesForeignThings = ({ params, namesThings, isShared }: Sample): boolean =>
	isShared !== true && (params !== undefined || namesThings === true);

/** Returns the status if the platform owner is refused a sample of `kahawa`; undefined if it is admitted. */
async function refusalToOwner(stand: Stand, route: MatrixRoute, sample: Sample): Promise<number | undefined> {
	if (sample.isPersonal === true) return undefined;
	const address = stand.tenants.kahawa.slug;
	const { status } = await send(stand, route, { token: ownerToken(stand), address, sample });
	return status >= 400 ? status : undefined;
}

/** The samples of a service's own routes and of those that every service has. */
export const samplesOf = (stand: Stand, { base, samples = {} }: PolicyOptions): Samples => ({
	...accessSamples(base),
	...deadLetterSamples(stand),
	...samples,
});

/** The routes of a service without its operational ones. */
export const routesOf = ({ built }: Stand) =>
	routesOfDocument(built.app.swagger(), "/").filter(({ url }) => !operation.has(url));

/** Returns the sample of a route, created in a scene. */
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

/** The person who creates the sample data. */
export const ownerToken = (stand: Stand) =>
	stand.token(stand.tenants.lango, "superuser", { sub: platformOwner });
const platformOwner = randomUUID();

/** Creates a scene in a tenant, as the platform owner, optionally at an outlet. */
export function sceneOf(stand: Stand, tenant: PublicTenant, at?: string): Scene {
	const send: Scene["send"] = async ({ method, url, body, headers }) => {
		const answer = await stand.call({
			method,
			url: url.replace(":tenant", tenant.slug),
			token: ownerToken(stand),
			headers: { ...(at !== undefined && { "x-outlet-id": at }), ...headers },
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
		make: (method, url, body) => send({ method, url, ...(body !== undefined && { body }) }),
		send,
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
	// A third-party client's token without lango.api: the person has every permission, but the client may not
	// act for them.
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

/** A viewer with every permission at one outlet, who selects that outlet in every request. */
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

/** A key with every permission of the service and every canonical code. */
async function keyOf(stand: Stand, base: string): Promise<{ key: string; permissions: string[] }> {
	const { make } = sceneOf(stand, stand.tenants.uhai);
	const permissions = (await permissionsOf(stand, base)).map(({ code }) => code);
	const all = [...permissions, ...canonicalPermissions];
	const { key } = await make("POST", `${base}/api-keys`, { name: "program", permissions: all });
	return { key: String(key), permissions };
}

/** The permissions that can be granted in the service. */
export async function permissionsOf(
	stand: Stand,
	base: string,
): Promise<{ code: string; is_reserved: boolean }[]> {
	const { make } = sceneOf(stand, stand.tenants.uhai);
	const { items } = await make("GET", `${base}/permissions?limit=200`);
	return items as { code: string; is_reserved: boolean }[];
}
