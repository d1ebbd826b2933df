import { type BuiltService, buildService } from "@lango/chassis";
import type { AccessTokenClaims, PublicTenant } from "@lango/contracts";
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
import { notifications } from "../src/service.ts";
import { catalogueRows } from "./catalogue-rows.ts";

/** The notification service on a real database, with an issuer and a subscription service over HTTP. */
export type Office = BuiltService & {
	database: TestDatabase;
	transport: Transport;
	subscriptions: TestSubscriptions;
	/** Links of the sign-on service by their id. */
	links: TestIssuer["links"];
	issuer: TestIssuer;
	/** A tenant, another one, one whose subscription has expired, and the platform owner. */
	uhai: PublicTenant;
	kahawa: PublicTenant;
	duka: PublicTenant;
	lango: PublicTenant;
	logged: string[];
	clock: { now: Date | undefined };
	token(tenant: PublicTenant, role: string, claims?: Partial<AccessTokenClaims>): string;
	call(request: OfficeCall): Promise<OfficeAnswer>;
	/** Sends a message, as an administrator of the tenant unless the call has a token. */
	send(
		tenant: PublicTenant,
		body: Record<string, unknown>,
		more?: Partial<OfficeCall>,
	): Promise<OfficeAnswer>;
	/** Starts another process of the service on the same database. */
	replica(): Promise<BuiltService>;
	/** Adds a tenant with these limits and features. */
	tenant(plan: { limits?: Record<string, number>; features?: string[] }, slug?: string): PublicTenant;
};

type OfficeCall = {
	method?: "GET" | "PUT" | "POST" | "PATCH" | "DELETE";
	url: string;
	token?: string;
	headers?: Record<string, string>;
	body?: unknown;
};
/** The members of responses that tests read. */
type Body = Record<string, unknown> & {
	id: string;
	code: string;
	field: string;
	status: string;
	requestId: string;
	limit: string;
	limit_value: number;
	counts: Record<string, number>;
	cancelled: number;
	unread: number;
	unseen: number;
	items: Array<Record<string, unknown> & { id: string; status: string }>;
	next_cursor: string | null;
	total: number;
};
type OfficeAnswer = {
	status: number;
	body: Body;
	headers: Record<string, unknown>;
};

/** The key-encryption key of tests. */
export const encryptionKeys = `test:${Buffer.alloc(32, 7).toString("base64")}`;

/** The key of programs outside of the suite (`NOTIFICATIONS_API_KEY`). */
export const platformApiKey = mintApiKey().text;

/** A message that needs nothing but its recipients. */
export const greeting = (to: readonly string[], more: Record<string, unknown> = {}) => ({
	channel: "email",
	template: "shared/generic_notification",
	to,
	data: {
		name: "Asha",
		title: "Stock is low",
		message: "Only 3 left.",
		action_link: "https://lango.example/stock",
	},
	...more,
});

/** Starts everything; `close` stops everything and drops the database. */
export async function openOffice(
	environment: Record<string, string> = {},
	create = () =>
		createTestDatabase({ name: "notifications", sets: notifications.migrations, rows: catalogueRows }),
): Promise<Office> {
	const database = await create();
	const [issuer, subscriptions] = [await startTestIssuer(), await startTestSubscriptions()];
	const clock: Office["clock"] = { now: undefined };
	const logged: string[] = [];
	const transport = inProcessTransport();
	const start = (events: Transport) =>
		buildService(notifications, {
			environment: { ...environmentOf({ database, issuer, subscriptions }), ...environment },
			transport: events,
			now: () => clock.now ?? new Date(),
			jobs: "by hand",
			logTo: { write: (line: string) => void logged.push(line) },
		});
	const built = await start(transport);
	const replica = async () => {
		const events = inProcessTransport();
		const other = await start(events);
		return { ...other, close: () => other.close().finally(() => events.close()) };
	};
	const tenants = admitTenants(issuer, subscriptions);
	const token = tokensOf(issuer);
	const call: Office["call"] = async ({ method = "GET", url, token: bearer, headers = {}, body }) => {
		const answer = await built.app.inject({
			method,
			url,
			headers: { ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }), ...headers },
			...(body !== undefined && { payload: body as object }),
		});
		const isJson = answer.headers["content-type"]?.toString().startsWith("application/json") ?? false;
		return {
			status: answer.statusCode,
			body: (isJson ? answer.json() : {}) as Body,
			headers: answer.headers,
		};
	};
	return {
		...built,
		...tenants,
		...{ database, transport, subscriptions, issuer, logged, clock, token, call, replica },
		send: (tenant, body, more = {}) =>
			call({
				method: "POST",
				url: `/api/v1/${tenant.slug}/notifications/messages`,
				token: token(tenant, "admin"),
				body,
				...more,
			}),
		close: async () => {
			await built.close();
			await transport.close();
			await Promise.all([issuer.close(), subscriptions.close()]);
			await database.drop();
		},
	};
}

type Servers = { database: TestDatabase; issuer: TestIssuer; subscriptions: TestSubscriptions };

const environmentOf = ({ database, issuer, subscriptions }: Servers): Record<string, string> => ({
	NOTIFICATIONS_DATABASE_URL: database.url,
	NOTIFICATIONS_KEY_ENCRYPTION_KEYS: encryptionKeys,
	AUTH_URL: issuer.url,
	SUBSCRIPTIONS_URL: subscriptions.url,
	NOTIFICATIONS_SNAPSHOT_READ_KEY: subscriptions.apiKey,
	NOTIFICATIONS_USAGE_REPORT_KEY: subscriptions.apiKey,
	NOTIFICATIONS_LINKS_READ_KEY: subscriptions.apiKey,
	NOTIFICATIONS_RECIPIENTS_READ_KEY: subscriptions.apiKey,
	CONSOLE_UI_URL: "https://console.lango.example",
	NOTIFICATIONS_API_KEY: platformApiKey,
	NOTIFICATIONS_DISPATCH: "off",
	LOG_LEVEL: "debug",
});

function admitTenants(issuer: TestIssuer, subscriptions: TestSubscriptions) {
	const products = ["notifications", "auth"];
	let made = 0;
	const tenant: Office["tenant"] = (
		{ limits = { max_emails_per_day: -1 }, features = [] },
		slug = `tenant-${++made}`,
	) => {
		const one = testTenant(slug);
		issuer.tenants.push(one);
		subscriptions.records.set(one.id, testSubscription(one.id, { products, limits, features }));
		return one;
	};
	const [uhai, kahawa, duka] = [tenant({}, "uhai"), tenant({}, "kahawa"), tenant({}, "duka")];
	subscriptions.records.set(duka.id, { ...expiredSubscription(duka.id), products });
	return { tenant, links: issuer.links, uhai, kahawa, duka, lango: tenant({}, "lango") };
}

/** One token for a tenant and a role: the same person calls again. */
function tokensOf(issuer: TestIssuer): Office["token"] {
	const tokens = new Map<string, string>();
	return (of, role, claims) => {
		const key = `${of.id} ${role}`;
		const known = claims === undefined ? tokens.get(key) : undefined;
		const made =
			known ??
			issuer.token({
				...{ tenant_id: of.id, tenant_slug: of.slug, roles: [role] },
				...{ email: `${role}@${of.slug}.example`, name: role, ...claims },
			});
		if (claims === undefined) tokens.set(key, made);
		return made;
	};
}
