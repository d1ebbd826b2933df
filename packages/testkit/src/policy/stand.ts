import { randomUUID } from "node:crypto";
import { keyVariable, type PublicTenant, type Subscription } from "@lango/contracts";
import type { MigrationSet } from "@lango/postgres";
import { createTestDatabase, type TemplateRows, type TestDatabase } from "../database/database.ts";
import { startTestIssuer, type TestClaims, type TestIssuer, testTenant } from "../servers/issuer.ts";
import {
	expiredSubscription,
	startTestSubscriptions,
	type TestSubscriptions,
	testSubscription,
} from "../servers/subscriptions.ts";

/** A response of a service. */
export type Answer = { status: number; body: Record<string, unknown> };

/** The members of a built service that tests use. */
type BuiltApp = {
	app: {
		inject(request: {
			method: "GET";
			url: string;
			headers: Record<string, string>;
			payload?: object;
		}): Promise<{ statusCode: number; body: string; headers: Record<string, unknown> }>;
		swagger(): object;
	};
	close(): Promise<void>;
};

export type StandOptions<Service> = {
	/** The definition of a domain service. */
	service: Service & { name: string; migrations: readonly MigrationSet[] };
	/** `buildService` of the chassis. */
	build: (
		service: Service,
		options: { environment: Record<string, string>; logTo: { write(line: string): void } },
	) => Promise<BuiltApp>;
	/** The subscription of active tenants, besides every product. */
	plan?: Partial<Subscription>;
	/** Additional settings of the service. */
	environment?: Record<string, string>;
	/** Rows of its database: they are written once, and copied from then on. */
	rows?: TemplateRows;
	/** Creates its database, if it is not a copy of a template. */
	createDatabase?: () => Promise<TestDatabase>;
};

/** A request with a token or headers. */
export type StandCall = {
	method: string;
	url: string;
	token?: string | undefined;
	headers?: Record<string, string> | undefined;
	body?: object | undefined;
};

/**
 * A domain service on a real database, with an issuer and a subscription service over HTTP, and four tenants.
 */
export type Stand = {
	name: string;
	database: TestDatabase;
	issuer: TestIssuer;
	subscriptions: TestSubscriptions;
	built: BuiltApp;
	/**
	 * Two customers with an active subscription, one with an expired one, and the platform. Each has one
	 * outlet.
	 */
	tenants: Record<"uhai" | "kahawa" | "duka" | "lango", PublicTenant>;
	outletOf(tenant: PublicTenant): string;
	/** The lines of the service's log. */
	logged: string[];
	/** Returns a token of a person of a tenant with a global role. */
	token(tenant: PublicTenant, role: string, claims?: TestClaims): string;
	call(call: StandCall): Promise<Answer>;
	close(): Promise<void>;
};

const products = "ordering logistics treasury pos analytics notifications auth inventory hospital".split(" ");

/** Starts everything on its own database. `close` stops everything and drops the database. */
export async function openStand<Service>(options: StandOptions<Service>): Promise<Stand> {
	const { service, build, plan, environment, rows } = options;
	const { name, migrations: sets } = service;
	const create = options.createDatabase ?? (() => createTestDatabase({ name, sets, ...(rows && { rows }) }));
	const database = await create();
	const [issuer, subscriptions] = [await startTestIssuer(), await startTestSubscriptions()];
	const tenants = admitTenants(issuer, subscriptions, { products, ...plan });
	const logged: string[] = [];
	const closeAround = async () => {
		await Promise.all([issuer.close(), subscriptions.close()]);
		await database.drop();
	};
	const built = await build(service, {
		environment: {
			NODE_ENV: "test",
			[`${service.name.toUpperCase()}_DATABASE_URL`]: database.url,
			AUTH_URL: issuer.url,
			SUBSCRIPTIONS_URL: subscriptions.url,
			[keyVariable(service.name, "snapshot.read")]: subscriptions.apiKey,
			[keyVariable(service.name, "usage.report")]: subscriptions.apiKey,
			LOG_LEVEL: "warn",
			...environment,
		},
		logTo: { write: (line) => void logged.push(line) },
	}).catch(async (error) => {
		await closeAround();
		throw error;
	});
	return {
		name: service.name,
		database,
		issuer,
		subscriptions,
		built,
		tenants,
		logged,
		outletOf: ({ slug }) => {
			const outlet = issuer.outlets.get(slug)?.[0];
			if (outlet === undefined) throw new Error(`${slug} has no outlet`);
			return outlet.id;
		},
		token: ({ id, slug }, role, claims = {}) =>
			issuer.token({
				tenant_id: id,
				tenant_slug: slug,
				roles: [role],
				email: `${role}@${slug}.example`,
				name: role,
				...claims,
			}),
		call: (call) => inject(built, call),
		close: async () => {
			await built.close();
			await closeAround();
		},
	};
}

export type NewPlace = {
	outlets: ReadonlyArray<{ id: string; code: string }>;
	outletIsolation?: PublicTenant["outlet_isolation"];
};

/** Adds a tenant with these outlets to a stand, with the plan of the first tenant. */
export function addTenant(
	stand: Stand,
	slug: string,
	{ outlets, outletIsolation = "strict" }: NewPlace,
): PublicTenant {
	const tenant = testTenant(slug, { outlet_isolation: outletIsolation });
	const plan = stand.subscriptions.records.get(stand.tenants.uhai.id);
	if (plan === undefined) throw new Error("the first tenant has no plan");
	stand.issuer.tenants.push(tenant);
	stand.issuer.outlets.set(
		slug,
		outlets.map((one) => ({
			...one,
			name: one.code,
			use_case: "quick_service",
			is_hq: false,
			status: "active",
			settings: {},
		})),
	);
	stand.subscriptions.records.set(tenant.id, { ...plan, tenant_id: tenant.id });
	return tenant;
}

async function inject({ app }: BuiltApp, { method, url, token, headers, body }: StandCall): Promise<Answer> {
	const answer = await app.inject({
		method: method as "GET",
		url,
		headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
		...(body !== undefined && { payload: body }),
	});
	return { status: answer.statusCode, body: answer.body.startsWith("{") ? JSON.parse(answer.body) : {} };
}

function admitTenants(
	issuer: TestIssuer,
	subscriptions: TestSubscriptions,
	plan: Partial<Subscription>,
): Stand["tenants"] {
	const [uhai, kahawa, duka, lango] = [
		testTenant("uhai"),
		testTenant("kahawa"),
		testTenant("duka"),
		testTenant("lango"),
	];
	for (const tenant of [uhai, kahawa, duka, lango]) {
		issuer.tenants.push(tenant);
		issuer.outlets.set(tenant.slug, [
			{
				id: randomUUID(),
				code: "MAIN",
				name: "Main",
				use_case: "quick_service",
				is_hq: true,
				status: "active",
				settings: {},
			},
		]);
	}
	for (const { id } of [uhai, kahawa]) subscriptions.records.set(id, testSubscription(id, plan));
	subscriptions.records.set(duka.id, { ...expiredSubscription(duka.id), ...plan });
	return { uhai, kahawa, duka, lango };
}
