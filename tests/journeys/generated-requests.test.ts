import { createHash } from "node:crypto";
import { recordApiKey } from "@lango/access";
import { type BuiltService, buildService } from "@lango/chassis";
import { createTestDatabase, openStand, type Stand, startTestSubscriptions } from "@lango/testkit";
import { mintApiKey } from "@lango/tokens";
import { afterAll, expect, test } from "vitest";
import { parts } from "../../tools/up.ts";
import { type Chance, chanceFrom, type Document, generateRequest } from "./generate-requests.ts";
import { encryptionKeys, standSettings } from "./stand-settings.ts";

// Requests generated from the OpenAPI document of every service. LANGO_GENERATED_REQUESTS says how many in
// all (30000 for the whole proof), LANGO_GENERATED_SEED repeats a run: a failure names its seed.
const total = Number(process.env["LANGO_GENERATED_REQUESTS"] ?? "3600");
const seed = Number(process.env["LANGO_GENERATED_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const share = Math.ceil(total / parts.services.length);

type Caller = Record<string, string>;
type Subject = {
	app: BuiltService["app"];
	callers: readonly Caller[];
	/** Values that exist, by the name of a parameter or member; answers add to them. */
	known: Record<string, string[]>;
	logged: readonly string[];
	close(): Promise<void>;
};
const bearer = (token: string): Caller => ({ authorization: `Bearer ${token}` });
const subjects: Subject[] = [];
afterAll(async () => {
	for (const subject of subjects) await subject.close();
});

/** What every tenant of a stand pays for its subscription. */
const whatIsPaid = {
	...{ version: 1, plan: "GROWTH", plan_version: 1, price_minor: 250_000, currency: "KES" },
	interval: "month",
	...{ period_started_at: null, cancelled_at: null, period_ends_at: null },
	next_period: { plan: "GROWTH", interval: "month", amount_minor: 250_000 },
	...{ balance_minor: 0, open_payment_id: null },
} as const;

/** A service that accepts the tokens of an issuer that fakes the sign-on service. */
async function openOther(service: (typeof parts.services)[number]["service"]): Promise<Subject> {
	const key = mintApiKey().text;
	const stand: Stand = await openStand({
		service,
		build: buildService,
		environment: {
			...standSettings(service.name),
			...(service.name === "subscriptions" && { SUBSCRIPTIONS_API_KEYS: `generated:snapshot.read:${key}` }),
		},
	});
	const { uhai, kahawa, lango } = stand.tenants;
	for (const { id } of [uhai, kahawa, lango]) stand.subscriptions.billing.set(id, whatIsPaid);
	const [person, colleague] = [crypto.randomUUID(), crypto.randomUUID()];
	const administrator = stand.token(uhai, "admin", { sub: person });
	const scoped = { client_id: "third-party", scope: "openid" };
	const callers = [
		{},
		bearer(stand.token(uhai, "viewer", { sub: colleague })),
		bearer(stand.token(uhai, "member")),
		...Array<Caller>(6).fill(bearer(administrator)),
		bearer(stand.token(kahawa, "admin")),
		bearer(stand.token(lango, "superuser")),
		bearer(stand.token(uhai, "admin", scoped)),
		{ "x-api-key": key },
		{ "x-api-key": mintApiKey().text },
		bearer("a.b.c"),
	];
	const tenantKey = await makeTenantKey(stand, administrator);
	if (tenantKey !== undefined) callers.push({ "x-api-key": tenantKey });
	const tenants = [uhai, kahawa, lango].flatMap(({ id, slug }) => [id, slug]);
	const outlet = stand.outletOf(uhai);
	const known = {
		tenant: [...tenants, uhai.slug, uhai.slug, uhai.slug],
		tenant_id: [uhai.id, kahawa.id],
		id: [outlet, person, colleague],
		outlet_id: [outlet],
		user_id: [person, colleague],
		permissions: [...(service.access?.permissions ?? [])],
		"X-Outlet-ID": [outlet],
	};
	const app = stand.built.app as unknown as BuiltService["app"];
	return { app, callers, known, logged: stand.logged, close: () => stand.close() };
}

/**
 * Makes a key of the stand's first tenant with every permission of a domain service; undefined for other
 * services. The tenant becomes known by a first request.
 */
async function makeTenantKey(stand: Stand, token: string): Promise<string | undefined> {
	const { uhai } = stand.tenants;
	const { access } = parts.services.find(({ service }) => service.name === stand.name)?.service ?? {};
	const { app, db } = stand.built as unknown as BuiltService;
	const { paths } = app.swagger() as unknown as Document;
	const path = Object.keys(paths).find((one) => /\{tenant\}.*\/auth\/me$/.test(one));
	if (path === undefined) return undefined;
	const me = await app.inject({ url: path.replace("{tenant}", uhai.slug), headers: bearer(token) });
	expect(me.statusCode).toBe(200);
	const { id, secretHash, text } = mintApiKey();
	const permissions = access?.permissions ?? [];
	await recordApiKey(db, {
		id,
		secretHash,
		tenantId: uhai.id,
		name: "generated",
		permissions,
		now: new Date(),
	});
	return text;
}

/**
 * A token that a client which is not first-party obtained for the person of a session, by the code flow with
 * PKCE.
 */
async function thirdPartyToken(app: BuiltService["app"], root: Caller, email: string): Promise<Caller> {
	const [client_id, redirect_uri] = ["third-party", "https://app.example/callback"];
	const scopes = ["openid", "profile", "email"];
	const client = { client_id, name: "App", redirect_uris: [redirect_uri], scopes, public: true };
	const registered = await app.inject({
		method: "POST",
		url: "/api/v1/admin/clients",
		payload: client,
		headers: root,
	});
	expect(registered.statusCode).toBe(201);
	const payload = { email, password: parts.password, tenant_slug: "" };
	const session = await app.inject({ method: "POST", url: "/api/v1/auth/login", payload });
	const verifier = "v".repeat(43);
	const query = new URLSearchParams({
		response_type: "code",
		client_id,
		redirect_uri,
		scope: scopes.join(" "),
		state: "generated",
		code_challenge: createHash("sha256").update(verifier).digest("base64url"),
		code_challenge_method: "S256",
	});
	const cookies = Object.fromEntries(session.cookies.map(({ name, value }) => [name, value]));
	const granted = await app.inject({ url: `/api/v1/authorize?${query}`, cookies });
	const code = new URL(String(granted.headers.location)).searchParams.get("code") ?? "";
	const form = new URLSearchParams({
		grant_type: "authorization_code",
		code,
		code_verifier: verifier,
		client_id,
		redirect_uri,
	});
	const headers = { "content-type": "application/x-www-form-urlencoded" };
	const traded = await app.inject({
		method: "POST",
		url: "/api/v1/token",
		payload: form.toString(),
		headers,
	});
	expect(traded.statusCode).toBe(200);
	return bearer(traded.json().access_token);
}

/** The sign-on service, which issues its own tokens. */
async function openAuth(part: (typeof parts.services)[number]): Promise<Subject> {
	const subscriptions = await startTestSubscriptions();
	const database = await createTestDatabase({ name: "auth", sets: part.service.migrations });
	const apiKey = mintApiKey().text;
	const logged: string[] = [];
	const environment = {
		NODE_ENV: "test",
		AUTH_DATABASE_URL: database.url,
		SUBSCRIPTIONS_URL: subscriptions.url,
		AUTH_SNAPSHOT_READ_KEY: subscriptions.apiKey,
		AUTH_API_KEYS: `generated:tenants.read:${apiKey}`,
		LANGO_KEY_ENCRYPTION_KEYS: encryptionKeys,
		LOG_LEVEL: "warn",
	};
	const logTo = { write: (line: string) => void logged.push(line) };
	const built = await buildService(part.service, { environment, logTo, jobs: "by hand" });
	await part.demo?.(built.db, { now: new Date(), tenants: [], environment });
	const userIds: string[] = [];
	const signIn = async (email: string) => {
		const payload = { email, password: parts.password, tenant_slug: "" };
		const answer = await built.app.inject({ method: "POST", url: "/api/v1/auth/login", payload });
		const { access_token, user } = answer.json();
		userIds.push(user.id);
		return bearer(access_token);
	};
	const people = ["root@lango.example", "admin@uhai.example", "nurse@uhai.example", "owner@kahawa.example"];
	const callers = [{}, { "x-api-key": apiKey }, { "x-api-key": mintApiKey().text }, bearer("a.b.c")];
	for (const email of people) callers.push(await signIn(email));
	callers.push(await thirdPartyToken(built.app, await signIn("root@lango.example"), "nurse@uhai.example"));
	const outlets = (await built.app.inject({ url: "/api/v1/tenants/uhai/outlets" })).json();
	const found = await built.app.inject({ url: "/api/v1/tenants/by-slug/uhai" });
	const tenantId: string = found.json().id;
	const outletIds: string[] = outlets.map(({ id }: { id: string }) => id);
	const known = {
		slug: ["uhai", "kahawa"],
		tenant: ["uhai", "kahawa"],
		tenant_id: [tenantId],
		id: ["uhai", tenantId, ...userIds, ...outletIds],
		outlet_id: outletIds,
		user_id: userIds,
		client_id: ["third-party", "demo-backend"],
		email: people,
	};
	const close = async () => {
		await built.close();
		await subscriptions.close();
		await database.drop();
	};
	return { app: built.app, callers, known, logged, close };
}

const knownMax = 60;

/** Keeps the ids and codes of an answer, so that later requests name things that exist. */
function learnFrom({ statusCode, headers, body }: Answered, known: Subject["known"]): void {
	if (statusCode >= 300 || !String(headers["content-type"]).startsWith("application/json") || body === "")
		return;
	const answer = JSON.parse(body);
	const items: unknown[] = Array.isArray(answer?.items) ? answer.items : [answer];
	for (const item of items.slice(0, 5)) {
		for (const name of ["id", "code", "user_id", "quote_id"]) {
			const value = (item as Record<string, unknown> | null)?.[name];
			if (typeof value !== "string" || value === "") continue;
			known[name] = [...new Set([...(known[name] ?? []), value])].slice(-knownMax);
		}
	}
}

const one = <T>(chance: Chance, list: readonly T[]): T => list[chance(list.length)] as T;
const address = (chance: Chance) => `10.${chance(250)}.${chance(250)}.${chance(250)}`;

let changes = 0;

test.each(parts.services.map((part) => ({ name: part.service.name, part })))(
	`$name answers generated requests without a 5xx, and refuses in the one form (seed ${seed})`,
	async ({ name, part }) => {
		const subject = name === "auth" ? await openAuth(part) : await openOther(part.service);
		subjects.push(subject);
		const chance = chanceFrom(seed + parts.services.indexOf(part));
		const document = subject.app.swagger() as unknown as Document;
		const faults: unknown[] = [];
		const statuses = new Map<number, number>();
		for (let count = 0; count < share && faults.length < 5; count += 1) {
			const generated = generateRequest(document, { chance, known: subject.known });
			const headers = { ...one(chance, subject.callers), ...generated.headers };
			const answer = await subject.app.inject({ ...generated, headers, remoteAddress: address(chance) });
			learnFrom(answer, subject.known);
			if (!isRead(generated.method) && answer.statusCode < 300) changes += 1;
			statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
			const fault = faultOf(answer);
			if (fault === undefined) continue;
			const { method, url, payload } = generated;
			const log = subject.logged.filter((line) => line.includes(String(answer.headers["x-request-id"])));
			const { authorization: _token, ...shown } = headers as Record<string, string>;
			faults.push({
				count,
				fault,
				method,
				url: url.slice(0, 300),
				headers: JSON.stringify(shown).slice(0, 300),
				payload: String(payload).slice(0, 500),
				body: answer.body.slice(0, 300),
				log: log.map((line) => line.slice(0, 900)),
			});
		}
		expect(faults).toEqual([]);
		// Requests reach routes, and are refused in every way.
		expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 404]));
	},
	1_200_000,
);

