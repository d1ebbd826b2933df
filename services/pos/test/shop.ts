import { randomUUID } from "node:crypto";
import { type BuiltService, buildService } from "@lango/chassis";
import type { AccessTokenClaims, PublicOutlet, PublicTenant } from "@lango/contracts";
import { inProcessTransport, type Transport } from "@lango/events";
import {
	createTestDatabase,
	expiredSubscription,
	startTestIssuer,
	startTestSubscriptions,
	type TestDatabase,
	type TestIssuer,
	type TestSubscriptions,
	testSubscription,
	testTenant,
} from "@lango/testkit";
import { pos } from "../src/service.ts";

/** A person of a tenant, with the claims that the sign-on service would issue. */
export type Somebody = {
	tenant: PublicTenant;
	role: string;
	sub: string;
	name: string;
	/** Additional claims of their tokens. */
	claims?: Partial<AccessTokenClaims>;
};

/** The point of sale on a real database, with an issuer and a subscription service that answer over HTTP. */
export type Shop = BuiltService & {
	database: TestDatabase;
	issuer: TestIssuer;
	subscriptions: TestSubscriptions;
	kahawa: PublicTenant;
	uhai: PublicTenant;
	duka: PublicTenant;
	lango: PublicTenant;
	/** An outlet of a tenant by its index: the first two of each. */
	outlet(tenant: PublicTenant, place?: 0 | 1): PublicOutlet;
	transport: Transport;
	/** Advances its clock. */
	later(seconds: number): void;
	now(): Date;
	/** An access token of a person, issued by the sign-on service. */
	token(who: Somebody, claims?: Partial<AccessTokenClaims>): string;
	/** A second replica on the same database. */
	replica(): Promise<BuiltService>;
	call(request: CallOptions): Promise<Answer>;
};

type CallOptions = {
	method?: "GET" | "PUT" | "POST" | "DELETE" | "OPTIONS";
	url: string;
	token?: string | undefined;
	headers?: Record<string, string>;
	body?: unknown;
	on?: BuiltService;
};
export type Answer = { status: number; body: Record<string, unknown>; headers: Record<string, unknown> };

export const encryptionKey = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
export const posUrl = "http://pos.example:4005";

/** A new person. */
export const somebody = (tenant: PublicTenant, role: string, name = role): Somebody => ({
	tenant,
	role,
	sub: randomUUID(),
	name,
});

/** A new person who is not bound to an outlet. */
export const ofHeadquarters = (tenant: PublicTenant, role: string): Somebody => ({
	...somebody(tenant, role),
	claims: { is_hq_user: true },
});

/** Starts everything; `close` stops everything and drops the database. */
export async function openShop(settings: Readonly<Record<string, string>> = {}): Promise<Shop> {
	const database = await createTestDatabase({ name: "pos", sets: pos.migrations });
	let offsetMs = 0;
	const now = () => new Date(Date.now() + offsetMs);
	const issuer = await startTestIssuer({ now });
	const subscriptions = await startTestSubscriptions();
	const tenants = admitTenants(issuer, subscriptions);

	const transport = inProcessTransport();
	const environment = {
		POS_DATABASE_URL: database.url,
		POS_URL: posUrl,
		POS_KEY_REFRESH_SECONDS: "1",
		POS_KEY_ENCRYPTION_KEYS: encryptionKey,
		AUTH_URL: issuer.url,
		SUBSCRIPTIONS_URL: subscriptions.url,
		POS_SNAPSHOT_READ_KEY: subscriptions.apiKey,
		LOG_LEVEL: "silent",
		...settings,
	};
	const build = (over: Transport) =>
		buildService(pos, { environment, transport: over, now, jobs: "by hand" });
	const built = await build(transport);
	const others: Array<{ close(): Promise<void> }> = [];

	return {
		...built,
		database,
		issuer,
		subscriptions,
		...tenants,
		outlet: (tenant, place = 0) => {
			const outlet = issuer.outlets.get(tenant.slug)?.[place];
			if (outlet === undefined) throw new Error(`${tenant.slug} has no such outlet`);
			return outlet;
		},
		transport,
		later: (seconds) => {
			offsetMs += seconds * 1_000;
		},
		now,
		token: ({ tenant, role, sub, name, claims: own }, claims = {}) =>
			issuer.token({
				...{ tenant_id: tenant.id, tenant_slug: tenant.slug, roles: [role], sub, name },
				email: `${role}@${tenant.slug}.example`,
				...own,
				...claims,
			}),
		replica: async () => {
			const over = inProcessTransport();
			const replica = await build(over);
			others.push(over, replica);
			return replica;
		},
		call: (options) => call(options.on ?? built, options),
		close: async () => {
			for (const one of others.toReversed()) await one.close();
			await built.close();
			await transport.close();
			await Promise.all([issuer.close(), subscriptions.close()]);
			await database.drop();
		},
	};
}

/**
 * Adds the tenants of the tests to the issuer and the subscription service: two with a current subscription,
 * one without, the platform owner.
 */
function admitTenants(
	issuer: TestIssuer,
	subscriptions: TestSubscriptions,
): Pick<Shop, "kahawa" | "uhai" | "duka" | "lango"> {
	const [kahawa, uhai, duka, lango] = [
		testTenant("kahawa"),
		testTenant("uhai"),
		testTenant("duka"),
		testTenant("lango"),
	];
	const products = { products: ["pos"] };
	for (const tenant of [kahawa, uhai])
		subscriptions.records.set(tenant.id, testSubscription(tenant.id, products));
	subscriptions.records.set(duka.id, { ...expiredSubscription(duka.id), ...products });
	for (const tenant of [kahawa, uhai, duka, lango]) {
		issuer.tenants.push(tenant);
		issuer.outlets.set(tenant.slug, [outletOf("MAIN"), outletOf("SIDE")]);
	}
	return { kahawa, uhai, duka, lango };
}

const outletOf = (code: string): PublicOutlet => ({
	id: randomUUID(),
	code,
	name: code,
	use_case: "quick_service",
	is_hq: false,
	status: "active",
	settings: {},
});

async function call(
	{ app }: BuiltService,
	{ method = "GET", url, token, headers = {}, body }: CallOptions,
): Promise<Answer> {
	const answer = await app.inject({
		method,
		url,
		headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
		...(body !== undefined && { payload: body as object }),
	});
	const isJson = answer.headers["content-type"]?.toString().startsWith("application/json") ?? false;
	return { status: answer.statusCode, body: isJson ? answer.json() : {}, headers: answer.headers };
}
