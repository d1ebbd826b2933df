import { recordApiKey } from "@lango/access";
import { type BuiltService, buildService, type StartOptions } from "@lango/chassis";
import type { AccessTokenClaims, PublicTenant } from "@lango/contracts";
import { inProcessTransport, type Transport } from "@lango/events";
import { createTenancy, signOnAt, type Tenancy } from "@lango/tenancy";
import { openStand, type TestDatabase, type TestIssuer, type TestSubscriptions } from "@lango/testkit";
import { mintApiKey } from "@lango/tokens";
import { hospital } from "../src/service.ts";

/** The hospital on a real database, with an issuer and a subscription service over HTTP. */
export type Ward = BuiltService & {
	database: TestDatabase;
	issuer: TestIssuer;
	subscriptions: TestSubscriptions;
	/** Two tenants with a current subscription, one without, and the platform owner. */
	uhai: PublicTenant;
	kahawa: PublicTenant;
	duka: PublicTenant;
	lango: PublicTenant;
	/** Publishes events as the sign-on service would. */
	transport: Transport;
	/** The lines of its log. */
	logged: string[];
	/** Advances its clock. */
	later(seconds: number): void;
	/**
	 * An access token of a person with this global role in a tenant; always the same person unless `sub` is
	 * given.
	 */
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

/** Starts everything; `close` stops everything and drops the database. */
export async function openWard(): Promise<Ward> {
	let offsetMs = 0;
	const now = () => new Date(Date.now() + offsetMs);
	const transport = inProcessTransport();
	const build = (over: Transport, options: Building) =>
		buildService(hospital, { ...options, transport: over, now });
	let built: BuiltService | undefined;
	let again: Building | undefined;
	const stand = await openStand({
		service: hospital,
		environment: { LOG_LEVEL: "debug" },
		build: async (_, options) => {
			again = options;
			built = await build(transport, options);
			return built;
		},
	});
	if (built === undefined || again === undefined) throw new Error("the service was not built");
	const [first, building] = [built, again];
	const replicas: BuiltService[] = [];
	const otherTransports: Transport[] = [];
	const { database, issuer, subscriptions, tenants, logged, token } = stand;
	const tenancy = createTenancy({
		db: database.db,
		signOn: signOnAt(issuer.url),
		now,
		onError: (error) => void logged.push(String(error)),
	});

	return {
		...first,
		...tenants,
		database,
		issuer,
		subscriptions,
		transport,
		logged,
		token,
		later: (seconds) => {
			offsetMs += seconds * 1_000;
		},
		replica: async () => {
			// A service subscribes once per process. The other replica shares only the database with the first.
			const over = inProcessTransport();
			otherTransports.push(over);
			const replica = await build(over, building);
			replicas.push(replica);
			return replica;
		},
		key: (tenant, permissions) => keepKey(database.db, { tenancy, tenant, permissions, now: now() }),
		call: (options) => call(options.on ?? first, options),
		close: async () => {
			for (const one of replicas) await one.close();
			await stand.close();
			for (const one of [...otherTransports, transport]) await one.close();
		},
	};
}

type Building = Pick<StartOptions, "environment" | "logTo">;

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

/** Creates an API key. Makes the tenant known first, because keys refer to it. */
async function keepKey(
	db: TestDatabase["db"],
	{ tenancy, tenant, permissions, now }: KeyOf,
): Promise<string> {
	await tenancy.findBySlug(tenant.slug);
	const { id, secretHash, text } = mintApiKey();
	await recordApiKey(db, { id, secretHash, tenantId: tenant.id, name: "test", permissions, now });
	return text;
}
