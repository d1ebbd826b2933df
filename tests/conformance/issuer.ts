import { startService } from "@lango/chassis";
import { inProcessTransport } from "@lango/events";
import { createTestDatabase, findFreePorts, startTestSubscriptions } from "@lango/testkit";
import { hashSecret } from "@lango/tokens";
import { parts } from "../../tools/up.ts";
import { type Client, clients } from "./clients.ts";

/** The sign-on service as a client meets it: over HTTP, on a database of its own, with the demo tenants. */
export type Issuer = {
	url: string;
	/**
	 * Moves the service's clock; clients that check times go by the real one, so move it little before they
	 * look.
	 */
	forward(seconds: number): void;
	/** Posts a form, as clients do to the token endpoint and its relatives. */
	post(path: string, members: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
	close(): Promise<void>;
};

/** Starts the service on a free port and registers the clients of this suite. */
export async function startIssuer(environment: Record<string, string> = {}): Promise<Issuer> {
	const part = parts.services.find(({ service }) => service.name === "auth");
	if (part?.demo === undefined) throw new Error("tools/up.ts brings up no sign-on service with a demo");
	const { service, demo } = part;
	const database = await createTestDatabase({ name: "auth", sets: service.migrations });
	const subscriptions = await startTestSubscriptions();
	const [port] = await findFreePorts(1);
	const url = `http://localhost:${port}`;
	let offsetMs = 0;
	const now = () => new Date(Date.now() + offsetMs);
	const running = await startService(service, {
		now,
		transport: inProcessTransport(),
		environment: {
			NODE_ENV: "test",
			AUTH_DATABASE_URL: database.url,
			AUTH_PORT: `${port}`,
			AUTH_URL: url,
			LOG_LEVEL: "silent",
			SUBSCRIPTIONS_URL: subscriptions.url,
			AUTH_SNAPSHOT_READ_KEY: subscriptions.apiKey,
			LANGO_KEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
			...environment,
		},
	});
	await demo(database.db, { now: now(), tenants: [], environment: {} });
	for (const client of Object.values(clients)) await register(database.db, client);
	return {
		url,
		forward: (seconds) => {
			offsetMs += seconds * 1_000;
		},
		post: (path, members, headers = {}) =>
			fetch(`${url}${path}`, { method: "POST", body: new URLSearchParams(members), headers }),
		close: async () => {
			await running.close();
			await subscriptions.close();
			await database.drop();
		},
	};
}

type Registry = { query(text: string, values: readonly unknown[]): Promise<unknown> };

async function register(db: Registry, client: Client): Promise<void> {
	await db.query(
		`insert into clients (client_id, name, redirect_uris, post_logout_redirect_uris, scopes, public, secret_hash, pkce_required, id_token_algorithm)
		 values ($1, $1, $2, $3, $4, $5, $6, $7, $8)`,
		[
			client.id,
			client.redirectUris,
			client.postLogoutRedirectUris ?? [],
			client.scopes ?? ["openid", "profile", "email", "offline_access"],
			client.secret === undefined,
			client.secret === undefined ? null : hashSecret(client.secret),
			client.mayLeavePkceOut !== true,
			client.idTokenAlgorithm ?? "RS256",
		],
	);
}
