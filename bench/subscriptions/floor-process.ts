/**
 * The floors of a snapshot. `/constant/:tenant_id` is a service on the same chassis, with the same check of
 * an API key, that returns the same body as a constant: the cost of HTTP and the chassis. `/row/:tenant_id`
 * reads one row by its key on bare Fastify: the minimal cost of a read.
 */
import {
	authenticateWith,
	defineService,
	defineSettings,
	guarded,
	platformSettings,
	route,
	signedIn,
	startService,
} from "@lango/chassis";
import { Shape, Subscription, Uuid } from "@lango/contracts";
import { eventMigrations, inProcessTransport } from "@lango/events";
import { createVerifier, readApiKey, remoteKeySet } from "@lango/tokens";
import fastify from "fastify";
import pg from "pg";
import { readRow } from "./installation.store.ts";

const {
	PORT,
	CONSTANT_PORT,
	CONSTANT_DATABASE_URL,
	DATABASE_URL,
	DATABASE_CONNECTIONS,
	API_KEY = "",
	SNAPSHOT = "{}",
	...environment
} = process.env;
const key = readApiKey(API_KEY);
if (key === undefined) throw new Error("API_KEY is missing");
const snapshot = JSON.parse(SNAPSHOT) as Subscription;

const constant = defineService({
	name: "constant",
	title: "A constant",
	settings: defineSettings("CONSTANT", platformSettings),
	migrations: [eventMigrations],
	failures: [],
	corsHeaders: [],
	dependencies: async ({ now }) => ({
		verifier: createVerifier({
			issuer: "http://localhost",
			audiences: ["lango"],
			keys: remoteKeySet({ url: "http://localhost/keys", now }),
			now,
			isRevoked: () => false,
		}),
	}),
	pipeline: ({ verifier }) => [
		[
			authenticateWith({
				verifier,
				platformOwnerSlug: "lango",
				findApiKey: async (id) =>
					id === key.id ? { secretHash: key.secretHash, permissions: [] } : undefined,
			}),
			guarded,
		],
	],
	routes: [
		() => [
			route({
				method: "GET",
				url: "/constant/:tenant_id",
				access: signedIn(),
				schema: { params: Shape({ tenant_id: Uuid }), response: { 200: Subscription } },
				handler: async (_request, reply) => {
					reply.headers({
						etag: '"1"',
						"cache-control": "private, no-cache",
						vary: "Authorization, X-API-Key",
					});
					// Serialized once, the minimal cost of a constant.
					return reply
						.type("application/json; charset=utf-8")
						.serializer(() => SNAPSHOT)
						.send(snapshot);
				},
			}),
		],
	],
});
await startService(constant, {
	environment: {
		...environment,
		CONSTANT_PORT,
		// Its own database: otherwise its relay would publish the events of the service, without any consumer.
		CONSTANT_DATABASE_URL,
		LOG_LEVEL: "warn",
	},
	transport: inProcessTransport(),
});

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_CONNECTIONS) });
const app = fastify({ keepAliveTimeout: 72_000 });
app.get<{ Params: { tenant_id: string } }>("/row/:tenant_id", async ({ params }) =>
	readRow(pool, params.tenant_id),
);
app.get("/healthz", async () => ({ ok: true }));
await app.listen({ port: Number(PORT), host: "localhost" });
process.on("SIGTERM", () => process.exit(0));
