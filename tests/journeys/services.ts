import { type RunningService, type ServiceDefinition, startService } from "@lango/chassis";
import { inProcessTransport } from "@lango/events";
import { createTestDatabase, findFreePorts, type TestDatabase, testServiceKeys } from "@lango/testkit";
import { parts } from "../../tools/up.ts";

type Name = "auth" | "subscriptions" | "hospital" | "ordering" | "treasury";

/** What an answer holds, as far as a journey looks into it. */
export type Answer = { status: number; body: Record<string, unknown> };
type Request = { method?: string; token?: string; body?: unknown; headers?: Record<string, string> };

/** Services in one process, each on a database of its own, over real HTTP. */
export type Services = {
	urls: Readonly<Record<Name, string>>;
	call(service: Name, path: string, request?: Request): Promise<Answer>;
	/** Signs a person in and returns their access token. */
	signIn(email: string, password: string): Promise<string>;
	close(): Promise<void>;
};

/**
 * Starts the sign-on service, the subscription service and the others that are named, as `npm start` does,
 * with the demo tenants; `now` is the time of all. `environmentAt` is added to their environment.
 */
export async function startServices(
	now: () => Date,
	others: readonly Name[],
	environmentAt: (urls: Services["urls"]) => Promise<Record<string, string>> = async () => ({}),
): Promise<Services> {
	const names: readonly Name[] = ["auth", "subscriptions", ...others];
	const ports = await findFreePorts(names.length);
	const urls = Object.fromEntries(
		names.map((name, index) => [name, `http://localhost:${ports[index]}`]),
	) as Services["urls"];
	const transport = inProcessTransport();
	const running: RunningService[] = [];
	const databases: TestDatabase[] = [];
	const close = async () => {
		for (const service of running.toReversed()) await service.close();
		await transport.close();
		for (const database of databases) await database.drop();
	};
	const shared = {
		NODE_ENV: "test",
		AUTH_URL: urls.auth,
		SUBSCRIPTIONS_URL: urls.subscriptions,
		...testServiceKeys(...names),
		LANGO_KEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
		LOG_LEVEL: "silent",
		...(await environmentAt(urls)),
	};
	const start = async (service: ServiceDefinition, port: string) => {
		const database = await createTestDatabase({ name: service.name, sets: service.migrations });
		databases.push(database);
		const prefix = service.name.toUpperCase();
		const own = { [`${prefix}_DATABASE_URL`]: database.url, [`${prefix}_PORT`]: port };
		running.push(await startService(service, { now, transport, environment: { ...shared, ...own } }));
		return database;
	};
	try {
		let tenants: ReadonlyArray<{ slug: string; id: string }> = [];
		for (const [index, name] of names.entries()) {
			const part = parts.services.find(({ service }) => service.name === name);
			if (part === undefined) throw new Error(`tools/up.ts brings up no ${name}`);
			const { db } = await start(part.service, `${ports[index]}`);
			tenants = (await part.demo?.(db, { now: now(), tenants, environment: shared })) ?? tenants;
		}
	} catch (error) {
		await close();
		throw error;
	}
	const call = (service: Name, path: string, request: Request = {}) =>
		send(`${urls[service]}${path}`, request);
	return {
		urls,
		call,
		signIn: async (email, password) => {
			const { status, body } = await call("auth", "/api/v1/auth/login", {
				method: "POST",
				body: { email, password, tenant_slug: "" },
			});
			if (status !== 200) throw new Error(`${email} is not let in: ${status} ${JSON.stringify(body)}`);
			return String(body["access_token"]);
		},
		close,
	};
}

async function send(url: string, { method = "GET", token, body, headers = {} }: Request): Promise<Answer> {
	const answer = await fetch(url, {
		method,
		headers: {
			...headers,
			...(token !== undefined && { authorization: `Bearer ${token}` }),
			...(body !== undefined && { "content-type": "application/json" }),
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
		signal: AbortSignal.timeout(15_000),
	});
	const text = await answer.text();
	return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
}
