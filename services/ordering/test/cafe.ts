import { recordApiKey } from "@lango/access";
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
import { mintApiKey } from "@lango/tokens";
import { ordering } from "../src/service.ts";

/** Ordering on a real database, with an issuer and a subscription service over HTTP. */
export type Cafe = BuiltService & {
	database: TestDatabase;
	issuer: TestIssuer;
	subscriptions: TestSubscriptions;
	/** A tenant with an outlet, another one, one without a current subscription, and the platform owner. */
	kahawa: PublicTenant;
	soko: PublicTenant;
	duka: PublicTenant;
	lango: PublicTenant;
	/** Outlets of kahawa: a café and a store room. */
	counter: PublicOutlet;
	storeRoom: PublicOutlet;
	transport: Transport;
	logged: string[];
	/** If `now` is set, the service's clock returns it. */
	clock: { now: Date | undefined };
	token(tenant: PublicTenant, role: string, claims?: Partial<AccessTokenClaims>): string;
	key(tenant: PublicTenant, permissions: readonly string[]): Promise<string>;
	/** Another replica on the same database, with more connections than this one. */
	replica(connectionsMax: number): Promise<BuiltService>;
	call(request: CallOptions): Promise<Answer>;
	/** Adds an item to a tenant's menu. Returns its id. */
	item(tenant: PublicTenant, more?: Record<string, unknown>): Promise<string>;
	/** Sets a plan with this many orders a day. */
	limit(tenant: PublicTenant, orders: number | undefined): void;
};

type CallOptions = {
	method?: "GET" | "PUT" | "POST" | "PATCH" | "DELETE" | "OPTIONS";
	url: string;
	token?: string | undefined;
	headers?: Record<string, string>;
	body?: unknown;
	on?: BuiltService;
};
/** The members of responses that tests read. */
type Body = {
	code: string;
	field: string;
	id: string;
	status: string;
	number: number;
	ordered_on: string;
	currency: string;
	total_minor: number;
	price_minor: number;
	outlet_id: string | null;
	placed_by: string;
	item_ids: string[];
	lines: unknown[];
	items: Array<{ id: string; name: string; currency: string; key: string; value: unknown }>;
	next_cursor: string | null;
	service_role: string;
	permissions: string[];
	limit: string;
};
type Answer = { status: number; body: Body; headers: Record<string, unknown> };

/** Starts everything; `close` stops everything and drops the database. */
export async function openCafe(
	create = () => createTestDatabase({ name: "ordering", sets: ordering.migrations }),
): Promise<Cafe> {
	const database = await create();
	const issuer = await startTestIssuer();
	const subscriptions = await startTestSubscriptions();
	const clock: Cafe["clock"] = { now: undefined };
	const logged: string[] = [];
	const transport = inProcessTransport();
	const build = (over: Transport, more: Record<string, string> = {}) =>
		buildService(ordering, {
			environment: {
				ORDERING_DATABASE_URL: database.url,
				AUTH_URL: issuer.url,
				SUBSCRIPTIONS_URL: subscriptions.url,
				ORDERING_SNAPSHOT_READ_KEY: subscriptions.apiKey,
				ORDERING_USAGE_REPORT_KEY: subscriptions.apiKey,
				LOG_LEVEL: "debug",
				...more,
			},
			transport: over,
			now: () => clock.now ?? new Date(),
			jobs: "by hand",
			logTo: { write: (line: string) => void logged.push(line) },
		});
	const built = await build(transport);
	const others: BuiltService[] = [];
	const otherTransports: Transport[] = [];
	const cafe: Cafe = {
		...built,
		...admitTenants(issuer, subscriptions),
		database,
		issuer,
		subscriptions,
		transport,
		logged,
		clock,
		token: (tenant, role, claims = {}) =>
			issuer.token({
				tenant_id: tenant.id,
				tenant_slug: tenant.slug,
				roles: [role],
				email: `${role}@${tenant.slug}.example`,
				name: role,
				...claims,
			}),
		key: (tenant, permissions) => keepKey(cafe, tenant, permissions),
		replica: async (connectionsMax) => {
			const over = inProcessTransport();
			otherTransports.push(over);
			const replica = await build(over, { ORDERING_DATABASE_CONNECTIONS_MAX: String(connectionsMax) });
			others.push(replica);
			return replica;
		},
		call: (options) => call(options.on ?? built, options),
		item: (tenant, more = {}) => addItem(cafe, tenant, more),
		limit: (tenant, orders) => {
			const limits = orders === undefined ? {} : { max_orders_per_day: orders };
			const version = (subscriptions.records.get(tenant.id)?.version ?? 0) + 1;
			const products = ["ordering", "auth"];
			subscriptions.records.set(tenant.id, testSubscription(tenant.id, { limits, products, version }));
		},
		close: async () => {
			for (const one of [...others, built]) await one.close();
			for (const one of [...otherTransports, transport]) await one.close();
			await Promise.all([issuer.close(), subscriptions.close()]);
			await database.drop();
		},
	};
	return cafe;
}

async function call({ app }: BuiltService, request: CallOptions): Promise<Answer> {
	const { method = "GET", url, token, headers = {}, body } = request;
	const answer = await app.inject({
		method,
		url,
		headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
		...(body !== undefined && { payload: body as object }),
	});
	const isJson = answer.headers["content-type"]?.toString().startsWith("application/json") ?? false;
	return { status: answer.statusCode, body: (isJson ? answer.json() : {}) as Body, headers: answer.headers };
}

let items = 0;

async function addItem(cafe: Cafe, tenant: PublicTenant, more: Record<string, unknown>): Promise<string> {
	items += 1;
	const { status, body } = await cafe.call({
		method: "POST",
		url: `/api/v1/${tenant.slug}/catalog/items`,
		token: cafe.token(tenant, "admin"),
		body: { category: "Coffee", name: `Coffee ${items}`, price_minor: 18_000, ...more },
	});
	if (status !== 201) throw new Error(`adding the item failed: ${status} ${JSON.stringify(body)}`);
	return body.id;
}

/** Creates an API key. Makes the tenant known first, because keys refer to it. */
async function keepKey(cafe: Cafe, tenant: PublicTenant, permissions: readonly string[]): Promise<string> {
	await cafe.call({ url: `/api/v1/${tenant.slug}/menu/items` });
	const { id, secretHash, text } = mintApiKey();
	const key = { id, secretHash, tenantId: tenant.id, name: "test", permissions, now: new Date() };
	await recordApiKey(cafe.database.db, key);
	return text;
}

const outlet = (code: string, use_case: PublicOutlet["use_case"]): PublicOutlet => ({
	id: crypto.randomUUID(),
	code,
	name: code,
	use_case,
	is_hq: false,
	status: "active",
	settings: {},
});

function admitTenants(issuer: TestIssuer, subscriptions: TestSubscriptions) {
	const [kahawa, soko] = [testTenant("kahawa"), testTenant("soko", { currency: "TZS" })];
	const [duka, lango] = [testTenant("duka"), testTenant("lango")];
	issuer.tenants.push(kahawa, soko, duka, lango);
	const products = ["ordering", "auth"];
	const limits = { max_orders_per_day: -1 };
	for (const { id } of [kahawa, soko])
		subscriptions.records.set(id, testSubscription(id, { products, limits }));
	subscriptions.records.set(duka.id, { ...expiredSubscription(duka.id), products });
	const [counter, storeRoom] = [outlet("COUNTER", "quick_service"), outlet("STORE", "logistics")];
	issuer.outlets.set("kahawa", [counter, storeRoom]);
	return { kahawa, soko, duka, lango, counter, storeRoom };
}
