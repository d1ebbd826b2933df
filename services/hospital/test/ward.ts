import { recordApiKey } from "@lango/access";
import { type BuiltService, buildService } from "@lango/chassis";
import type { AccessTokenClaims, PublicTenant } from "@lango/contracts";
import { inProcessTransport, type Transport } from "@lango/events";
import { createTenancy, signOnAt, type Tenancy } from "@lango/tenancy";
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
import { mintApiKey } from "@lango/tokens";
import { hospital } from "../src/service.ts";

/** The hospital on a real database, with an issuer and a subscription service that answer over HTTP. */
export type Ward = BuiltService & {
	database: TestDatabase;
	issuer: TestIssuer;
	subscriptions: TestSubscriptions;
	/** Two customers in good standing, one whose subscription is over, and the platform itself. */
	uhai: PublicTenant;
	kahawa: PublicTenant;
	duka: PublicTenant;
	lango: PublicTenant;
	/** Tells it what the sign-on service would. */
	transport: Transport;
	/** Lines of its log. */
	logged: string[];
	/** Moves its clock on. */
	later(seconds: number): void;
	/** A token of a person of a tenant, in the role of the sign-on service; one person unless `sub` says which. */
	token(tenant: PublicTenant, role: string, claims?: Partial<AccessTokenClaims>): string;
	/** A second replica on the same database. */
	replica(): Promise<BuiltService>;
	/** A new API key of a tenant. */
	key(tenant: PublicTenant, permissions: readonly string[]): Promise<string>;
	call(request: CallOptions): Promise<Answer>;
};

type CallOptions = {
	method?: "GET" | "PUT" | "POST" | "DELETE" | "OPTIONS";
	url: string;
	token?: string | undefined;
	headers?: Record<string, string | string[]>;
	body?: unknown;
	on?: BuiltService;
};
type Answer = { status: number; body: Record<string, unknown>; headers: Record<string, unknown> };

/** Starts all of it; `close` stops all of it and drops the database. */
export async function openWard(): Promise<Ward> {
	const database = await createTestDatabase({ name: "hospital", sets: hospital.migrations });
	const issuer = await startTestIssuer();
	const subscriptions = await startTestSubscriptions();
	const tenants = admitTenants(issuer, subscriptions);

	let offsetMs = 0;
	const now = () => new Date(Date.now() + offsetMs);
	const logged: string[] = [];
	const transport = inProcessTransport();
	const environment = {
		HOSPITAL_DATABASE_URL: database.url,
		AUTH_URL: issuer.url,
		SUBSCRIPTIONS_URL: subscriptions.url,
		SUBSCRIPTIONS_API_KEY: subscriptions.apiKey,
		LOG_LEVEL: "debug",
	};
	const logTo = { write: (line: string) => void logged.push(line) };
	const build = (over: Transport) => buildService(hospital, { environment, transport: over, now, logTo });
	const built = await build(transport);
	const replicas: BuiltService[] = [];
	const otherTransports: Transport[] = [];
	const signOn = signOnAt(issuer.url);
	const tenancy = createTenancy({
		db: database.db,
		signOn,
		now,
		onTrouble: (error) => void logged.push(String(error)),
	});

	return {
		...built,
		database,
		issuer,
		subscriptions,
		...tenants,
		transport,
		logged,
		later: (seconds) => {
			offsetMs += seconds * 1_000;
		},
		token: (tenant, role, claims = {}) =>
			issuer.token({
				...tenantClaims(tenant),
				roles: [role],
				email: `${role}@${tenant.slug}.example`,
				name: role,
				...claims,
			}),
		replica: async () => {
			// In one process a service subscribes once; the other replica has only the database in common with the first.
			const over = inProcessTransport();
			otherTransports.push(over);
			const replica = await build(over);
			replicas.push(replica);
			return replica;
		},
		key: (tenant, permissions) => keepKey(database.db, { tenancy, tenant, permissions, now: now() }),
		call: (options) => call(options.on ?? built, options),
		close: async () => {
			for (const one of [...replicas, built]) await one.close();
			for (const one of [...otherTransports, transport]) await one.close();
			await Promise.all([issuer.close(), subscriptions.close()]);
			await database.drop();
		},
	};
}

const tenantClaims = ({ id, slug }: PublicTenant) => ({ tenant_id: id, tenant_slug: slug });

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

type KeyOf = { tenancy: Tenancy; tenant: PublicTenant; permissions: readonly string[]; now: Date };

/** Makes a key of a tenant, which is made known first: keys hang on it. */
async function keepKey(
	db: TestDatabase["db"],
	{ tenancy, tenant, permissions, now }: KeyOf,
): Promise<string> {
	await tenancy.findBySlug(tenant.slug);
	const { id, secretHash, text } = mintApiKey();
	await recordApiKey(db, { id, secretHash, tenantId: tenant.id, name: "test", permissions, now });
	return text;
}

/** Tells the issuer and the subscription service of the tenants that every test knows. */
function admitTenants(
	issuer: TestIssuer,
	subscriptions: TestSubscriptions,
): Pick<Ward, "uhai" | "kahawa" | "duka" | "lango"> {
	const [uhai, kahawa, duka, lango] = [
		testTenant("uhai"),
		testTenant("kahawa"),
		testTenant("duka"),
		testTenant("lango"),
	];
	issuer.tenants.push(uhai, kahawa, duka, lango);
	for (const tenant of [uhai, kahawa]) subscriptions.records.set(tenant.id, testSubscription(tenant.id));
	subscriptions.records.set(duka.id, expiredSubscription(duka.id));
	return { uhai, kahawa, duka, lango };
}
