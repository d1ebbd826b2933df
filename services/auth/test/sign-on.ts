import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type BuiltService, buildService } from "@lango/chassis";
import { inProcessTransport, type Transport } from "@lango/events";
import type { Database } from "@lango/postgres";
import { rotateKeys } from "@lango/signing-keys";
import { createTestDatabase, type TestDatabase } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { auth, seedDemo } from "../src/service.ts";

export const issuer = "http://localhost:4000";
export const password = "Karibu-2026!";
export const backend = { client_id: "demo-backend", client_secret: "demo-backend-secret" };
export const backendCallback = "http://localhost:5555/callback";
export const websiteCallback = "http://localhost:3002/auth/callback";
/** An id that no row has. */
export const unknownId = "4f2a1c3e-0b7d-4a55-9c1e-7d0f6b2a9e11";

const serviceKey = `lk_test5678_${"b".repeat(43)}`;
/** The headers of a request with the key that `acceptedKey` makes the service accept. */
export const apiKey = { "x-api-key": serviceKey };
export const acceptedKey = { AUTH_API_KEYS: `test:tenants.read+links.read+recipients.read:${serviceKey}` };

/**
 * The sign-on service with its own database, the demo tenants, an adjustable clock, and a fake subscription
 * service.
 */
export type SignOn = BuiltService & {
	now: { at: Date; forward(seconds: number): void };
	tenants: ReadonlyMap<string, string>;
	ownerUrl: string;
	/** The bus, for events of other services. */
	transport: Transport;
	subscriptions: { answers: Map<string, object>; asked: number; brokenWith?: number; delayMs: number };
	/** Everything the service logged, line by line. */
	logged: string[];
	/** Requests `auth/me` with an access token. */
	me(token: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
	/** The ids of a tenant's outlets by code. */
	outletsOf(slug: string): Promise<Record<string, string>>;
	/** Trades a refresh token, of the website unless another client is given. */
	refresh(refreshToken: string, more?: Record<string, string>): Promise<LightMyRequestResponse>;
};

const startedAt = new Date("2026-03-02T08:00:00Z");
const encryptionKey = Buffer.alloc(32, 7);

/** Writes the demo tenants and the signing keys, which take most of the time of a first start. */
export async function writeDemo(db: Database): Promise<void> {
	await rotateKeys(db, { encryption: [{ id: "k1", key: encryptionKey }], now: startedAt });
	await seedDemo(db, startedAt);
}

/** What writes the demo: the template is made again when one of these files changes. */
const writers = [
	...["demo.ts", "demo.store.ts", "clients/client-seed.ts", "members/announce-user.ts"],
	...["outlets/announce-outlet.ts", "tenants/announce-tenant.ts"],
];
const contents = writers.map((path) => readFileSync(`${import.meta.dirname}/../src/${path}`));
const rows = {
	version: createHash("sha256").update(Buffer.concat(contents)).digest("hex"),
	write: writeDemo,
};

/** Starts the service before the tests of the calling file, and closes it after them. */
export function setUpSignOn(environment?: Record<string, string>): SignOn {
	return setUp(() => startSignOn(environment));
}

export async function startSignOn(environment: Record<string, string> = {}): Promise<SignOn> {
	const database = await createTestDatabase({ name: "auth", sets: auth.migrations, rows });
	return startSignOnAt(database, environment);
}

/** Starts the service on this database, which has the demo and is dropped with the service. */
export async function startSignOnAt(
	database: TestDatabase,
	environment: Record<string, string> = {},
): Promise<SignOn> {
	const now = {
		at: startedAt,
		forward(seconds: number) {
			now.at = new Date(now.at.getTime() + seconds * 1_000);
		},
	};
	const subscriptions: SignOn["subscriptions"] = { answers: new Map(), asked: 0, delayMs: 0 };
	const stand = createServer(async (request, response) => {
		subscriptions.asked += 1;
		await new Promise((resolve) => setTimeout(resolve, subscriptions.delayMs));
		const found = subscriptions.answers.get(/tenants\/([\w-]+)\//.exec(request.url ?? "")?.[1] ?? "");
		response.writeHead(subscriptions.brokenWith ?? (found === undefined ? 404 : 200), {
			"content-type": "application/json",
		});
		response.end(JSON.stringify(found ?? { error: "none", code: "no_subscription" }));
	});
	await new Promise<void>((resolve) => stand.listen(0, "127.0.0.1", resolve));
	const logged: string[] = [];
	const transport = inProcessTransport();
	const built = await buildProcess(database.url, {
		now: () => now.at,
		transport,
		logTo: { write: (line) => void logged.push(line) },
		environment: {
			SUBSCRIPTIONS_URL: `http://127.0.0.1:${(stand.address() as AddressInfo).port}`,
			...environment,
		},
	});
	const tenants = await database.db.query<{ slug: string; id: string }>("select slug, id from tenants");
	return {
		...built,
		now,
		tenants: new Map(tenants.map(({ slug, id }) => [slug, id])),
		subscriptions,
		logged,
		transport,
		ownerUrl: database.ownerUrl,
		me: (token, headers = {}) =>
			built.app.inject({ url: "/api/v1/auth/me", headers: { ...bearer(token), ...headers } }),
		outletsOf: async (slug) => {
			const outlets = (await built.app.inject(`/api/v1/tenants/${slug}/outlets`)).json();
			return Object.fromEntries(outlets.map(({ id, code }: { id: string; code: string }) => [code, id]));
		},
		refresh: (refresh_token, more = {}) =>
			postToken(built.app, {
				grant_type: "refresh_token",
				refresh_token,
				client_id: "cafe-website",
				...more,
			}),
		close: async () => {
			await built.close();
			await database.drop();
			stand.close();
		},
	};
}

type Building = Omit<Parameters<typeof buildService>[1], "environment"> & {
	environment: Record<string, string>;
};

/** One process of the service; several may work on one database. */
export function buildProcess(databaseUrl: string, { environment, ...rest }: Building): Promise<BuiltService> {
	return buildService(auth, {
		...rest,
		jobs: "by hand",
		environment: {
			NODE_ENV: "test",
			LOG_LEVEL: "trace",
			AUTH_DATABASE_URL: databaseUrl,
			AUTH_SNAPSHOT_READ_KEY: `lk_test1234_${"a".repeat(43)}`,
			LANGO_KEY_ENCRYPTION_KEYS: `k1:${encryptionKey.toString("base64")}`,
			...environment,
		},
	});
}

/** A browser as far as this service sees one: it keeps cookies and says where it comes from. */
export type Browser = {
	get(url: string): Promise<LightMyRequestResponse>;
	signIn(email: string, more?: object): Promise<LightMyRequestResponse>;
	cookie: string | undefined;
};

export function openBrowser(app: FastifyInstance): Browser {
	const keep = (response: LightMyRequestResponse) => {
		const set = response.cookies.find(({ name }) => name === "lango" || name === "__Host-lango");
		if (set !== undefined) browser.cookie = set.value === "" ? undefined : `${set.name}=${set.value}`;
		return response;
	};
	const headers = () => ({
		...(browser.cookie !== undefined && { cookie: browser.cookie }),
		origin: "http://localhost:3000",
	});
	const browser: Browser = {
		cookie: undefined,
		get: async (url) => keep(await app.inject({ method: "GET", url, headers: headers() })),
		signIn: async (email, more = {}) =>
			keep(
				await app.inject({
					method: "POST",
					url: "/api/v1/auth/login",
					headers: headers(),
					payload: { email, password, tenant_slug: "", ...more },
				}),
			),
	};
	return browser;
}

/** A verifier and the challenge that goes with it (RFC 7636 §4). */
function pkce() {
	const verifier = randomBytes(32).toString("base64url");
	return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** The address of an authorization request; members set to undefined are left out. */
export function authorizeUrl(parameters: Record<string, string | undefined> = {}): string {
	const all: Record<string, string | undefined> = {
		response_type: "code",
		client_id: "cafe-website",
		redirect_uri: websiteCallback,
		scope: "openid profile email offline_access",
		state: "s-1",
		nonce: "n-1",
		code_challenge: pkce().challenge,
		code_challenge_method: "S256",
		...parameters,
	};
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(all)) if (value !== undefined) query.set(name, value);
	return `/api/v1/authorize?${query}`;
}

/** Where a response sends the browser, taken apart. */
export function location(response: LightMyRequestResponse): URL {
	return new URL(String(response.headers.location));
}

/** A code for a person who is signed in on the browser, with the verifier that goes with it. */
export async function obtainCode(browser: Browser, parameters: Record<string, string | undefined> = {}) {
	const { verifier, challenge } = pkce();
	const response = await browser.get(authorizeUrl({ code_challenge: challenge, ...parameters }));
	const code = location(response).searchParams.get("code");
	if (code === null)
		throw new Error(`no code: ${response.statusCode} ${response.headers.location ?? response.body}`);
	return { code, verifier };
}

export const form = { "content-type": "application/x-www-form-urlencoded" };

export function postForm(
	app: FastifyInstance,
	url: string,
	{ members, headers = {} }: { members: Record<string, string>; headers?: Record<string, string> },
) {
	const payload = new URLSearchParams(members).toString();
	return app.inject({ method: "POST", url, headers: { ...form, ...headers }, payload });
}

export const postToken = (
	app: FastifyInstance,
	members: Record<string, string>,
	headers: Record<string, string> = {},
) => postForm(app, "/api/v1/token", { members, headers });

/** Trades a code of the website's. */
export function tradeCode(
	app: FastifyInstance,
	{ code, verifier }: { code: string; verifier: string },
	more: Record<string, string> = {},
) {
	return postToken(app, {
		grant_type: "authorization_code",
		code,
		code_verifier: verifier,
		client_id: "cafe-website",
		redirect_uri: websiteCallback,
		...more,
	});
}

/** Signs a person in and takes them through the whole flow; answers the tokens. */
export async function obtainTokens(
	app: FastifyInstance,
	email: string,
	parameters: Record<string, string | undefined> = {},
) {
	const browser = openBrowser(app);
	await browser.signIn(email);
	const response = await tradeCode(app, await obtainCode(browser, parameters));
	if (response.statusCode !== 200) throw new Error(`no tokens: ${response.body}`);
	return response.json<{
		access_token: string;
		id_token: string;
		refresh_token: string;
		requiresOutletSelection?: true;
		ssoExchangeToken?: string;
	}>();
}

/** The tokens of the confidential client for a person who signs in. */
export async function obtainBackendTokens(app: FastifyInstance, email: string) {
	const browser = openBrowser(app);
	await browser.signIn(email);
	const parameters = { client_id: backend.client_id, redirect_uri: backendCallback };
	const code = await obtainCode(browser, parameters);
	const response = await tradeCode(app, code, { ...parameters, ...backend });
	return response.json<{
		access_token: string;
		refresh_token: string;
		id_token: string;
		ssoExchangeToken: string;
	}>();
}

/** The header of a request with a token. */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The status and the error code of a response. */
export const codeOf = (response: LightMyRequestResponse) => [response.statusCode, response.json().code];

/** A token's claims, unchecked. */
export function claimsOf(token: string): Record<string, unknown> {
	return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}
