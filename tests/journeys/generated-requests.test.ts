import { type BuiltService, buildService } from "@lango/chassis";
import { createTestDatabase, openStand, type Stand, startTestSubscriptions } from "@lango/testkit";
import { mintApiKey } from "@lango/tokens";
import { afterAll, expect, test } from "vitest";
import { parts } from "../../tools/up.ts";
import {
	type Chance,
	chanceFrom,
	type Document,
	generateRequest,
	type KnownValues,
} from "./generate-requests.ts";

// Requests generated from the OpenAPI document of every service. LANGO_GENERATED_REQUESTS says how many in all (30000 for the whole proof),
// LANGO_GENERATED_SEED repeats a run: a failure names its seed.
const total = Number(process.env["LANGO_GENERATED_REQUESTS"] ?? "3600");
const seed = Number(process.env["LANGO_GENERATED_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const encryptionKeys = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
const share = Math.ceil(total / parts.services.length);

type Caller = Record<string, string>;
type Subject = {
	app: BuiltService["app"];
	callers: readonly Caller[];
	known: KnownValues;
	logged: readonly string[];
	close(): Promise<void>;
};
const bearer = (token: string): Caller => ({ authorization: `Bearer ${token}` });
const subjects: Subject[] = [];
afterAll(async () => {
	for (const subject of subjects) await subject.close();
});

/** A service that takes the tokens of an issuer that stands in for the sign-on service. */
async function openOther(service: (typeof parts.services)[number]["service"]): Promise<Subject> {
	const prefix = service.name.toUpperCase();
	const key = mintApiKey().text;
	const stand: Stand = await openStand({
		service,
		build: buildService,
		environment: {
			LANGO_KEY_ENCRYPTION_KEYS: encryptionKeys,
			[`${prefix}_KEY_ENCRYPTION_KEYS`]: encryptionKeys,
			...(service.name === "subscriptions" && { SUBSCRIPTIONS_API_KEYS: `generated:snapshot.read:${key}` }),
		},
	});
	const { uhai, kahawa, lango } = stand.tenants;
	const scoped = { client_id: "third-party", scope: "openid" };
	const callers = [
		{},
		bearer(stand.token(uhai, "viewer")),
		bearer(stand.token(uhai, "admin")),
		bearer(stand.token(uhai, "admin")),
		bearer(stand.token(kahawa, "admin")),
		bearer(stand.token(lango, "superuser")),
		bearer(stand.token(uhai, "admin", scoped)),
		{ "x-api-key": key },
		{ "x-api-key": mintApiKey().text },
		bearer("a.b.c"),
	];
	const tenants = [uhai, kahawa, lango].flatMap(({ id, slug }) => [id, slug]);
	const known = { tenant: tenants, tenant_id: [uhai.id, kahawa.id] };
	const app = stand.built.app as unknown as BuiltService["app"];
	return { app, callers, known, logged: stand.logged, close: () => stand.close() };
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
	const signIn = async (email: string) => {
		const payload = { email, password: parts.password, tenant_slug: "" };
		const answer = await built.app.inject({ method: "POST", url: "/api/v1/auth/login", payload });
		return bearer(answer.json().access_token);
	};
	const people = ["root@lango.example", "admin@uhai.example", "nurse@uhai.example", "owner@kahawa.example"];
	const callers = [{}, { "x-api-key": apiKey }, { "x-api-key": mintApiKey().text }, bearer("a.b.c")];
	for (const email of people) callers.push(await signIn(email));
	const known = { slug: ["uhai", "kahawa"], tenant: ["uhai", "kahawa"], id: ["uhai"] };
	const close = async () => {
		await built.close();
		await subscriptions.close();
		await database.drop();
	};
	return { app: built.app, callers, known, logged, close };
}

const one = <T>(chance: Chance, list: readonly T[]): T => list[chance(list.length)] as T;
const address = (chance: Chance) => `10.${chance(250)}.${chance(250)}.${chance(250)}`;

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

type Answered = Awaited<ReturnType<BuiltService["app"]["inject"]>>;

/** What is wrong with an answer, undefined if nothing is. Pages and empty answers have no form. */
function faultOf({ statusCode, headers, body }: Answered): string | undefined {
	if (statusCode >= 500) return `status ${statusCode}`;
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