// Of one service alone, a run may happen to change nothing.
test("the generated requests of all services changed something", () => expect(changes).toBeGreaterThan(0));

const isRead = (method: string) => ["GET", "HEAD", "OPTIONS"].includes(method);
type Answered = Awaited<ReturnType<BuiltService["app"]["inject"]>>;

/**
 * What is wrong with an answer, undefined if nothing is. Pages and empty answers have no form. A 503 is right
 * after a generated request of the platform owner has stopped a kind of outgoing payment.
 */
function faultOf({ statusCode, headers, body }: Answered): string | undefined {
	const isHalted = statusCode === 503 && body.includes('"code":"halted"');
	if (statusCode >= 500 && !isHalted) return `status ${statusCode}`;
	if (headers["x-request-id"] === undefined) return "no X-Request-ID";
	const isForm = String(headers["content-type"]).startsWith("application/json");
	if (statusCode < 400 || !isForm || body === "") return undefined;
	const refusal: Record<string, unknown> = JSON.parse(body);
	const isOauth = typeof refusal["error_description"] === "string";
	if (typeof refusal["error"] !== "string" || typeof refusal["request_id"] !== "string")
		return "not the form of a refusal";
	if (!isOauth && typeof refusal["code"] !== "string") return "no code";
	if (refusal["code"] === "invalid_input" && typeof refusal["field"] !== "string") return "names no field";
	return undefined;
}
